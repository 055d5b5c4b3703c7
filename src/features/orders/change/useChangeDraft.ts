import { useEffect, useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { useDispatch } from '#state/use-store.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { type DraftOffer, useDraftOffers } from '#state/use-draft-offers.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type ChangeDraft, toChangeDraft, isSameDraft, parseStoredDraft } from '#features/orders/change/change-form.ts'

/** Whoever leaves the form has said that it may go; whose session ends by itself finds it again. */
const forgetDraft =
  (form: string): AppThunk =>
  async (_dispatch, getState) => {
    if (getState().session.kind === 'signed in') await drafts.saveDraft(form, null)
  }

export interface ChangeDrafts {
  /** Null: not looked up yet. */
  draft: ChangeDraft | null
  saveDraft: (draft: ChangeDraft) => void
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
  const [firstContract] = useState(contract)
  const defaultDraft = toChangeDraft(firstContract)
  const [typedDraft, setTypedDraft] = useState<ChangeDraft | null>(null)
  const form = `${name}:${firstContract.service_code}`
  const base = String(firstContract.id)
  const {
    ownDraft,
    offer: draftOffer,
    accept,
    discard,
  } = useDraftOffers<ChangeDraft>(drafts, {
    formName: form,
    formerForm: `${name}:${firstContract.id}`,
    base,
    parse: (value) => (typeof value === 'object' && value !== null ? parseStoredDraft(value, defaultDraft) : null),
  })
  useEffect(() => () => void dispatch(forgetDraft(form)), [form, dispatch])
  const currentDraft = typedDraft ?? (ownDraft === undefined ? null : (ownDraft?.value ?? defaultDraft))
  const saveDraft = (next: ChangeDraft) => {
    setTypedDraft(next)
    void drafts.saveDraft(form, next, base)
  }
  return {
    draft: currentDraft,
    saveDraft,
    offer: draftOffer,
    onContinue: () =>
      setTypedDraft(accept(currentDraft === null || isSameDraft(currentDraft, defaultDraft) ? null : currentDraft)),
    onDiscard: discard,
  }
}
