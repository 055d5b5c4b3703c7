import { useId } from 'react'
import type { BackupOrderRow } from '#contract/backups.ts'
import { lastDay } from '#domain/period.ts'
import { useDispatch } from '#state/hooks.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { dueOfOrder } from '#features/backups/dues.ts'
import { type Column, FiveRows } from '#features/backups/FiveRows.tsx'
import type { Due, OrderParts } from '#features/backups/order-parts.ts'
import type { Charged } from '#features/backups/useBackups.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  code: string
  orders: Charged['orders']
  print: OrderParts['print']
  onPay: (due: Due) => void
}

/** What was subscribed, newest first, with its invoice (M128, M129). */
export function OrdersTable({ code, orders, print, onPay }: Props) {
  const { t } = useTranslation('backups')
  const title = useId()
  const columns: Column<BackupOrderRow>[] = [
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
    { key: 'period', header: t('history.column.period'), render: (row) => <Period row={row} /> },
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
    { key: 'status', header: t('history.column.status'), render: ({ status }) => <Status status={status} /> },
    {
      key: 'invoice',
      header: t('history.column.invoice'),
      render: ({ invoice_no: invoice }) => (invoice === null ? t('none') : <code>{invoice}</code>),
    },
    {
      key: 'acts',
      header: t('history.column.acts'),
      align: 'end',
      render: (row) => <Acts row={row} print={print} onPay={onPay} />,
    },
  ]
  return (
    <section className="card backup-part" aria-labelledby={title}>
      <h2 id={title}>{t('history.title')}</h2>
      <FiveRows
        caption={t('history.caption', { code })}
        counted={(count) => t('history.counted', { count, number: number(count) })}
        columns={columns}
        list={orders}
        rowKey={({ id }) => String(id)}
        notHere={t('history.notHere')}
        empty={
          <EmptyState icon="history" title={t('history.empty')}>
            <p>{t('history.emptyText')}</p>
          </EmptyState>
        }
      />
    </section>
  )
}

function Period({ row: { period, period_type: unit, period_start: from, period_end: end } }: { row: BackupOrderRow }) {
  const { t } = useTranslation('backups')
  return (
    <>
      {t(`history.${unit}`, { count: period })}
      <span className="backup-beside">{t('history.fromTo', { from, last: lastDay(end) })}</span>
    </>
  )
}

const tones: Record<string, Tone> = { '-1': 'neutral', '0': 'warning', '1': 'positive' }

function Status({ status }: Pick<BackupOrderRow, 'status'>) {
  const { t } = useTranslation('backups')
  return <Tag tone={tones[status] ?? 'neutral'}>{t(`history.status.${status}`)}</Tag>
}

function Acts({ row, print, onPay }: { row: BackupOrderRow } & Pick<Props, 'print' | 'onPay'>) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const whyNot = useWhyOffline()
  const due = dueOfOrder(row)
  return (
    <span className="backup-acts">
      {due && (
        <Button whyNot={whyNot} onClick={() => onPay(due)}>
          {t('history.pay')}
        </Button>
      )}
      {row.status === 1 && (
        <Button kind="plain" bare icon="print" whyNot={whyNot} onClick={() => void dispatch(print('PDBORDER', row.id))}>
          {t('history.print', { id: row.id })}
        </Button>
      )}
    </span>
  )
}
