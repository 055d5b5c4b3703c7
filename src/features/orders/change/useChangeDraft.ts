import { useEffect, useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { useDispatch } from '#state/hooks.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type DraftOffer, useDraftOffers } from '#state/use-draft-offers.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type ChangeDraft, changeDraftOf, isSameDraft, storedChange } from '#features/orders/change/change-form.ts'

/** Whoever leaves the form has said that it may go; whose session ends by itself finds it again. */
const forget =
  (form: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await drafts.saveDraft(form, null)
  }

export interface ChangeDrafts {
  /** Null: not looked up yet. */
  typed: ChangeDraft | null
  keep: (typed: ChangeDraft) => void
  offer: DraftOffer | null
  onContinue: () => void
  onDiscard: () => void
}

/**
 * What stands typed in the form `name` of a contract, kept on the device as it is typed: it survives a reload and a session
 * that ends. A draft of an earlier visit is offered, also where another contract took the place of the one it changes.
 */
export function useChangeDraft(name: 'contract' | 'extend', contract: ContractRow): ChangeDrafts {
  const dispatch = useDispatch()
  const [first] = useState(contract)
  const fresh = changeDraftOf(first)
  const [typed, setTyped] = useState<ChangeDraft | null>(null)
  const form = `${name}:${first.service_code}`
  const base = String(first.id)
  const { own, offer, accept, discard } = useDraftOffers<ChangeDraft>(drafts, {
    form,
    formerForm: `${name}:${first.id}`,
    base,
    parse: (value) => (typeof value === 'object' && value !== null ? storedChange(value, fresh) : null),
  })
  useEffect(() => () => void dispatch(forget(form)), [form, dispatch])
  const now = typed ?? (own === undefined ? null : (own?.value ?? fresh))
  const keep = (next: ChangeDraft) => {
    setTyped(next)
    void drafts.saveDraft(form, next, base)
  }
  return {
    typed: now,
    keep,
    offer,
    onContinue: () => setTyped(accept(now === null || isSameDraft(now, fresh) ? null : now)),
    onDiscard: discard,
  }
}
