import '#features/orders/payment-words.ts'
import type { OrderRow } from '#contract/orders.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { PaymentDialog, type PaymentDialogProps } from '#features/orders/payment/PaymentDialog.tsx'

interface Props extends Omit<PaymentDialogProps, 'title'> {
  row: Pick<OrderRow, 'code'>
}

export function PayDialog({ row, ...props }: Props) {
  const { t } = useTranslation('payment')
  const count = props.order.items?.length ?? 1
  const title = count === 1 ? t('payFor', { code: row.code }) : t('payForItems', { count, number: formatNumber(count) })
  return <PaymentDialog {...props} title={title} />
}
