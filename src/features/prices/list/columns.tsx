import type { TFunction } from 'i18next'
import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { NoValue } from '#ui/list/NoValue.tsx'
import { Tag } from '#ui/display/Tag.tsx'
import type { Column } from '#ui/list/column.ts'
import type { Standing } from '#features/prices/list/in-force.ts'

/** Effective date, state, description, who changed it when (M145); the client type stands above all pages of the staff. */
export const columns = (
  t: TFunction<'prices'>,
  standingOf: (row: PriceRow) => Standing,
): Column<OverlaidRow<PriceRow>>[] => [
  {
    key: 'effective_date',
    header: t('column.effective_date'),
    sortable: true,
    width: 'day',
    phone: 'title',
    render: ({ row }) => row.effective_date,
  },
  {
    key: 'confirmed',
    header: t('column.confirmed'),
    sortable: true,
    width: 'roles',
    phone: 'tag',
    render: ({ row }) => <State confirmed={row.confirmed} standing={standingOf(row)} t={t} />,
  },
  {
    key: 'desc',
    header: t('column.desc'),
    sortable: true,
    lines: 2,
    phone: 'fact',
    render: ({ row }) => <span>{row.desc}</span>,
  },
  {
    key: 'type',
    header: t('column.type'),
    width: 'number',
    priority: 3,
    render: ({ row }) => row.type,
  },
  {
    key: 'update_time',
    header: t('column.update_time'),
    sortable: true,
    width: 'time',
    priority: 2,
    phone: 'fact',
    render: ({ row }) => row.update_time || t('notYet'),
  },
  {
    key: 'update_user_name',
    header: t('column.update_user_name'),
    priority: 3,
    render: ({ row }) => row.update_user_name || <NoValue />,
  },
]

function State({ confirmed, standing, t }: { confirmed: boolean; standing: Standing; t: TFunction<'prices'> }) {
  return (
    <span className="price-state">
      <Tag tone={confirmed ? 'positive' : 'neutral'}>{t(confirmed ? 'state.confirmed' : 'state.unconfirmed')}</Tag>
      {standing !== 'draft' && standing !== 'later' && (
        <span className="price-standing">{t(`standing.${standing}`)}</span>
      )}
    </span>
  )
}
