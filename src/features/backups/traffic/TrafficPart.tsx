import { useId, useState } from 'react'
import type { TrafficRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { explainTraffic } from '#domain/fees/explain.ts'
import { extraTraffic, monthOf } from '#domain/fees/traffic.ts'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { useDispatch } from '#state/hooks.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { dueOfTraffic, isUnpaid } from '#features/backups/dues.ts'
import { type Column, FiveRows } from '#features/backups/FiveRows.tsx'
import type { Due, OrderParts } from '#features/backups/order-parts.ts'
import { MonthSoFar } from '#features/backups/traffic/MonthSoFar.tsx'
import { type Charged, useBusinessToday } from '#features/backups/useBackups.ts'
import { useWhyOffline } from '#features/backups/useWhyOffline.ts'

interface Props {
  service: ServiceRow
  charged: Charged
  parts: OrderParts
  onPay: (due: Due) => void
}

/** This month so far, and the months before with what they cost (M127, M128). */
export function TrafficPart({ service, charged, parts, onPay }: Props) {
  const { t } = useTranslation('backups')
  const title = useId()
  const [why, setWhy] = useState<TrafficRow | null>(null)
  const columns: Column<TrafficRow>[] = [
    { key: 'month', header: t('traffic.column.month'), render: (row) => monthOf(row.period_end) },
    { key: 'used', header: t('traffic.column.used'), align: 'end', render: (row) => <Used row={row} /> },
    { key: 'free', header: t('traffic.column.free'), align: 'end', render: ({ free }) => grouped(free) },
    {
      key: 'extra',
      header: t('traffic.column.extra'),
      align: 'end',
      render: (row) => grouped(writeAmount(extraOf(row))),
    },
    {
      key: 'amount',
      header: t('traffic.column.amount'),
      align: 'end',
      render: (row) => (
        <>
          <Amount currency={row.currency} amount={row.amount} />
          {row.carried_from && (
            <span className="backup-beside">{t('traffic.carriedFrom', { month: row.carried_from })}</span>
          )}
        </>
      ),
    },
    { key: 'paid', header: t('traffic.column.paid'), render: (row) => <Payment row={row} /> },
    {
      key: 'invoice',
      header: t('traffic.column.invoice'),
      render: ({ invoice_no: invoice }) => (invoice === null ? t('none') : <code>{invoice}</code>),
    },
    {
      key: 'acts',
      header: t('traffic.column.acts'),
      align: 'end',
      render: (row) => <Acts row={row} print={parts.print} onPay={onPay} onWhy={setWhy} />,
    },
  ]
  return (
    <section className="card backup-part" aria-labelledby={title}>
      <h2 id={title}>{t('traffic.title')}</h2>
      {charged.month && <MonthSoFar month={charged.month} />}
      <FiveRows
        caption={t('traffic.caption', { code: service.code })}
        counted={(count) => t('traffic.counted', { count, number: number(count) })}
        columns={columns}
        list={charged.months}
        rowKey={({ id }) => String(id)}
        notHere={t('traffic.notHere')}
        empty={
          <EmptyState icon="activity" title={t('traffic.empty')}>
            <p>{t('traffic.emptyText')}</p>
          </EmptyState>
        }
      />
      {why && (
        <Dialog open title={t('traffic.whyOf', { month: monthOf(why.period_end) })} onClose={() => setWhy(null)}>
          <parts.Why currency={why.currency} steps={stepsOf(why)} />
        </Dialog>
      )}
    </section>
  )
}

const extraOf = ({ pdb_traffic: used, free }: TrafficRow) => extraTraffic(readAmount(used), readAmount(free))

/** A device may hold rows of a version that carried nothing over. */
const isCarriedOn = ({ carried_out: carried = '0.00' }: Partial<TrafficRow>) => carried !== '0.00'

const stepsOf = (row: TrafficRow) => {
  const { pdb_traffic: used, free, price, carried_from: from = null, carried_in: amount = '0.00' } = row
  const carried = { from, amount: readAmount(amount), isCarriedOn: isCarriedOn(row) }
  return explainTraffic(readAmount(used), readAmount(free), readAmount(price), carried)
}

/** Over the free limit in red, with a sign and in words. */
function Used({ row }: { row: TrafficRow }) {
  const { t } = useTranslation('backups')
  const used = grouped(row.pdb_traffic)
  if (extraOf(row) === 0n) return used
  return (
    <span className="backup-over">
      <Icon name="alert" size={16} /> {used}
      <span className="backup-beside">{t('traffic.overLimit')}</span>
    </span>
  )
}

function Payment({ row }: { row: TrafficRow }) {
  const { t } = useTranslation('backups')
  const today = useBusinessToday()
  if (row.pay_date !== null) return t('traffic.paidOn', { date: row.pay_date })
  if (isCarriedOn(row)) return t('traffic.carriedOn', { amount: grouped(row.carried_out) })
  if (!isUnpaid(row)) return t('traffic.nothing')
  const date = row.due.slice(0, 10)
  const isOver = today !== null && date < today
  return (
    <span className={isOver ? 'backup-over' : undefined}>
      {t(isOver ? 'traffic.overdue' : 'traffic.due', { date })}
    </span>
  )
}

interface ActsProps {
  row: TrafficRow
  print: OrderParts['print']
  onPay: (due: Due) => void
  onWhy: (row: TrafficRow) => void
}

function Acts({ row, print, onPay, onWhy }: ActsProps) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const whyNot = useWhyOffline()
  const due = dueOfTraffic(row)
  const month = monthOf(row.period_end)
  return (
    <span className="backup-acts">
      {due && (
        <Button whyNot={whyNot} onClick={() => onPay(due)}>
          {t('traffic.pay')}
        </Button>
      )}
      <Button kind="plain" bare icon="info" onClick={() => onWhy(row)}>
        {t('traffic.whyOf', { month })}
      </Button>
      {row.pay_date !== null && (
        <Button kind="plain" bare icon="print" whyNot={whyNot} onClick={() => void dispatch(print('TRAFFIC', row.id))}>
          {t('traffic.print', { month })}
        </Button>
      )}
    </span>
  )
}
