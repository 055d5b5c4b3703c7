import { useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { type DraftOffer, useDraftOffers } from '#state/use-draft-offers.ts'
import { type SubscribeDraft, parseStoredDraft } from '#features/backups/subscribe/subscribe-draft.ts'

interface SubscribeDraftState {
  draft: SubscribeDraft | null
  saveDraft: (draft: SubscribeDraft | null) => void
  offer: DraftOffer | null
  onContinue: () => void
  onDiscard: () => void
}

/**
 * Returns the draft of a subscription. It is stored on the device while the user types, and can be ordered later for the price of that
 * later day (D89). A draft of an earlier visit is offered.
 */
export function useSubscribeDraft(serviceId: number): SubscribeDraftState {
  const formKey = `backup:${serviceId}`
  const [typedDraft, setTypedDraft] = useState<SubscribeDraft | null | undefined>()
  const { ownDraft, offer, accept, discard } = useDraftOffers(drafts, { formName: formKey, parse: parseStoredDraft })
  const draft = typedDraft === undefined ? (ownDraft?.value ?? null) : typedDraft
  return {
    draft,
    saveDraft(newDraft) {
      setTypedDraft(newDraft)
      void drafts.saveDraft(formKey, newDraft)
    },
    offer,
    onContinue: () => setTypedDraft(accept(draft)),
    onDiscard: discard,
  }
}
