import { useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { useForgottenDraft } from '#patterns/useForgottenDraft.ts'
import { useDraftOffers } from '#state/use-draft-offers.ts'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type ChangeDraft, toChangeDraft, isSameDraft, parseStoredDraft } from '#features/orders/change/change-form.ts'

/**
 * Values of the contract form called `name`. They are saved on the device while the user types, so that they survive a reload and the end
 * of a session. A draft of an earlier visit is offered, even if its contract has been replaced since.
 */
export function useChangeDraft(name: 'contract' | 'extend', contract: ContractRow) {
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
  useForgottenDraft(form)
  const currentDraft = typedDraft ?? (ownDraft === undefined ? null : (ownDraft?.value ?? defaultDraft))
  return {
    /** Null until the device has been read. */
    draft: currentDraft,
    updateDraft(fields: Partial<ChangeDraft>) {
      const nextDraft = { ...(currentDraft ?? defaultDraft), ...fields }
      setTypedDraft(nextDraft)
      void drafts.saveDraft(form, nextDraft, base)
    },
    offer: draftOffer,
    onContinue: () =>
      setTypedDraft(accept(currentDraft === null || isSameDraft(currentDraft, defaultDraft) ? null : currentDraft)),
    onDiscard: discard,
  }
}
export type ChangeDrafts = ReturnType<typeof useChangeDraft>
