import { groupThousands } from '#domain/money.ts'
import type { PaymentType } from '#domain/payments.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { PaymentState } from '#features/orders/payment/usePayment.ts'
import type { PayButtonName } from '#features/orders/payment/useSendPayment.ts'

interface PayButtonProps extends PaymentState {
  button: PayButtonName
  type: PaymentType
}

/** Pays the amount that is in its label. If the method needs a page of its provider, it opens that page. */
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
      {t(`pay.${isFirst ? type : button}`, { amount: `${offer.currency} ${groupThousands(offer.amount)}` })}
    </Button>
  )
}
