import type { ReactNode } from 'react'
import type { BackupOrderRow, TrafficRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { monthOf } from '#domain/fees/traffic.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { Broken } from '#features/backups/Broken.tsx'
import { dueOfOrder, dueOfTraffic, isUnpaid } from '#features/backups/dues.ts'
import { Notice } from '#features/backups/Notice.tsx'
import type { Due } from '#features/backups/order-parts.ts'
import { type Charged, type Plan, useBusinessToday } from '#features/backups/useBackups.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  service: ServiceRow
  charged: Charged
  plan: Plan | null
  onPay: (due: Due) => void
}

/** What waits to be paid, and until when, and what does not work. */
export function Notices({ service, charged, plan, onPay }: Props) {
  const unpaid = charged.orders.rows?.filter(({ status }) => status === 0) ?? []
  const months = charged.months.rows?.filter(isUnpaid) ?? []
  return (
    <>
      <Broken service={service} plan={plan} />
      {unpaid.map((row) => (
        <UnpaidOrder key={row.id} row={row} onPay={onPay} />
      ))}
      {months.map((row) => (
        <UnpaidTraffic key={row.id} row={row} onPay={onPay} />
      ))}
    </>
  )
}

function UnpaidOrder({ row, onPay }: { row: BackupOrderRow; onPay: (due: Due) => void }) {
  const { t } = useTranslation('backups')
  return (
    <Unpaid due={dueOfOrder(row)} onPay={onPay} title={t('unpaid.order', { type: t(`type.${row.pdb_type}`) })}>
      {t('unpaid.due', { due: row.due })}
    </Unpaid>
  )
}

function UnpaidTraffic({ row, onPay }: { row: TrafficRow; onPay: (due: Due) => void }) {
  const { t } = useTranslation('backups')
  const today = useBusinessToday()
  const isOver = today !== null && row.due.slice(0, 10) < today
  const month = monthOf(row.period_end)
  return (
    <Unpaid
      due={dueOfTraffic(row)}
      onPay={onPay}
      title={t(isOver ? 'unpaid.overdue' : 'unpaid.traffic', { month })}
      isOver={isOver}
    >
      {t(isOver ? 'unpaid.overdueDue' : 'unpaid.trafficDue', { due: row.due })}
    </Unpaid>
  )
}

interface UnpaidProps {
  due: Due | null
  onPay: (due: Due) => void
  title: string
  isOver?: boolean
  children: ReactNode
}

function Unpaid({ due, onPay, title, isOver = false, children }: UnpaidProps) {
  const { t } = useTranslation('backups')
  const whyNot = useWhyOffline()
  if (!due) return null
  const pay = (
    <Button kind="primary" whyNot={whyNot} onClick={() => onPay(due)}>
      {t('unpaid.pay')}
    </Button>
  )
  return (
    <Notice tone={isOver ? 'danger' : 'warning'} icon={isOver ? 'alert' : 'waiting'} acts={pay}>
      <p>
        <strong>{title}</strong> <Amount currency={due.currency} amount={due.pay_amount} />
      </p>
      <p>{children}</p>
    </Notice>
  )
}
