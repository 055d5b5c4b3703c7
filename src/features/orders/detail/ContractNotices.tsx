import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { getSetUpNotice } from '#domain/contracts.ts'
import { toPlainDate, type PlainDate } from '#domain/time.ts'
import { useConnection } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { getDues, type ListedDue, findPayableOrder, toPayableOrder } from '#features/orders/payment/payable.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import type { ContractDialog } from '#features/orders/dialogs/Dialogs.tsx'

interface Props {
  row: OrderRow
  /** The business time zone; null: not known yet. */
  timeZone: string | null
  /** When the server said so, epoch ms: its today, whatever this device thinks. */
  asOf: number | null
  /** How far the set-up is, is not said meanwhile (contracts 4). */
  isEditing: boolean
  onOpen: (dialog: ContractDialog) => void
}

/** What one must know before anything is done: what is to be paid, and by when, and how far its set-up is (contracts 4). */
export function ContractNotices({ row, timeZone, asOf, isEditing, onOpen }: Props) {
  const { t } = useTranslation('contract')
  const today = timeZone === null || asOf === null ? null : toPlainDate(timeZone, asOf)
  const setUpState = isEditing || today === null ? null : getSetUpNotice(row, today)
  const currentContractPath = `/app/contract?searchText=${row.code}`
  const formatDue = useDueFormatter()
  const ownMatter = findPayableOrder(row)?.dueSubject
  return (
    <>
      {setUpState && (
        <Notice tone={setUpState === 'soon' ? 'positive' : 'danger'} icon={setUpState === 'soon' ? 'check' : 'alert'}>
          <p>{t(`setUp.${setUpState}`, { date: row.period_start })}</p>
        </Notice>
      )}
      {row.state === 'unpaid' && (
        <Notice tone="warning" icon="waiting">
          <p>
            {row.type !== 'create' && ownMatter && (
              <strong>{t('pending.unpaid', { matter: formatDue(ownMatter) })}</strong>
            )}{' '}
            {t(row.type === 'create' ? 'unpaid' : 'pending.due', { due: row.due ?? '' })}{' '}
            {row.type !== 'create' && <Link to={currentContractPath}>{t('toCurrent')}</Link>}
          </p>
        </Notice>
      )}
      {row.pending && <PendingOrder row={row} pending={row.pending} onOpen={onOpen} />}
      {row.state !== 'overwritten' &&
        getDues(row).map(
          (due) =>
            due.contractType !== 'CONTRACT' && (
              <BackupDue key={`${due.contractType} ${due.id}`} {...{ due, today, onOpen }} />
            ),
        )}
      {row.state === 'expired' && (
        <Notice tone="warning" icon="info">
          <p>{t('expired', { date: row.expired_date })}</p>
        </Notice>
      )}
      {row.state === 'overwritten' && (
        <Notice tone="neutral" icon="info">
          <p>
            {t('replaced')} <Link to={currentContractPath}>{t('toCurrent')}</Link>
          </p>
        </Notice>
      )}
    </>
  )
}

/** A change or an extension that was ordered and waits: deleted here, and paid at the top of the page (D35). */
function PendingOrder({
  row,
  pending,
  onOpen,
}: Pick<Props, 'row' | 'onOpen'> & { pending: NonNullable<OrderRow['pending']> }) {
  const { t } = useTranslation('contract')
  const { networkState: connection } = useConnection()
  const offlineReason = connection === 'online' ? null : t('needsLine')
  const formatDue = useDueFormatter()
  const { amount, due } = pending
  const dueSubject = findPayableOrder(row)?.dueSubject
  return (
    <Notice
      tone="warning"
      icon="waiting"
      action={
        <Button disabledReason={offlineReason} onClick={() => onOpen({ kind: 'remove', target: 'pending' })}>
          {t('act.removePending')}
        </Button>
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

interface BackupDueProps extends Pick<Props, 'onOpen'> {
  due: ListedDue
  today: PlainDate | null
}

function BackupDue({ due, today, onOpen }: BackupDueProps) {
  const { t } = useTranslation('contract')
  const { networkState: connection } = useConnection()
  const formatDue = useDueFormatter()
  const offlineReason = connection === 'online' ? null : t('needsLine')
  // Traffic can be paid later too, and suspends backups until then.
  const isOverdue = today !== null && due.due.slice(0, 10) < today
  return (
    <Notice
      tone={isOverdue ? 'danger' : 'warning'}
      icon={isOverdue ? 'alert' : 'waiting'}
      action={
        <Button disabledReason={offlineReason} onClick={() => onOpen({ kind: 'pay', order: toPayableOrder(due) })}>
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

function Notice({
  tone,
  icon,
  action,
  children,
}: {
  tone: 'positive' | 'warning' | 'danger' | 'neutral'
  icon: IconName
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={`order-note ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>{children}</div>
      {action && <div className="order-note-acts">{action}</div>}
    </div>
  )
}
