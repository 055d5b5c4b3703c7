import type { OrderRow } from '#contract/orders.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { PaymentPanel } from '#features/orders/payment/PaymentPanel.tsx'

interface Props {
  row: OrderRow
  order: PayableOrder
  onClose: () => void
  onPaid: () => void
}

export function PayDialog({ row, order, onClose, onPaid }: Props) {
  const { t } = useTranslation('contract')
  return (
    <Dialog open title={t('pay.title', { code: row.code })} onClose={onClose}>
      <PaymentPanel order={order} onPaid={onPaid} />
    </Dialog>
  )
}
