import { useRef, useState } from 'react'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import type { PaymentSettings } from '#features/orders/payment/payment-api.ts'
import type { PaymentOffer } from '#features/orders/payment/usePaymentOffer.ts'

/** For the button that pays. */
export type CardFormHandle = Pick<CardFields, 'createToken' | 'dropToken'>

/** Stripe's fields by its publishable key, or in the demo those at this address. */
export type CardSource = { stripeKey: string } | { frame: string }

export type CardFieldsState = ReturnType<typeof useCardFields>

/** Where the card is typed: into Stripe's fields, or in the demo into those of the sandbox. Null: only on the gateway's own page. */
function findCardSource(settings: PaymentSettings | undefined): CardSource | null {
  if (settings?.stripe_key) return { stripeKey: settings.stripe_key }
  return settings?.card_frame ? { frame: settings.card_frame } : null
}

/** The card fields of a panel whose first method is a card. */
export function useCardFields({ settings, firstMethod, isAccepted, isOnline }: PaymentOffer) {
  const form = useRef<CardFormHandle | null>(null)
  // `none`: the fields could not be opened, and the gateway's own page asks for the card.
  const [state, setState] = useState<'opening' | 'open' | 'none'>('opening')
  // Opened with a connection; what was typed stays when the connection is lost.
  const [hasBeenOnline, setHasBeenOnline] = useState(isOnline)
  if (isOnline && !hasBeenOnline) setHasBeenOnline(true)
  const source = firstMethod === 'stripe' && isAccepted && hasBeenOnline ? findCardSource(settings) : null
  return {
    form,
    state,
    setState,
    /** Null: there are no fields. */
    source,
    isOpening: source !== null && isOnline && state === 'opening',
    /** The gateway's own page is then another method. */
    isUsable: source !== null && state !== 'none',
  }
}
