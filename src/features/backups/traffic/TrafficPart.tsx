import { useId, useState } from 'react'
import type { TrafficRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { explainTraffic } from '#domain/fees/explain.ts'
import { calculateExtraTraffic, getTrafficMonth } from '#domain/fees/traffic.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { useDispatch } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { toTrafficPayable, isUnpaid } from '#features/backups/payables.ts'
import { type FiveRowsColumn, FiveRows } from '#features/backups/FiveRows.tsx'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import { CurrentMonthTraffic } from '#features/backups/traffic/CurrentMonthTraffic.tsx'
import { type BackupCharges } from '#features/backups/backup-hooks.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface TrafficPartProps {
  service: ServiceRow
  charges: BackupCharges
  parts: OrderParts
  onPay: (payable: BackupPayable) => void
}

/** This month, and earlier months with their amounts (M127, M128). */
export function TrafficPart({ service, charges, parts, onPay }: TrafficPartProps) {
  const { t } = useTranslation('backups')
  const titleId = useId()
  const [explainedRow, setExplainedRow] = useState<TrafficRow | null>(null)
  const columns: FiveRowsColumn<TrafficRow>[] = [
    { key: 'month', header: t('traffic.column.month'), render: (row) => getTrafficMonth(row.period_end) },
    { key: 'used', header: t('traffic.column.used'), align: 'end', render: (row) => <UsedTraffic row={row} /> },
    { key: 'free', header: t('traffic.column.free'), align: 'end', render: ({ free }) => groupThousands(free) },
    {
      key: 'extra',
      header: t('traffic.column.extra'),
      align: 'end',
      render: (row) => groupThousands(writeAmount(getExtraTraffic(row))),
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
    { key: 'paid', header: t('traffic.column.paid'), render: (row) => <PaymentStatus row={row} /> },
    {
      key: 'invoice',
      header: t('traffic.column.invoice'),
      render: ({ invoice_no: invoiceNumber }) => (invoiceNumber === null ? t('none') : <code>{invoiceNumber}</code>),
    },
    {
      key: 'acts',
      header: t('traffic.column.acts'),
      align: 'end',
      render: (row) => <TrafficActions row={row} print={parts.print} onPay={onPay} onExplain={setExplainedRow} />,
    },
  ]
  return (
    <section className="card backup-part" aria-labelledby={titleId}>
      <h2 id={titleId}>{t('traffic.title')}</h2>
      {charges.month && <CurrentMonthTraffic traffic={charges.month} />}
      <FiveRows
        caption={t('traffic.caption', { code: service.code })}
        formatCount={(count) => t('traffic.counted', { count, number: formatNumber(count) })}
        columns={columns}
        list={charges.months}
        getRowKey={({ id }) => String(id)}
        notCachedText={t('traffic.notHere')}
        emptyState={
          <EmptyState icon="activity" title={t('traffic.empty')}>
            <p>{t('traffic.emptyText')}</p>
          </EmptyState>
        }
      />
      {explainedRow && (
        <Dialog
          open
          title={t('traffic.whyOf', { month: getTrafficMonth(explainedRow.period_end) })}
          onClose={() => setExplainedRow(null)}
        >
          <parts.FeeExplanation currency={explainedRow.currency} steps={explainRow(explainedRow)} />
        </Dialog>
      )}
    </section>
  )
}

const getExtraTraffic = ({ pdb_traffic: usedGb, free }: TrafficRow) =>
  calculateExtraTraffic(readAmount(usedGb), readAmount(free))

/** Rows of an earlier version have no such field. */
const wasCarriedOver = ({ carried_out: carriedAmount = '0.00' }: Partial<TrafficRow>) => carriedAmount !== '0.00'

const explainRow = (row: TrafficRow) => {
  const { pdb_traffic: usedGb, free, price, carried_from: fromMonth = null, carried_in: amount = '0.00' } = row
  const carriedTraffic = { from: fromMonth, amount: readAmount(amount), isCarriedOn: wasCarriedOver(row) }
  return explainTraffic(readAmount(usedGb), readAmount(free), readAmount(price), carriedTraffic)
}

/** Over the free limit: red, with an icon and a text. */
function UsedTraffic({ row }: { row: TrafficRow }) {
  const { t } = useTranslation('backups')
  const usedGb = groupThousands(row.pdb_traffic)
  if (getExtraTraffic(row) === 0n) return usedGb
  return (
    <span className="backup-over">
      <Icon name="alert" size={16} /> {usedGb}
      <span className="backup-beside">{t('traffic.overLimit')}</span>
    </span>
  )
}

function PaymentStatus({ row }: { row: TrafficRow }) {
  const { t } = useTranslation('backups')
  const today = useBusinessToday()
  if (row.pay_date !== null) return t('traffic.paidOn', { date: row.pay_date })
  if (wasCarriedOver(row)) return t('traffic.carriedOn', { amount: groupThousands(row.carried_out) })
  if (!isUnpaid(row)) return t('traffic.nothing')
  const dueDate = row.due.slice(0, 10)
  const isOverdue = today !== null && dueDate < today
  return (
    <span className={isOverdue ? 'backup-over' : undefined}>
      {t(isOverdue ? 'traffic.overdue' : 'traffic.due', { date: dueDate })}
    </span>
  )
}

interface TrafficActionsProps {
  row: TrafficRow
  print: OrderParts['print']
  onPay: (payable: BackupPayable) => void
  onExplain: (row: TrafficRow) => void
}

function TrafficActions({ row, print, onPay, onExplain }: TrafficActionsProps) {
  const { t } = useTranslation('backups')
  const dispatch = useDispatch()
  const disabledReason = useUnsendableReason(t('needsLine'))
  const payable = toTrafficPayable(row)
  const month = getTrafficMonth(row.period_end)
  return (
    <span className="backup-acts">
      {payable && (
        <Button disabledReason={disabledReason} onClick={() => onPay(payable)}>
          {t('traffic.pay')}
        </Button>
      )}
      <Button kind="plain" isIconOnly icon="info" onClick={() => onExplain(row)}>
        {t('traffic.whyOf', { month })}
      </Button>
      {row.pay_date !== null && (
        <Button
          kind="plain"
          isIconOnly
          icon="print"
          disabledReason={disabledReason}
          onClick={() => void dispatch(print('TRAFFIC', row.id))}
        >
          {t('traffic.print', { month })}
        </Button>
      )}
    </span>
  )
}
