import { useId } from 'react'
import type { BackupOrderRow } from '#contract/backups.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { useDispatch } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { toOrderPayable } from '#features/backups/payables.ts'
import { type FiveRowsColumn, FiveRows } from '#features/backups/FiveRows.tsx'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import type { BackupCharges } from '#features/backups/backup-hooks.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface OrdersTableProps {
  code: string
  orders: BackupCharges['orders']
  print: OrderParts['print']
  onPay: (payable: BackupPayable) => void
}

/** Subscriptions, latest first, with their invoices (M128, M129). */
export function OrdersTable({ code, orders, print, onPay }: OrdersTableProps) {
  const { t } = useTranslation('backups')
  const titleId = useId()
  const columns: FiveRowsColumn<BackupOrderRow>[] = [
    {
      key: 'type',
      header: t('history.column.type'),
      render: ({ pdb_type, create_time }) => (
        <>
          {t(`type.${pdb_type}`)}
          <span className="backup-beside">{create_time}</span>
        </>
      ),
    },
    { key: 'period', header: t('history.column.period'), render: (row) => <OrderPeriod row={row} /> },
    {
      key: 'amount',
      header: t('history.column.amount'),
      align: 'end',
      render: (row) => (
        <>
          <Amount currency={row.currency} amount={row.waived ?? row.pay_amount} />
          {row.waived && <span className="backup-beside">{t('history.waived')}</span>}
        </>
      ),
    },
    { key: 'status', header: t('history.column.status'), render: ({ status }) => <OrderStatus status={status} /> },
    {
      key: 'invoice',
      header: t('history.column.invoice'),
      render: ({ invoice_no: invoiceNumber }) => (invoiceNumber === null ? t('none') : <code>{invoiceNumber}</code>),
    },
    {
      key: 'acts',
      header: t('history.column.acts'),
      align: 'end',
      render: (row) => <OrderActions row={row} print={print} onPay={onPay} />,
    },
  ]
  return (
    <section className="card backup-part" aria-labelledby={titleId}>
      <h2 id={titleId}>{t('history.title')}</h2>
      <FiveRows
        caption={t('history.caption', { code })}
        formatCount={(count) => t('history.counted', { count, number: formatNumber(count) })}
        columns={columns}
        list={orders}
        getRowKey={({ id }) => String(id)}
        notCachedText={t('history.notHere')}
        emptyState={
          <EmptyState icon="history" title={t('history.empty')}>
            <p>{t('history.emptyText')}</p>
          </EmptyState>
        }
      />
    </section>
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

function OrderActions({ row, print, onPay }: { row: BackupOrderRow } & Pick<OrdersTableProps, 'print' | 'onPay'>) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const disabledReason = useUnsendableReason(t('needsLine'))
  const payable = toOrderPayable(row)
  return (
    <span className="backup-acts">
      {payable && (
        <Button disabledReason={disabledReason} onClick={() => onPay(payable)}>
          {t('history.pay')}
        </Button>
      )}
      {row.status === 1 && (
        <Button
          kind="plain"
          isIconOnly
          icon="print"
          disabledReason={disabledReason}
          onClick={() => void dispatch(print('PDBORDER', row.id))}
        >
          {t('history.print', { id: row.id })}
        </Button>
      )}
    </span>
  )
}
