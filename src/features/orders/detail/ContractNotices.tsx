import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { setUpNotice } from '#domain/contracts.ts'
import { dateIn, type PlainDate } from '#domain/time.ts'
import { useConnection } from '#state/hooks.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { duesOf, type ListedDue, payableOf, toPayable } from '#features/orders/payment/payable.ts'
import { useDueText } from '#features/orders/useDueText.ts'
import type { Dialog } from '#features/orders/dialogs/Dialogs.tsx'

interface Props {
  row: OrderRow
  /** The business time zone; null: not known yet. */
  zone: string | null
  /** When the server said so, epoch ms: its today, whatever this device thinks. */
  asOf: number | null
  /** How far the set-up is, is not said meanwhile (contracts 4). */
  editing: boolean
  onOpen: (dialog: Dialog) => void
}

/** What one must know before anything is done: what is to be paid, and by when, and how far its set-up is (contracts 4). */
export function Notices({ row, zone, asOf, editing, onOpen }: Props) {
  const { t } = useTranslation('contract')
  const today = zone === null || asOf === null ? null : dateIn(zone, asOf)
  const setUp = editing || today === null ? null : setUpNotice(row, today)
  const search = `/app/contract?searchText=${row.code}`
  const dueText = useDueText()
  const ownMatter = payableOf(row)?.matter
  return (
    <>
      {setUp && (
        <Notice tone={setUp === 'soon' ? 'positive' : 'danger'} icon={setUp === 'soon' ? 'check' : 'alert'}>
          <p>{t(`setUp.${setUp}`, { date: row.period_start })}</p>
        </Notice>
      )}
      {row.state === 'unpaid' && (
        <Notice tone="warning" icon="waiting">
          <p>
            {row.type !== 'create' && ownMatter && (
              <strong>{t('pending.unpaid', { matter: dueText(ownMatter) })}</strong>
            )}{' '}
            {t(row.type === 'create' ? 'unpaid' : 'pending.due', { due: row.due ?? '' })}{' '}
            {row.type !== 'create' && <Link to={search}>{t('toCurrent')}</Link>}
          </p>
        </Notice>
      )}
      {row.pending && <PendingOrder row={row} pending={row.pending} onOpen={onOpen} />}
      {row.state !== 'overwritten' &&
        duesOf(row).map(
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
            {t('replaced')} <Link to={search}>{t('toCurrent')}</Link>
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
  const { line } = useConnection()
  const whyNot = line === 'online' ? null : t('needsLine')
  const dueText = useDueText()
  const { amount, due } = pending
  const matter = payableOf(row)?.matter
  return (
    <Notice
      tone="warning"
      icon="waiting"
      acts={
        <Button whyNot={whyNot} onClick={() => onOpen({ kind: 'remove', what: 'pending' })}>
          {t('act.removePending')}
        </Button>
      }
    >
      <p>
        <strong>{t('pending.unpaid', { matter: dueText(matter ?? pending) })}</strong>{' '}
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
  const { line } = useConnection()
  const dueText = useDueText()
  const whyNot = line === 'online' ? null : t('needsLine')
  // Traffic can be paid later too, and suspends backups until then.
  const isOverdue = today !== null && due.due.slice(0, 10) < today
  return (
    <Notice
      tone={isOverdue ? 'danger' : 'warning'}
      icon={isOverdue ? 'alert' : 'waiting'}
      acts={
        <Button whyNot={whyNot} onClick={() => onOpen({ kind: 'pay', order: toPayable(due) })}>
          {t('pending.pay')}
        </Button>
      }
    >
      <p>
        <strong>{t('pending.unpaid', { matter: dueText(due) })}</strong>{' '}
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
  acts,
  children,
}: {
  tone: 'positive' | 'warning' | 'danger' | 'neutral'
  icon: IconName
  acts?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={`order-note ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>{children}</div>
      {acts && <div className="order-note-acts">{acts}</div>}
    </div>
  )
}
