import type { PaymentType } from '#domain/payments.ts'
import { useTranslation } from 'react-i18next'
import { PayButton } from '#features/orders/payment/PayButton.tsx'
import type { PaymentState } from '#features/orders/payment/usePayment.ts'
import type { PayButtonName } from '#features/orders/payment/useSendPayment.ts'

/** Shows the methods besides the first one, which has the primary button. */
export function OtherMethods(state: PaymentState) {
  const { t } = useTranslation('payment')
  const { offer, card, payment } = state
  const others: { button: PayButtonName; type: PaymentType }[] = [
    ...(card.isUsable ? [{ button: 'page', type: 'stripe' } as const] : []),
    ...offer.otherMethods.map((type) => ({ button: type, type })),
  ]
  if (others.length === 0 || !payment.hasMethods || !offer.firstMethod) return null
  return (
    <div className="payment-others" role="group" aria-labelledby="payment-others">
      <h3 id="payment-others">{t('others')}</h3>
      {others.map(({ button, type }) => (
        <div key={button}>
          <PayButton {...state} button={button} type={type} />
          <p className="field-help">{offer.getHelp(type)}</p>
        </div>
      ))}
    </div>
  )
}
