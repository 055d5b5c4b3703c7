import type { OrderRow } from '#contract/orders.ts'
import { reminderReach } from '#domain/contracts.ts'
import { daysBetween } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Amount } from '#ui/display/Amount.tsx'
import type { Column } from '#ui/list/column.ts'
import type { TFunction } from 'i18next'
import { payableOf } from '#features/orders/list/payable.ts'
import { StatusTag } from '#features/orders/list/StatusTag.tsx'
import { langOf } from '#ui/i18n/name-language.ts'

/** The specification's columns in its order (M61), and what is to be paid. `today`: null: not known yet. */
export const columns = (t: TFunction<'orders'>, today: PlainDate | null): Column<OverlaidRow<OrderRow>>[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    phone: 'fact',
    render: ({ row }) => (
      <span className={`order-code${row.state === 'expired' ? ' order-over' : ''}`}>{row.code}</span>
    ),
  },
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'title',
    // No meaning in hover alone: the detail shows it as well.
    render: ({ row }) => (
      <span title={row.desc ?? undefined} lang={langOf(row.name)}>
        {row.name}
      </span>
    ),
  },
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    width: 'time',
    priority: 3,
    // A row made on this device has no time until the server gave it one.
    render: ({ row }) => row.create_time || t('notYet'),
  },
  {
    key: 'expired_date',
    header: t('column.expired'),
    sortable: true,
    width: 'day',
    phone: 'fact',
    render: ({ row }) => <Expiry row={row} today={today} t={t} />,
  },
  {
    key: 'status',
    header: t('column.status'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    render: ({ row: { state, pending } }) => (
      <span className="order-facts">
        <StatusTag state={state} />
        {pending && <span className="order-beside">{t(`pending.${pending.type}`)}</span>}
      </span>
    ),
  },
  {
    key: 'pay',
    header: t('column.pay'),
    width: 'money',
    align: 'end',
    phone: 'fact',
    render: ({ row }) => <ToPay row={row} t={t} />,
  },
]

/** The last 60 days are counted, as far ahead as the first reminder by mail (contracts 4). */
function Expiry({ row, today, t }: { row: OrderRow; today: PlainDate | null; t: TFunction<'orders'> }) {
  const { expired_date: end, state } = row
  const days = today !== null && state === 'effective' ? daysBetween(today, end) : -1
  const isSoon = days >= 0 && days <= reminderReach.beforeExpiry
  return (
    <span className="order-facts">
      <span>{end}</span>
      {isSoon && <span className="order-beside">{days === 0 ? t('home.today') : t('home.days', { count: days })}</span>}
    </span>
  )
}

/** How much, and by when (D31, D35). */
function ToPay({ row, t }: { row: OrderRow; t: TFunction<'orders'> }) {
  const due = payableOf(row)
  if (!due?.pay_amount) return null
  return (
    <span className="order-facts order-due">
      <Amount currency={row.currency} amount={due.pay_amount} />
      {due.due && <span className="order-beside">{t('by', { due: due.due.slice(0, 10) })}</span>}
    </span>
  )
}
