import { useEffect, useState } from 'react'
import { saveDraft, readDraft } from '#local/drafts/form-drafts.ts'
import { useDispatch } from '#state/hooks.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ContractRow } from '#features/orders/detail/useContract.ts'
import { type ChangeDraft, storedChange, changeDraftOf } from '#features/orders/detail/change-form.ts'

/** Whoever leaves the form has said that it may go; whose session ends by itself finds it again. */
const forget =
  (form: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await saveDraft(form, null)
  }

/**
 * What stands typed in the form `name` of a contract, kept on the device as it is typed: it survives a reload and a session
 * that ends. It is of that very contract; one that took its place begins with its own values. Null: not looked up yet.
 */
export function useChangeDraft(
  name: 'contract' | 'extend',
  contract: ContractRow,
): [ChangeDraft | null, (typed: ChangeDraft) => void] {
  const dispatch = useDispatch()
  const [typed, setTyped] = useState<ChangeDraft | null>(null)
  const [first] = useState(contract)
  const form = `${name}:${first.id}`
  useEffect(() => {
    let stands = true
    void readDraft(form).then((kept) => stands && setTyped(storedChange(kept?.value, changeDraftOf(first))))
    return () => {
      stands = false
      void dispatch(forget(form))
    }
  }, [form, first, dispatch])
  const keep = (now: ChangeDraft) => {
    setTyped(now)
    void saveDraft(form, now)
  }
  return [typed, keep]
}
