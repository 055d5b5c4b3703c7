import '#features/orders/payment-words.ts'
import { useRef } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { useMedia } from '#ui/display/useMedia.ts'
import { useTranslation } from 'react-i18next'
import { OtherMethods } from '#features/orders/payment/OtherMethods.tsx'
import { getMainButton } from '#features/orders/payment/PayButton.tsx'
import { PaymentDetails } from '#features/orders/payment/PaymentDetails.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { useReached } from '#features/orders/payment/useReached.ts'
import { usePayment } from '#features/orders/payment/usePayment.ts'

/** The payment as a part of a page: details, the button of the first method, and the other methods (M81 to M86). */
export function PaymentPanel({ order, onPaid }: { order: PayableOrder; onPaid: () => void }) {
  const { t } = useTranslation('payment')
  const state = usePayment(order, onPaid)
  const { stage } = state.payment
  const mainButton = getMainButton(state)
  const details = useRef<HTMLDivElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const isReached = useReached(details)
  // In small windows the button is a bar that is visible before the card fields are.
  const isAhead = useMedia('(width < 64rem)') && !isReached
  const goToDetails = () => {
    title.current?.focus({ preventScroll: true })
    details.current?.scrollIntoView({ block: 'start' })
  }
  return (
    <section className="payment" aria-labelledby="payment-title">
      <h2 id="payment-title" className="sr-only" ref={title} tabIndex={-1}>
        {t('title')}
      </h2>
      <PaymentDetails {...state} ref={details} />
      {mainButton && (
        <div className="payment-act">
          {isAhead && !state.proforma.record ? (
            <Button kind="primary" onClick={goToDetails}>
              {t('goTo')}
            </Button>
          ) : (
            mainButton
          )}
          {stage === 'leaving' && <p role="status">{t('leaving')}</p>}
        </div>
      )}
      <OtherMethods {...state} />
    </section>
  )
}
