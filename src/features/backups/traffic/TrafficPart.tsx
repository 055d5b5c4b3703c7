import { useState } from 'react'
import type { TrafficRow } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { explainTraffic } from '#domain/fees/explain.ts'
import { calculateExtraTraffic, getTrafficMonth } from '#domain/fees/traffic.ts'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { TitledCard } from '#ui/page/TitledCard.tsx'
import { PaymentActions } from '#features/backups/PaymentActions.tsx'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { toTrafficPayable, isUnpaid } from '#features/backups/payables.ts'
import { type FiveRowsColumn, FiveRows } from '#features/backups/FiveRows.tsx'
import type { BackupPayable, OrderParts } from '#features/backups/order-parts.ts'
import { CurrentMonthTraffic } from '#features/backups/traffic/CurrentMonthTraffic.tsx'
import { type BackupCharges } from '#features/backups/backup-hooks.ts'

interface TrafficPartProps {
  service: ServiceRow
  charges: BackupCharges
  parts: OrderParts
  onPay: (payable: BackupPayable) => void
}

/** Shows the traffic of this month, and earlier months with their amounts (M127, M128). */
export function TrafficPart({ service, charges, parts, onPay }: TrafficPartProps) {
  const { t } = useTranslation('backups')
  const [explainedRow, setExplainedRow] = useState<TrafficRow | null>(null)
  const columns: FiveRowsColumn<TrafficRow>[] = [
    {
      key: 'month',
      exportText: (row) => getTrafficMonth(row.period_end),
      render: (row) => getTrafficMonth(row.period_end),
    },
    { key: 'used', align: 'end', exportText: (row) => row.pdb_traffic, render: (row) => <UsedTraffic row={row} /> },
    { key: 'free', align: 'end', exportText: ({ free }) => free, render: ({ free }) => groupThousands(free) },
    {
      key: 'extra',
      align: 'end',
      exportText: (row) => writeAmount(getExtraTraffic(row)),
      render: (row) => groupThousands(writeAmount(getExtraTraffic(row))),
    },
    {
      key: 'amount',
      align: 'end',
      exportText: ({ currency, amount }) => formatAmount(currency, amount),
      render: (row) => (
        <>
          <Amount currency={row.currency} amount={row.amount} />
          {row.carried_from && (
            <span className="backup-beside">{t('traffic.carriedFrom', { month: row.carried_from })}</span>
          )}
        </>
      ),
    },
    { key: 'paid', exportText: (row) => row.pay_date ?? '', render: (row) => <PaymentStatus row={row} /> },
    {
      key: 'invoice',
      exportText: (row) => row.invoice_no ?? '',
      render: ({ invoice_no: invoiceNumber }) => (invoiceNumber === null ? t('none') : <code>{invoiceNumber}</code>),
    },
    {
      key: 'acts',
      align: 'end',
      render: (row) => {
        const month = getTrafficMonth(row.period_end)
        return (
          <PaymentActions
            payable={toTrafficPayable(row)}
            payLabel={t('traffic.pay')}
            onPay={onPay}
            printLabel={t('traffic.print', { month })}
            onPrint={row.pay_date === null ? null : () => parts.print('TRAFFIC', row.id)}
          >
            <Button kind="plain" isIconOnly icon="info" aria-haspopup="dialog" onClick={() => setExplainedRow(row)}>
              {t('traffic.whyOf', { month })}
            </Button>
          </PaymentActions>
        )
      },
    },
  ]
  return (
    <TitledCard title={t('traffic.title')} className="backup-part">
      {charges.month && <CurrentMonthTraffic traffic={charges.month} />}
      <FiveRows name="traffic" service={service} columns={columns} list={charges.months} emptyIcon="pulse" />
      {explainedRow && (
        <Dialog
          open
          title={t('traffic.whyOf', { month: getTrafficMonth(explainedRow.period_end) })}
          onClose={() => setExplainedRow(null)}
        >
          <parts.FeeExplanation currency={explainedRow.currency} steps={explainRow(explainedRow)} />
        </Dialog>
      )}
    </TitledCard>
  )
}

const getExtraTraffic = ({ pdb_traffic: usedGb, free }: TrafficRow) =>
  calculateExtraTraffic(readAmount(usedGb), readAmount(free))

/**
 * Returns whether the amount was too small to be paid and was moved to a later month. Rows stored by an earlier version lack `carried_out`.
 */
const wasCarriedOver = ({ carried_out: carriedAmount = '0.00' }: Partial<TrafficRow>) => carriedAmount !== '0.00'

const explainRow = (row: TrafficRow) => {
  const { pdb_traffic: usedGb, free, price, carried_from: fromMonth = null, carried_in: amount = '0.00' } = row
  const carriedTraffic = { from: fromMonth, amount: readAmount(amount), isCarriedOn: wasCarriedOver(row) }
  return explainTraffic(readAmount(usedGb), readAmount(free), readAmount(price), carriedTraffic)
}

/** Shows the used traffic. Above the free limit it is red, with an icon and a text. */
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
