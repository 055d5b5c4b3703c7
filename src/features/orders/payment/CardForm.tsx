import { useEffect, useRef, useState } from 'react'
import type { Currency } from '#domain/money.ts'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import { openSandboxCardFields } from '#features/orders/payment/sandbox-card-fields.ts'
import { openStripeElements } from '#features/orders/payment/stripe-elements.ts'
import type { CardFieldsState, CardSource } from '#features/orders/payment/useCardFields.ts'

interface Props {
  card: CardFieldsState
  source: CardSource
  amount: string
  currency: Currency
}

/** Shows the gateway's card fields in a frame. Must stay mounted: typed values exist only in the frame. */
export function CardForm({ card: { form, state, setState }, source, amount, currency }: Props) {
  const { t } = useTranslation('payment')
  const container = useRef<HTMLDivElement>(null)
  const stripeKey = 'stripeKey' in source ? source.stripeKey : null
  const frame = 'frame' in source ? source.frame : null
  const title = t('card')
  const [firstTitle] = useState(title)
  // The amount that the fields have. A token must not be lost because they get the same amount again.
  const usedAmount = useRef(amount)
  const openFields = useLatestCallback((element: HTMLElement) => {
    usedAmount.current = amount
    return stripeKey === null
      ? openSandboxCardFields(element, frame ?? '', firstTitle)
      : openStripeElements(element, stripeKey, { amount, currency })
  })
  useEffect(() => {
    if (!container.current) return
    let isOpen = true
    let fields: CardFields | null = null
    setState('opening')
    openFields(container.current).then(
      (openedFields) => {
        if (!isOpen) return openedFields.close()
        fields = openedFields
        form.current = openedFields
        setState('open')
      },
      () => isOpen && setState('none'),
    )
    return () => {
      isOpen = false
      form.current = null
      fields?.close()
    }
  }, [stripeKey, frame, openFields, form, setState])
  // Typed values stay if credit pays another part than before.
  useEffect(() => {
    if (state !== 'open' || usedAmount.current === amount) return
    usedAmount.current = amount
    form.current?.setAmount(amount)
  }, [state, amount, form])
  if (state === 'none') return <p className="field-help">{t('help.stripe')}</p>
  return (
    <div role="group" aria-label={title}>
      {state === 'opening' && (
        <div role="status" aria-label={t('cardOpening')}>
          <Skeleton lines={3} />
        </div>
      )}
      <div ref={container} />
      {stripeKey !== null && <p className="field-help">{t('cardHelp')}</p>}
    </div>
  )
}
