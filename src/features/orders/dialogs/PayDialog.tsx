import '#features/orders/payment-words.ts'
import type { OrderRow } from '#contract/orders.ts'
import { useTranslation } from 'react-i18next'
import { PaymentDialog, type PaymentDialogProps } from '#features/orders/payment/PaymentDialog.tsx'

interface Props extends Omit<PaymentDialogProps, 'title'> {
  row: Pick<OrderRow, 'code'>
}

export function PayDialog({ row, ...props }: Props) {
  const { t } = useTranslation('payment')
  return <PaymentDialog {...props} title={t('payFor', { code: row.code })} />
}
