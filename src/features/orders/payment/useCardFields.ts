import { useRef, useState } from 'react'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import type { PaymentSettings } from '#features/orders/payment/payment-api.ts'
import type { PaymentOffer } from '#features/orders/payment/usePaymentOffer.ts'

export type CardFormHandle = Pick<CardFields, 'createToken' | 'dropToken' | 'setAmount'>

export type CardSource = { stripeKey: string } | { frame: string }

export type CardFieldsState = ReturnType<typeof useCardFields>

/** Returns null if the card can only be entered on the gateway's own page. */
function findCardSource(settings: PaymentSettings | undefined): CardSource | null {
  if (settings?.stripe_key) return { stripeKey: settings.stripe_key }
  return settings?.card_frame ? { frame: settings.card_frame } : null
}

export function useCardFields({ settings, firstMethod, isAccepted, isOnline }: PaymentOffer) {
  const form = useRef<CardFormHandle | null>(null)
  // `none` means that the fields could not be opened. The card is then entered on the gateway's own page.
  const [state, setState] = useState<'opening' | 'open' | 'none'>('opening')
  // The fields open only with a connection. Typed values stay if the connection is lost later.
  const [hasBeenOnline, setHasBeenOnline] = useState(isOnline)
  if (isOnline && !hasBeenOnline) setHasBeenOnline(true)
  const source = firstMethod === 'stripe' && isAccepted && hasBeenOnline ? findCardSource(settings) : null
  return {
    form,
    state,
    setState,
    source,
    isOpening: source !== null && isOnline && state === 'opening',
    /** False if the gateway's own page has to be used instead. */
    isUsable: source !== null && state !== 'none',
  }
}
