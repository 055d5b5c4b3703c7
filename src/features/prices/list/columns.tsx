import type { TFunction } from 'i18next'
import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { clientTypeNames } from '#ui/display/client-type-name.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { formatPriceListUses, type PriceListUses } from '#features/prices/withdrawn/usePriceListUses.ts'
import type { PriceListState } from '#features/prices/price-list-state.ts'
import type { PriceListTab } from '#features/prices/price-lists-view.ts'

/** The columns of M145. A phone has no room for the user's name and the type; the type is shown above the list. */
export const buildColumns = (
  t: TFunction<'prices'>,
  getListState: (row: PriceRow) => PriceListState,
  /** Null if this device does not know the uses. */
  uses: PriceListUses | null,
  isNarrow: boolean,
  tab: PriceListTab,
): ListColumn<OverlaidRow<PriceRow>>[] => [
  {
    key: 'effective_date',
    header: t('column.effective_date'),
    sortable: true,
    phone: 'primary',
    format: 'date',
    getValue: ({ row }) => row.effective_date,
  },
  {
    key: 'type',
    header: t('column.type'),
    width: 'short',
    format: 'text',
    getValue: ({ row }) => clientTypeNames[row.type],
  },
  {
    key: 'confirmed',
    header: t('column.confirmed'),
    sortable: true,
    width: 'tag',
    phone: 'tag',
    exportText: ({ row }) => formatState(row, getListState(row), t).join(' · '),
    render: ({ row }) => <StateCell row={row} listState={getListState(row)} t={t} />,
  },
  {
    key: 'desc',
    header: t('column.desc'),
    sortable: true,
    lines: 2,
    phone: 'secondary',
    format: 'text',
    getValue: ({ row }) => row.desc,
  },
  {
    key: 'contracts',
    header: t('column.contracts'),
    width: 'money',
    // Columns required by the specification have priority over this one.
    priority: 3,
    ...(tab === 'withdrawn' ? { phone: 'secondary' as const } : {}),
    exportText: ({ row }) =>
      typeof row.id === 'number' ? String(uses?.get(row.id)?.contracts ?? (uses ? 0 : '')) : '',
    render: ({ row }) => <UsesCell {...{ row, uses, isNarrow, t }} />,
  },
  {
    key: 'update_time',
    header: t('column.update_time'),
    sortable: true,
    phone: 'secondary',
    width: 'day',
    exportText: ({ row }) => row.update_time,
    render: ({ row: { update_time: time } }) =>
      time ? (
        <BusinessTime className="price-time" time={time}>
          <span>{time.slice(0, 10)}</span> <span>{time.slice(11)}</span>
        </BusinessTime>
      ) : (
        t('notYet')
      ),
  },
  {
    key: 'update_user_name',
    header: t('column.update_user_name'),
    format: 'text',
    getValue: ({ row }) => row.update_user_name,
  },
]

interface UsesCellProps {
  row: PriceRow
  uses: PriceListUses | null
  isNarrow: boolean
  t: TFunction<'prices'>
}

function UsesCell({ row, uses, isNarrow, t }: UsesCellProps) {
  if (!uses || typeof row.id !== 'number') return <NoValue />
  const use = uses.get(row.id)
  const [contracts = '', ...others] = formatPriceListUses(t, use)
  if (isNarrow) return <span>{contracts}</span>
  return (
    <span className="price-uses">
      <span>{formatNumber(use?.contracts ?? 0)}</span>
      {others.map((useText) => (
        <span key={useText} className="price-sub">
          {useText}
        </span>
      ))}
    </span>
  )
}

function StateCell({ row, listState, t }: { row: PriceRow; listState: PriceListState; t: TFunction<'prices'> }) {
  const { confirmed } = row
  const [stateText, ...details] = formatState(row, listState, t)
  return (
    <span className="price-state">
      <Tag tone={confirmed && listState !== 'withdrawn' ? 'positive' : 'neutral'}>{stateText}</Tag>
      {details.map((text) => (
        <span key={text} className="price-standing">
          {text}
        </span>
      ))}
    </span>
  )
}

function formatState({ confirmed }: PriceRow, listState: PriceListState, t: TFunction<'prices'>): string[] {
  const stateText = t(confirmed ? 'state.confirmed' : 'state.unconfirmed')
  if (listState === 'draft' || listState === 'later') return [stateText]
  return [stateText, listState === 'withdrawn' ? t('state.withdrawn') : t(`standing.${listState}`)]
}
