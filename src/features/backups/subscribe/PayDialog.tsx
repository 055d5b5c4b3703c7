import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { dueOfOrder, dueOfTraffic } from '#features/backups/dues.ts'
import type { Due, OrderParts } from '#features/backups/order-parts.ts'

interface Rows<R> {
  rows: readonly R[] | undefined
}

interface Props {
  due: Due
  orders: Rows<BackupOrderRow>
  months: Rows<TrafficRow>
  Payment: OrderParts['Payment']
  onClose: () => void
  onPaid: () => void
}

/** Paying one subscription or one month. What was only just ordered has its row, and with it its last second, a moment later. */
export function PayDialog({ due, orders, months, Payment, onClose, onPaid }: Props) {
  const { t } = useTranslation('backups')
  const order = due.contractType === 'PDBORDER' ? orders.rows?.find(({ id }) => id === due.id) : undefined
  const month = due.contractType === 'TRAFFIC' ? months.rows?.find(({ id }) => id === due.id) : undefined
  const what = month ? t('unpaid.trafficOf', { month: monthOf(month.period_end) }) : t('page.label')
  const known = (order && dueOfOrder(order)) ?? (month && dueOfTraffic(month)) ?? due
  return (
    <Dialog
      open
      title={t('unpaid.title', { what: order ? t(`type.${order.pdb_type}`) : what })}
      onClose={onClose}
      cancel={null}
    >
      <Payment order={known} onPaid={onPaid} />
    </Dialog>
  )
}
