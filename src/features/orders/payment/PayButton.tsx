import { groupThousands } from '#domain/money.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { ProformaButtons } from '#features/orders/bank-transfer/ProformaDetails.tsx'
import { TransferButton } from '#features/orders/bank-transfer/TransferButton.tsx'
import type { PaymentMethod } from '#features/orders/payment/payment-api.ts'
import type { PaymentState } from '#features/orders/payment/usePayment.ts'
import type { PayButtonName } from '#features/orders/payment/useSendPayment.ts'

interface PayButtonProps extends PaymentState {
  button: PayButtonName
  type: PaymentMethod
}

/** Pays the amount that is in its label, which is what credit does not pay. If the method needs a page of its provider, it opens that page. */
export function PayButton({ offer, card, poNumber, payment, button, type }: PayButtonProps) {
  const { t } = useTranslation('payment')
  const isFirst = button === 'first'
  return (
    <Button
      kind={isFirst ? 'primary' : 'quiet'}
      isBusy={(isFirst && card.isOpening) || (!payment.canPay && payment.pressedButton === button)}
      disabledReason={
        offer.getAmountReason(type) ?? offer.offlineReason ?? poNumber.error ?? (payment.canPay ? null : t('sending'))
      }
      onClick={() => void payment.send(button, type)}
    >
      {t(`pay.${isFirst ? type : button}`, {
        amount: `${offer.currency} ${groupThousands(type === 'credit' ? offer.total : offer.getParts(type).left)}`,
      })}
    </Button>
  )
}

/** Returns the button of the first method, or those of the pro-forma invoice that is displayed. Null while neither is possible. */
export function getMainButton(state: PaymentState) {
  const { offer, payment, proforma } = state
  if (!payment.hasMethods) return null
  if (proforma.record) return <ProformaButtons proforma={proforma.record} />
  if (offer.firstMethod) return <PayButton {...state} button="first" type={offer.firstMethod} />
  if (!offer.canTransfer) return null
  const { left: amount } = offer.getParts('credit')
  return (
    <TransferButton {...{ proforma, amount }} currency={offer.currency} disabledReason={offer.offlineReason} isMain />
  )
}
