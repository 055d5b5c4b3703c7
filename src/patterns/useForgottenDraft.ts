import { useEffect } from 'react'
import { saveDraft } from '#local/drafts/form-drafts.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

const forgetDraft =
  (formName: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await saveDraft(formName, null)
  }

/** Deletes the draft when the form is left. After a session that ended by itself the draft is still stored. */
export function useForgottenDraft(formName: string): void {
  const dispatch = useDispatch()
  useEffect(() => () => void dispatch(forgetDraft(formName)), [formName, dispatch])
}
