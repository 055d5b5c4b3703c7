import { useEffect } from 'react'
import { saveDraft } from '#local/drafts/form-drafts.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'

const forgetDraft =
  (formName: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await saveDraft(formName, null)
  }

/** Deletes the draft when the form is left. If the session has expired, the draft stays stored. */
export function useForgottenDraft(formName: string): void {
  const dispatch = useDispatch()
  useEffect(() => () => void dispatch(forgetDraft(formName)), [formName, dispatch])
}
