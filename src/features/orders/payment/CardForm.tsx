import { type RefObject, useEffect, useRef, useState } from 'react'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { type CardFields, openCardFields } from '#features/orders/payment/stripe-elements.ts'

/** What the button asks of it. */
export type CardForm = Pick<CardFields, 'token'>

/** Stripe's own fields in a frame of theirs. Where they cannot be had the form stays empty, and Stripe's page asks for the card. */
export function PaymentCard({
  form,
  stripeKey,
  money,
}: {
  form: RefObject<CardForm | null>
  stripeKey: string
  money: { amount: string; currency: 'HKD' | 'USD' | 'RMB' }
}) {
  const { t } = useTranslation('payment')
  const place = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<'opening' | 'open' | 'none'>('opening')
  const { amount, currency } = money
  useEffect(() => {
    let fields: CardFields | null = null
    let stands = true
    openCardFields(stripeKey, { amount, currency }).then(
      (opened) => {
        if (!stands || !place.current) return opened.close()
        fields = opened
        form.current = opened
        opened.show(place.current)
        setState('open')
      },
      () => stands && setState('none'),
    )
    return () => {
      stands = false
      form.current = null
      fields?.close()
    }
  }, [stripeKey, amount, currency, form])
  if (state === 'none') return <p className="field-help">{t('help.stripe')}</p>
  return (
    <div role="group" aria-label={t('card')}>
      {state === 'opening' && (
        <div role="status" aria-label={t('cardOpening')}>
          <Skeleton lines={3} />
        </div>
      )}
      <div ref={place} />
      <p className="field-help">{t('cardHelp')}</p>
    </div>
  )
}
