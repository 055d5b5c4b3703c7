import type { ReactNode } from 'react'
import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { BrokenBackups } from '#features/backups/BrokenBackups.tsx'
import { toOrderPayable, toTrafficPayable, isUnpaid } from '#features/backups/payables.ts'
import { Notice } from '#ui/display/Notice.tsx'
import type { BackupPayable } from '#features/backups/order-parts.ts'
import { type BackupCharges, type BackupPlan } from '#features/backups/backup-hooks.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface NoticesProps {
  service: ServiceRow
  charges: BackupCharges
  plan: BackupPlan | null
  onPay: (payable: BackupPayable) => void
}

export function Notices({ service, charges, plan, onPay }: NoticesProps) {
  const unpaidOrders = charges.orders.rows?.filter(({ status }) => status === 0) ?? []
  const unpaidMonths = charges.months.rows?.filter(isUnpaid) ?? []
  return (
    <>
      <BrokenBackups service={service} plan={plan} />
      {unpaidOrders.map((row) => (
        <UnpaidOrder key={row.id} row={row} onPay={onPay} />
      ))}
      {unpaidMonths.map((row) => (
        <UnpaidTraffic key={row.id} row={row} onPay={onPay} />
      ))}
    </>
  )
}

function UnpaidOrder({ row, onPay }: { row: BackupOrderRow; onPay: (payable: BackupPayable) => void }) {
  const { t } = useTranslation('backups')
  return (
    <UnpaidNotice
      payable={toOrderPayable(row)}
      onPay={onPay}
      title={t('unpaid.order', { type: t(`type.${row.pdb_type}`) })}
    >
      {t('unpaid.due', { due: row.due })}
    </UnpaidNotice>
  )
}

function UnpaidTraffic({ row, onPay }: { row: TrafficRow; onPay: (payable: BackupPayable) => void }) {
  const { t } = useTranslation('backups')
  const today = useBusinessToday()
  const isOverdue = today !== null && row.due.slice(0, 10) < today
  const month = getTrafficMonth(row.period_end)
  return (
    <UnpaidNotice
      payable={toTrafficPayable(row)}
      onPay={onPay}
      title={t(isOverdue ? 'unpaid.overdue' : 'unpaid.traffic', { month })}
      isOverdue={isOverdue}
    >
      {t(isOverdue ? 'unpaid.overdueDue' : 'unpaid.trafficDue', { due: row.due })}
    </UnpaidNotice>
  )
}

interface UnpaidNoticeProps {
  payable: BackupPayable | null
  onPay: (payable: BackupPayable) => void
  title: string
  isOverdue?: boolean
  children: ReactNode
}

function UnpaidNotice({ payable, onPay, title, isOverdue = false, children }: UnpaidNoticeProps) {
  const { t } = useTranslation('backups')
  const disabledReason = useUnsendableReason(t('needsLine'))
  if (!payable) return null
  const payButton = (
    <Button kind="primary" disabledReason={disabledReason} onClick={() => onPay(payable)}>
      {t('unpaid.pay')}
    </Button>
  )
  return (
    <Notice
      look="backup-note"
      tone={isOverdue ? 'danger' : 'warning'}
      icon={isOverdue ? 'alert' : 'waiting'}
      actions={payButton}
    >
      <p>
        <strong>{title}</strong> <Amount currency={payable.currency} amount={payable.pay_amount} />
      </p>
      <p>{children}</p>
    </Notice>
  )
}
