import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Currency } from '#domain/money.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import type { CardFields } from '#features/orders/payment/card-fields.ts'
import { openSandboxCardFields } from '#features/orders/payment/sandbox-card-fields.ts'
import { openStripeElements } from '#features/orders/payment/stripe-elements.ts'

/** What the button asks of it. */
export type CardFormHandle = Pick<CardFields, 'createToken' | 'dropToken'>

/** `none`: the fields could not be had, and the gateway's own page asks for the card. */
export type CardFormState = 'opening' | 'open' | 'none'

/** Whose fields they are: Stripe's by its publishable key, or in the demo those at this address. */
export type CardSource = { stripeKey: string } | { frame: string }

interface Props {
  form: RefObject<CardFormHandle | null>
  state: CardFormState
  onState: (state: CardFormState) => void
  source: CardSource
  money: { amount: string; currency: Currency }
}

/** The gateway's own fields in a frame of theirs. Stays as long as the panel does, for what was typed is nowhere else. */
export function CardForm({ form, state, onState, source, money: { amount, currency } }: Props) {
  const { t } = useTranslation('payment')
  const container = useRef<HTMLDivElement>(null)
  const stripeKey = 'stripeKey' in source ? source.stripeKey : null
  const frame = 'frame' in source ? source.frame : null
  const title = t('card')
  const [firstTitle] = useState(title)
  useEffect(() => {
    if (!container.current) return
    let isOpen = true
    let fields: CardFields | null = null
    onState('opening')
    const fieldsPromise =
      stripeKey === null
        ? openSandboxCardFields(container.current, frame ?? '', firstTitle)
        : openStripeElements(container.current, stripeKey, { amount, currency })
    fieldsPromise.then(
      (openedFields) => {
        if (!isOpen) return openedFields.close()
        fields = openedFields
        form.current = openedFields
        onState('open')
      },
      () => isOpen && onState('none'),
    )
    return () => {
      isOpen = false
      form.current = null
      fields?.close()
    }
  }, [stripeKey, frame, amount, currency, form, onState, firstTitle])
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
