import '#features/orders/payment-words.ts'
import { useTranslation } from 'react-i18next'
import { OtherMethods } from '#features/orders/payment/OtherMethods.tsx'
import { PayButton } from '#features/orders/payment/PayButton.tsx'
import { PaymentDetails } from '#features/orders/payment/PaymentDetails.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { usePayment } from '#features/orders/payment/usePayment.ts'

/** The payment as a part of a page: details, the button of the first method, and the other methods (M81 to M86). */
export function PaymentPanel({ order, onPaid }: { order: PayableOrder; onPaid: () => void }) {
  const { t } = useTranslation('payment')
  const state = usePayment(order, onPaid)
  const { firstMethod } = state.offer
  const { hasMethods, stage } = state.payment
  return (
    <section className="payment" aria-labelledby="payment-title">
      <h2 id="payment-title" className="sr-only">
        {t('title')}
      </h2>
      <PaymentDetails {...state} />
      {firstMethod && hasMethods && (
        <div className="payment-act">
          <PayButton {...state} button="first" type={firstMethod} />
          {stage === 'leaving' && <p role="status">{t('leaving')}</p>}
        </div>
      )}
      <OtherMethods {...state} />
    </section>
  )
}
