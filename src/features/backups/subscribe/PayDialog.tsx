import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { useTranslation } from 'react-i18next'
import type { BackupCharges } from '#features/backups/backup-hooks.ts'
import { findPayableRow, toOrderPayable, toTrafficPayable } from '#features/backups/payables.ts'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'

interface PayDialogProps {
  payable: BackupPayable
  charges: BackupCharges
  PaymentDialog: OrderParts['PaymentDialog']
  onClose: () => void
  onPaid: () => void
}

/** Pays one subscription or one month of traffic. The due time is shown when its row is on the device. */
export function PayDialog({ payable, charges, PaymentDialog, onClose, onPaid }: PayDialogProps) {
  const { t } = useTranslation('backups')
  const { order, month } = findPayableRow(charges, payable)
  const trafficText = month && t('unpaid.trafficOf', { month: getTrafficMonth(month.period_end) })
  const subject = order ? t(`type.${order.pdb_type}`) : (trafficText ?? t('page.label'))
  const currentPayable = (order && toOrderPayable(order)) ?? (month && toTrafficPayable(month)) ?? payable
  return (
    <PaymentDialog title={t('unpaid.title', { subject })} order={currentPayable} onClose={onClose} onPaid={onPaid} />
  )
}
