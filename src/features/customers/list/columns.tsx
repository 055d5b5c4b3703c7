import type { TFunction } from 'i18next'
import type { CustomerRow } from '#contract/staff/customers.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { customerHealth } from '#domain/customers.ts'
import { formatAmount } from '#ui/display/Amount.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'
import { HealthTag } from '#features/customers/HealthTag.tsx'
import { RelativeTime } from '#features/customers/RelativeTime.tsx'
import { UnpaidAmounts } from '#features/customers/UnpaidAmounts.tsx'

/** Columns of the list of customers. `now` is the server time in epoch ms. */
export const buildCustomerColumns = (
  t: TFunction<'customers'>,
  now: number,
): ListColumn<OverlaidRow<CustomerRow>>[] => [
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    lines: 2,
    phone: 'primary',
    exportText: ({ row }) => row.name,
    render: ({ row }) => <bdi lang={getNameLang(row.name)}>{row.name}</bdi>,
  },
  {
    key: 'code',
    header: t('column.code'),
    sortable: true,
    width: 'code',
    isUnderFirst: true,
    phone: 'overline',
    exportText: ({ row }) => row.code,
    render: ({ row }) => <span className="customer-code">{row.code}</span>,
  },
  {
    key: 'unpaid_count',
    header: t('column.unpaid'),
    sortable: true,
    width: 'money',
    align: 'end',
    phone: 'labelled',
    exportText: ({ row }) => row.unpaid.map(({ currency, amount }) => formatAmount(currency, amount)).join(' · '),
    render: ({ row }) => <UnpaidAmounts unpaid={row.unpaid} />,
  },
  {
    key: 'effective_contracts',
    header: t('column.contracts'),
    sortable: true,
    width: 'short',
    align: 'end',
    priority: 2,
    phone: 'labelled',
    exportText: ({ row }) => String(row.effective_contracts),
    render: ({ row }) => <Share part={row.effective_contracts} all={row.contracts} />,
  },
  {
    key: 'running_services',
    header: t('column.services'),
    sortable: true,
    width: 'short',
    align: 'end',
    priority: 3,
    exportText: ({ row }) => String(row.running_services),
    render: ({ row }) => <Share part={row.running_services} all={row.services} />,
  },
  {
    key: 'health',
    header: t('column.health'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    exportText: ({ row }) => (row.health === customerHealth.none ? '' : t(`health.${row.health as 1}`)),
    render: ({ row }) => <HealthTag health={row.health} />,
  },
  {
    key: 'last_activity',
    header: t('column.activity'),
    sortable: true,
    width: 'day',
    priority: 2,
    phone: 'secondary',
    exportText: ({ row }) => row.last_activity ?? '',
    render: ({ row }) => (row.last_activity ? <RelativeTime time={row.last_activity} now={now} /> : <NoValue />),
  },
  {
    key: 'create_time',
    header: t('column.created'),
    sortable: true,
    format: 'date',
    priority: 3,
    getValue: ({ row }) => row.create_time.slice(0, 10),
  },
]

/** "2 / 3": of all rows, those in effect or running. */
const Share = ({ part, all }: { part: number; all: number }) =>
  all === 0 ? <NoValue /> : <span>{`${formatNumber(part)} / ${formatNumber(all)}`}</span>
