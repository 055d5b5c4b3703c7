import '#features/orders/payment-words.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { OtherMethods } from '#features/orders/payment/OtherMethods.tsx'
import { getMainButton } from '#features/orders/payment/PayButton.tsx'
import { PaymentDetails } from '#features/orders/payment/PaymentDetails.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { usePayment } from '#features/orders/payment/usePayment.ts'

export interface PaymentDialogProps {
  title: string
  order: PayableOrder
  onClose: () => void
  onPaid: () => void
}

/** The payment as a dialog over any page. Its footer has the button of the first method, so that a payment takes two clicks. */
export function PaymentDialog({ title, order, onClose, onPaid }: PaymentDialogProps) {
  const { t } = useTranslation('payment')
  const { t: tUi } = useTranslation('ui')
  const state = usePayment(order, onPaid)
  const { canPay, stage } = state.payment
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      // A payment that is being sent can no longer be cancelled.
      cancel={canPay && !state.proforma.record ? undefined : tUi('form.close')}
      action={getMainButton(state)}
    >
      <div className="payment">
        <PaymentDetails {...state} />
        <OtherMethods {...state} />
        {stage === 'leaving' && <p role="status">{t('leaving')}</p>}
      </div>
    </Dialog>
  )
}
