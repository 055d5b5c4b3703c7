import { useEffect, useState } from 'react'
import { keepTyped, readTyped } from '#local/drafts/form-drafts.ts'
import { useDispatch } from '#state/hooks.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import type { ContractRow } from '#features/orders/detail/useContract.ts'
import { type Typed, typedFrom, typedOf } from '#features/orders/detail/change-form.ts'

/** Whoever leaves the form has said that it may go; whose session ends by itself finds it again. */
const forget =
  (form: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await keepTyped(form, null)
  }

/**
 * What stands typed in the form `name` of a contract, kept on the device as it is typed: it survives a reload and a session
 * that ends. It is of that very contract; one that took its place begins with its own values. Null: not looked up yet.
 */
export function useTyped(name: 'contract' | 'extend', contract: ContractRow): [Typed | null, (typed: Typed) => void] {
  const dispatch = useDispatch()
  const [typed, setTyped] = useState<Typed | null>(null)
  const [first] = useState(contract)
  const form = `${name}:${first.id}`
  useEffect(() => {
    let stands = true
    void readTyped(form).then((kept) => stands && setTyped(typedFrom(kept?.value, typedOf(first))))
    return () => {
      stands = false
      void dispatch(forget(form))
    }
  }, [form, first, dispatch])
  const keep = (now: Typed) => {
    setTyped(now)
    void keepTyped(form, now)
  }
  return [typed, keep]
}
