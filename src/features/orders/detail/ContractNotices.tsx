import { Link } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { getSetUpNotice } from '#domain/contracts.ts'
import { toPlainDate, type PlainDate } from '#domain/time.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Notice } from '#ui/display/Notice.tsx'
import { useTranslation } from 'react-i18next'
import { getDues, type ListedDue, findPayableOrder, toPayableOrder } from '#features/orders/payment/payable.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import type { ContractDialog } from '#features/orders/dialogs/Dialogs.tsx'

interface Props {
  row: OrderRow
  /** Null if the business time zone is not known yet. */
  timeZone: string | null
  /** Server time of the row in epoch ms. Today is computed from this time, not from the device's clock. */
  asOf: number | null
  /** The set-up notice (contracts 4) and the dues of backups are hidden while the form is open. */
  isEditing: boolean
  onOpen: (dialog: ContractDialog) => void
}

/** Shows notices above the contract: the unpaid amounts with their due dates, and the set-up state (contracts 4). */
export function ContractNotices({ row, timeZone, asOf, isEditing, onOpen }: Props) {
  const today = timeZone !== null && asOf !== null ? toPlainDate(timeZone, asOf) : null
  return (
    <>
      {!isEditing && today !== null && <SetUpNotice {...{ row, today }} />}
      {row.state === 'unpaid' && <UnpaidNotice row={row} />}
      {row.pending && <PendingOrder row={row} pending={row.pending} onOpen={onOpen} />}
      {!isEditing &&
        findBackupDues(row).map((due) => (
          <BackupDue key={`${due.contractType} ${due.id}`} {...{ row, due, today, onOpen }} />
        ))}
      <EndNotice row={row} />
    </>
  )
}

const findBackupDues = (row: OrderRow) =>
  row.state === 'overwritten' ? [] : getDues(row).filter(({ contractType }) => contractType !== 'CONTRACT')

function SetUpNotice({ row, today }: { row: OrderRow; today: PlainDate }) {
  const { t } = useTranslation('contract')
  const setUpState = getSetUpNotice(row, today)
  if (!setUpState) return null
  return (
    <Notice
      look="order-note"
      tone={setUpState === 'soon' ? 'positive' : 'danger'}
      icon={setUpState === 'soon' ? 'check' : 'alert'}
    >
      <p>{t(`setUp.${setUpState}`, { date: row.period_start })}</p>
    </Notice>
  )
}

function UnpaidNotice({ row }: { row: OrderRow }) {
  const { t } = useTranslation('contract')
  const formatDue = useDueFormatter()
  const dueSubject = findPayableOrder(row)?.dueSubject
  const due = row.due ?? ''
  return (
    <Notice look="order-note" tone="warning" icon="waiting">
      {row.type === 'create' ? (
        <p>{t('unpaid', { due })}</p>
      ) : (
        <p>
          {dueSubject && <strong>{t('pending.unpaid', { matter: formatDue(dueSubject) })}</strong>}{' '}
          {t('pending.due', { due })} <CurrentContractLink row={row} />
        </p>
      )}
    </Notice>
  )
}

function EndNotice({ row }: { row: OrderRow }) {
  const { t } = useTranslation('contract')
  if (row.state === 'expired')
    return (
      <Notice look="order-note" tone="warning" icon="info">
        <p>{t('expired', { date: row.expired_date })}</p>
      </Notice>
    )
  if (row.state !== 'overwritten') return null
  return (
    <Notice look="order-note" tone="neutral" icon="info">
      <p>
        {t('replaced')} <CurrentContractLink row={row} />
      </p>
    </Notice>
  )
}

function CurrentContractLink({ row }: { row: OrderRow }) {
  const { t } = useTranslation('contract')
  return <Link to={`/app/contract?searchText=${row.code}`}>{t('toCurrent')}</Link>
}

/** Shows an unpaid change or extension, with buttons to pay and to delete it (D35). */
function PendingOrder({
  row,
  pending,
  onOpen,
}: Pick<Props, 'row' | 'onOpen'> & { pending: NonNullable<OrderRow['pending']> }) {
  const { t } = useTranslation('contract')
  const offlineReason = useOfflineReason(t('needsLine'))
  const formatDue = useDueFormatter()
  const { amount, due } = pending
  const payableOrder = findPayableOrder(row)
  const dueSubject = payableOrder?.dueSubject
  return (
    <Notice
      look="order-note"
      tone="warning"
      icon="waiting"
      actions={
        <>
          {payableOrder && (
            <Button
              disabledReason={offlineReason}
              aria-haspopup="dialog"
              onClick={() => onOpen({ kind: 'pay', order: payableOrder })}
            >
              {t('pending.pay')}
            </Button>
          )}
          <Button
            kind="plain"
            disabledReason={offlineReason}
            aria-haspopup="dialog"
            onClick={() => onOpen({ kind: 'remove', target: 'pending' })}
          >
            {t('act.removePending')}
          </Button>
        </>
      }
    >
      <p>
        <strong>{t('pending.unpaid', { matter: formatDue(dueSubject ?? pending) })}</strong>{' '}
        <Amount currency={row.currency} amount={amount} />
      </p>
      <p>{t('pending.due', { due })}</p>
    </Notice>
  )
}

interface BackupDueProps extends Pick<Props, 'row' | 'onOpen'> {
  due: ListedDue
  today: PlainDate | null
}

function BackupDue({ row, due, today, onOpen }: BackupDueProps) {
  const { t } = useTranslation('contract')
  const formatDue = useDueFormatter()
  const offlineReason = useOfflineReason(t('needsLine'))
  // Traffic can still be paid after its due date. Backups are suspended until it is paid.
  const isOverdue = today !== null && due.due.slice(0, 10) < today
  return (
    <Notice
      look="order-note"
      tone={isOverdue ? 'danger' : 'warning'}
      icon={isOverdue ? 'alert' : 'waiting'}
      actions={
        <Button
          disabledReason={offlineReason}
          aria-haspopup="dialog"
          onClick={() => onOpen({ kind: 'pay', order: toPayableOrder(due, row) })}
        >
          {t('pending.pay')}
        </Button>
      }
    >
      <p>
        <strong>{t('pending.unpaid', { matter: formatDue(due) })}</strong>{' '}
        <Amount currency={due.currency} amount={due.amount} />
      </p>
      <p>
        {t(isOverdue ? 'pending.overdue' : 'pending.dueBy', { due: due.due })}{' '}
        <Link to="?tab=subscribe">{t('pending.toBackups')}</Link>
      </p>
    </Notice>
  )
}
