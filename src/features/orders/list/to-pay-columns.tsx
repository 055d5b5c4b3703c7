import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import type { ListColumn } from '#ui/list/column.ts'
import type { TFunction } from 'i18next'
import type { DueItem } from '#features/orders/dues/due-items.ts'
import type { useDueFormatter } from '#features/orders/useDueFormatter.ts'

/** "RDS backup of 环球贸易 · RMB 13,500.00 · pay by 2026-12-05" */
export const buildToPayColumns = (
  t: TFunction<'orders'>,
  formatDue: ReturnType<typeof useDueFormatter>,
): ListColumn<DueItem>[] => [
  {
    key: 'subject',
    header: t('toPay.subject'),
    lines: 2,
    phone: 'primary',
    exportText: ({ due, name }) => formatDue(due, name),
    render: ({ due, name }) => <span lang={getNameLang(name)}>{formatDue(due, name)}</span>,
  },
  {
    key: 'code',
    header: t('column.code'),
    width: 'code',
    priority: 2,
    isUnderFirst: true,
    exportText: ({ row }) => row.code,
    render: ({ row }) => <span className="order-code">{row.code}</span>,
  },
  {
    key: 'amount',
    header: t('toPay.amount'),
    width: 'money',
    align: 'end',
    phone: 'secondary',
    exportText: ({ due }) => formatAmount(due.currency, due.amount),
    render: ({ due }) => <Amount currency={due.currency} amount={due.amount} />,
  },
  {
    key: 'due',
    header: t('toPay.due'),
    width: 'day',
    phone: 'secondary',
    exportText: ({ date }) => date,
    render: (item) => <PayBy item={item} t={t} />,
  },
]

/** The column's header says "Pay by". On a phone, which has no headers, the cell says it. */
function PayBy({ item: { date, days }, t }: { item: DueItem; t: TFunction<'orders'> }) {
  const daysText = days === 0 ? t('home.today') : t('home.days', { count: days })
  return (
    <span className={`order-facts${days < 0 ? ' to-pay-overdue' : ''}`}>
      <span className="to-pay-date">{date}</span>
      <span className="to-pay-by">{t(days < 0 ? 'home.overdue' : 'home.payBy', { due: date })}</span>
      <span className="order-beside">{days < 0 ? t('toPay.overdue') : daysText}</span>
    </span>
  )
}
