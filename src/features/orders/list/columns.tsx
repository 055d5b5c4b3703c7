import type { OrderRow } from '#contract/orders.ts'
import { maxReminderDays } from '#domain/contracts.ts'
import { sumDues } from '#domain/dues.ts'
import { countDaysLeft } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import type { TFunction } from 'i18next'
import { getDues } from '#features/orders/payment/payable.ts'
import type { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { StatusTag } from '#features/orders/StatusTag.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { joinList } from '#ui/i18n/messages.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

type DueFormatter = ReturnType<typeof useDueFormatter>

/**
 * The specification's columns in its order (M61), the company in the list of all companies, and the amount due. `today` is null if it is not
 * known yet.
 */
export const buildColumns = (
  t: TFunction<'orders'>,
  formatDue: DueFormatter,
  today: PlainDate | null,
  { hasCompany = false, isNarrow = false }: { hasCompany?: boolean; isNarrow?: boolean } = {},
): ListColumn<OverlaidRow<OrderRow>>[] => [
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    phone: 'secondary',
    exportText: ({ row }) => row.code,
    render: ({ row }) => (
      <span className={`order-code${row.state === 'expired' ? ' order-over' : ''}`}>{row.code}</span>
    ),
  },
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'primary',
    exportText: ({ row }) => row.name,
    // The tooltip repeats text of the detail page, so nothing is available on hover only.
    render: ({ row }) => (
      <>
        <span title={row.desc ?? undefined} lang={getNameLang(row.name)}>
          {row.name}
        </span>
        {hasCompany && (
          <span className="order-company-below">
            <CompanyName row={row} />
          </span>
        )}
      </>
    ),
  },
  ...(hasCompany ? [buildCompanyColumn(t)] : []),
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    // The list of all companies has one column more, so it shows only the day.
    width: hasCompany ? 'day' : 'time',
    exportText: ({ row }) => row.create_time ?? '',
    // A row created on this device has no time until the server has assigned one.
    render: ({ row }) =>
      row.create_time ? <CreatedTime time={row.create_time} isDayOnly={hasCompany} /> : t('notYet'),
  },
  {
    key: 'expired_date',
    header: t('column.expired'),
    sortable: true,
    width: 'day',
    phone: 'secondary',
    exportText: ({ row }) => row.expired_date,
    // A phone has no headers, so the cell says what the date is.
    render: ({ row }) => (isNarrow ? formatPhoneFact(row, t) : <ExpiryDate row={row} today={today} t={t} />),
  },
  {
    key: 'status',
    header: t('column.status'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    exportText: ({ row }) => t(`status.${row.state}`),
    render: ({ row }) => (
      <span className="order-facts">
        <StatusTag state={row.state} />
        <span className="order-due-beside">
          <DueAmount row={row} t={t} formatDue={formatDue} />
        </span>
      </span>
    ),
  },
  {
    // On a tablet the amount is displayed under the status, which leaves room for all columns of the specification.
    key: 'pay',
    header: t('column.pay'),
    width: 'money',
    priority: 3,
    align: 'end',
    phone: 'secondary',
    exportText: ({ row }) =>
      sumDues(getDues(row))
        .map(({ currency, amount }) => formatAmount(currency, amount))
        .join(' · '),
    render: ({ row }) =>
      getDues(row).length > 0 ? <DueAmount row={row} t={t} formatDue={formatDue} isNarrow={isNarrow} /> : <NoValue />,
  },
]

/** Rows of the list of all companies have the name of the company. In a table it is below the name of the contract; a phone and an export use this column. */
const buildCompanyColumn = (t: TFunction<'orders'>): ListColumn<OverlaidRow<OrderRow>> => ({
  key: 'company_name',
  header: t('companies.label'),
  sortable: true,
  lines: 2,
  priority: 3,
  phone: 'overline',
  exportText: ({ row }) => getCompanyName(row),
  render: ({ row }) => <CompanyName row={row} />,
})

const getCompanyName = ({ company_name: name = '' }: OrderRow & { company_name?: string }) => name

function CompanyName({ row }: { row: OrderRow }) {
  const name = getCompanyName(row)
  return (
    <bdi title={name} lang={getNameLang(name)}>
      {name}
    </bdi>
  )
}

const CreatedTime = ({ time, isDayOnly }: { time: string; isDayOnly: boolean }) => (
  <BusinessTime className="order-created" time={time}>
    <span>{time.slice(0, 10)}</span> {!isDayOnly && <span>{time.slice(11)}</span>}
  </BusinessTime>
)

/** Shows the last day, and the remaining days from 60 days before it, when the first reminder mail is sent (contracts 4). */
function ExpiryDate({ row, today, t }: { row: OrderRow; today: PlainDate | null; t: TFunction<'orders'> }) {
  const { expired_date: end, state } = row
  const days = today !== null && state === 'effective' ? countDaysLeft(today, end) : -1
  const isSoon = days >= 0 && days <= maxReminderDays.beforeExpiry
  return (
    <span className="order-facts">
      <span>{end}</span>
      {isSoon && <span className="order-beside">{days === 0 ? t('home.today') : t('home.days', { count: days })}</span>}
    </span>
  )
}

/** Returns the amount that is due, or else "ends 2027-11-27"; an invalid order never starts, so it has the day it was made. The date by which to pay has the next line. */
function formatPhoneFact(row: OrderRow, t: TFunction<'orders'>): string {
  const sums = sumDues(getDues(row))
  if (sums.length > 0) return joinList(sums.map(({ currency, amount }) => formatAmount(currency, amount)))
  if (row.state === 'invalid')
    return row.create_time ? t('phone.ordered', { date: row.create_time.slice(0, 10) }) : t('notYet')
  return t(row.state === 'expired' ? 'phone.ended' : 'phone.ends', { date: row.expired_date })
}

const joinWithoutBreaks = (text: string) =>
  text.replace(/[(（][^)）]{1,20}[)）]/, (match) => match.replaceAll(' ', '\u00a0'))

interface DueAmountProps {
  row: OrderRow
  t: TFunction<'orders'>
  formatDue: DueFormatter
  /** True on a phone, where another cell of the row has the amount. */
  isNarrow?: boolean
}

/** Shows the total amount, the earliest due date and the reason (D31, D35). A table leaves the reason to the tab "To pay" and its tooltip. */
function DueAmount({ row, t, formatDue, isNarrow = false }: DueAmountProps) {
  const dues = getDues(row)
  const [firstDue] = dues
  if (!firstDue) return null
  return (
    <span className="order-facts order-due" title={isNarrow ? undefined : joinList(dues.map((due) => formatDue(due)))}>
      {!isNarrow &&
        sumDues(dues).map(({ currency, amount }) => <Amount key={currency} currency={currency} amount={amount} />)}
      {firstDue.due && (
        <span className="order-beside">{t(isNarrow ? 'home.payBy' : 'by', { due: firstDue.due.slice(0, 10) })}</span>
      )}
      {dues.map(
        (due) =>
          due.type !== 'create' && (
            <span key={`${due.contractType} ${due.id}`} className="order-beside order-matter">
              {joinWithoutBreaks(formatDue(due))}
            </span>
          ),
      )}
    </span>
  )
}
