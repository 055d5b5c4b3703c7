import { useTranslation } from 'react-i18next'
import { PayButton } from '#features/orders/payment/PayButton.tsx'
import type { PaymentMethod } from '#features/orders/payment/payment-api.ts'
import { TransferButton } from '#features/orders/bank-transfer/TransferButton.tsx'
import type { PaymentState } from '#features/orders/payment/usePayment.ts'
import type { PayButtonName } from '#features/orders/payment/useSendPayment.ts'

/** Shows the methods besides the first one, which has the primary button. */
export function OtherMethods(state: PaymentState) {
  const { t } = useTranslation('payment')
  const { offer, card, payment, proforma } = state
  const others: { button: PayButtonName; type: PaymentMethod }[] = [
    ...(card.isUsable ? [{ button: 'page', type: 'stripe' } as const] : []),
    ...offer.otherMethods.map((type) => ({ button: type, type })),
  ]
  const hasOthers = others.length > 0 || offer.canTransfer
  if (!hasOthers || !payment.hasMethods || !offer.firstMethod || proforma.record) return null
  return (
    <div className="payment-others" role="group" aria-labelledby="payment-others">
      <h3 id="payment-others">{t('others')}</h3>
      {others.map(({ button, type }) => (
        <div key={button}>
          <PayButton {...state} button={button} type={type} />
          <p className="field-help">{offer.getHelp(type)}</p>
        </div>
      ))}
      {offer.canTransfer && (
        <TransferButton
          proforma={proforma}
          currency={offer.currency}
          amount={offer.getParts('credit').left}
          disabledReason={offer.offlineReason ?? (payment.canPay ? null : t('sending'))}
        />
      )}
    </div>
  )
}
