import type { BackupOrderRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import { PaymentActions } from '#features/backups/PaymentActions.tsx'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { useTranslation } from 'react-i18next'
import { toOrderPayable } from '#features/backups/payables.ts'
import { type FiveRowsColumn, FiveRows } from '#features/backups/FiveRows.tsx'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import type { BackupCharges } from '#features/backups/backup-hooks.ts'

interface OrdersTableProps {
  service: ServiceRow
  orders: BackupCharges['orders']
  print: OrderParts['print']
  onPay: (payable: BackupPayable) => void
}

/** Table of subscriptions, latest first, with their invoices (M128, M129). */
export function OrdersTable({ service, orders, print, onPay }: OrdersTableProps) {
  const { t } = useTranslation('backups')
  const columns: FiveRowsColumn<BackupOrderRow>[] = [
    {
      key: 'type',
      exportText: ({ pdb_type, create_time }) => `${t(`type.${pdb_type}`)} ${create_time}`,
      render: ({ pdb_type, create_time }) => (
        <>
          {t(`type.${pdb_type}`)}
          <BusinessTime className="backup-beside" time={create_time} />
        </>
      ),
    },
    {
      key: 'period',
      exportText: ({ period_start, period_end }) =>
        t('history.fromTo', { from: period_start, last: getLastDay(period_end) }),
      render: (row) => <OrderPeriod row={row} />,
    },
    {
      key: 'amount',
      align: 'end',
      exportText: ({ currency, waived, pay_amount }) => formatAmount(currency, waived ?? pay_amount),
      render: (row) => (
        <>
          <Amount currency={row.currency} amount={row.waived ?? row.pay_amount} />
          {row.waived && <span className="backup-beside">{t('history.waived')}</span>}
        </>
      ),
    },
    {
      key: 'status',
      exportText: ({ status }) => t(`history.status.${status}`),
      render: ({ status }) => <OrderStatus status={status} />,
    },
    {
      key: 'invoice',
      exportText: (row) => row.invoice_no ?? '',
      render: ({ invoice_no: invoiceNumber }) => (invoiceNumber === null ? t('none') : <code>{invoiceNumber}</code>),
    },
    {
      key: 'acts',
      align: 'end',
      render: (row) => (
        <PaymentActions
          payable={toOrderPayable(row)}
          payLabel={t('history.pay')}
          onPay={onPay}
          printLabel={t('history.print', { id: row.id })}
          onPrint={row.status === 1 ? () => print('PDBORDER', row.id) : null}
        />
      ),
    },
  ]
  return (
    <TitledCard title={t('history.title')} className="backup-part">
      <FiveRows name="history" service={service} columns={columns} list={orders} emptyIcon="history" />
    </TitledCard>
  )
}

function OrderPeriod({
  row: { period, period_type: periodUnit, period_start: startDate, period_end: endDate },
}: {
  row: BackupOrderRow
}) {
  const { t } = useTranslation('backups')
  return (
    <>
      {t(`history.${periodUnit}`, { count: period })}
      <span className="backup-beside">{t('history.fromTo', { from: startDate, last: getLastDay(endDate) })}</span>
    </>
  )
}

const tones: Record<string, TagTone> = { '-1': 'neutral', '0': 'warning', '1': 'positive' }

function OrderStatus({ status }: Pick<BackupOrderRow, 'status'>) {
  const { t } = useTranslation('backups')
  return <Tag tone={tones[status] ?? 'neutral'}>{t(`history.status.${status}`)}</Tag>
}
