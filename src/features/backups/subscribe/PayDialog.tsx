import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { toOrderPayable, toTrafficPayable } from '#features/backups/payables.ts'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'

interface RowsHolder<R> {
  rows: readonly R[] | undefined
}

interface PayDialogProps {
  payable: BackupPayable
  orders: RowsHolder<BackupOrderRow>
  months: RowsHolder<TrafficRow>
  Payment: OrderParts['Payment']
  onClose: () => void
  onPaid: () => void
}

/** Paying one subscription or one month. What was only just ordered has its row, and with it its last second, a moment later. */
export function PayDialog({ payable, orders, months, Payment, onClose, onPaid }: PayDialogProps) {
  const { t } = useTranslation('backups')
  const order = payable.contractType === 'PDBORDER' ? orders.rows?.find(({ id }) => id === payable.id) : undefined
  const month = payable.contractType === 'TRAFFIC' ? months.rows?.find(({ id }) => id === payable.id) : undefined
  const subject = month ? t('unpaid.trafficOf', { month: getTrafficMonth(month.period_end) }) : t('page.label')
  const currentPayable = (order && toOrderPayable(order)) ?? (month && toTrafficPayable(month)) ?? payable
  return (
    <Dialog
      open
      title={t('unpaid.title', { subject: order ? t(`type.${order.pdb_type}`) : subject })}
      onClose={onClose}
      cancel={null}
    >
      <Payment order={currentPayable} onPaid={onPaid} />
    </Dialog>
  )
}
