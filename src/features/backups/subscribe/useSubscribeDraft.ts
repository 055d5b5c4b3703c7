import { useState } from 'react'
import * as drafts from '#local/drafts/form-drafts.ts'
import { type DraftOffer, useDraftOffers } from '#state/use-draft-offers.ts'
import { type SubscribeDraft, storedDraft } from '#features/backups/subscribe/subscribe-form.ts'

interface SubscribeDrafts {
  /** Null: no form is open. */
  draft: SubscribeDraft | null
  keep: (draft: SubscribeDraft | null) => void
  offer: DraftOffer | null
  onContinue: () => void
  onDiscard: () => void
}

/**
 * What stands in the form of a service's subscription, kept on the device as it is typed: whoever chose without a line, or left,
 * finds it again and orders it then, by the price of that day (D89). A draft of an earlier visit is offered.
 */
export function useSubscribeDraft(serviceId: number): SubscribeDrafts {
  const form = `backup:${serviceId}`
  const [typed, setTyped] = useState<SubscribeDraft | null | undefined>()
  const { own, offer, accept, discard } = useDraftOffers(drafts, { form, parse: storedDraft })
  const draft = typed === undefined ? (own?.value ?? null) : typed
  return {
    draft,
    keep(now) {
      setTyped(now)
      void drafts.saveDraft(form, now)
    },
    offer,
    onContinue: () => setTyped(accept(draft)),
    onDiscard: discard,
  }
}
