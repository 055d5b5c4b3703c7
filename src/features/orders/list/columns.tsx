import type { OrderRow } from '#contract/orders.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Amount } from '#ui/display/Amount.tsx'
import type { Column } from '#ui/list/DataList.tsx'
import type { TFunction } from 'i18next'
import { StatusTag } from '#features/orders/list/StatusTag.tsx'

/** The specification's columns in its order (M61). */
export const columns = (t: TFunction<'orders'>): Column<OverlaidRow<OrderRow>>[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    render: ({ row }) => (
      <span className={`order-code${row.state === 'expired' ? ' order-over' : ''}`}>{row.code}</span>
    ),
  },
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    // No meaning in hover alone: the detail shows it as well.
    render: ({ row }) => <span title={row.desc ?? undefined}>{row.name}</span>,
  },
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    priority: 3,
    // A row made on this device has no time until the server gave it one.
    render: ({ row }) => <span className="order-time">{row.create_time || t('notYet')}</span>,
  },
  {
    key: 'expired_date',
    header: t('column.expired'),
    sortable: true,
    render: ({ row }) => <span className="order-date">{row.expired_date}</span>,
  },
  { key: 'status', header: t('column.status'), sortable: true, render: ({ row }) => <State row={row} t={t} /> },
]

/** With what is to be done about it, and by when (D31, D35). */
function State({ row: { state, due, pending, currency }, t }: { row: OrderRow; t: TFunction<'orders'> }) {
  return (
    <span className="order-state">
      <StatusTag state={state} />
      {due && <span className="field-help">{t('payBy', { due: due.slice(0, 10) })}</span>}
      {pending && (
        <>
          <span className="field-help">
            {t(`pending.${pending.type}`)} <Amount currency={currency} amount={pending.amount} />
          </span>
          <span className="field-help">{t('payBy', { due: pending.due.slice(0, 10) })}</span>
        </>
      )}
    </span>
  )
}
