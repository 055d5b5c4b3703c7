import type { ReactNode } from 'react'
import { findContractState } from '#domain/contracts.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { type OrderStatus, orderStatuses, defaultListView, type OrdersView } from '#features/orders/list-url.ts'

interface Props {
  view: OrdersView
  sorting: ListSorting
  onChange: (change: Partial<OrdersView>) => void
  /** Before the other filters. */
  children?: ReactNode
}

export function Filters({ view, sorting, onChange, children }: Props) {
  const { t } = useTranslation('orders')
  const { status, searchText, company } = defaultListView
  // With what is in effect and has something to be paid.
  const formatStatus = (status: OrderStatus) =>
    status === 0 ? t('filter.unpaid') : t(`status.${findContractState(status, 'order') ?? 'invalid'}`)
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (text) => onChange({ searchText: text }), label: t('filter.search') }}
      usedCount={Number(view.status !== null) + Number(view.company !== null)}
      sorting={sorting}
      onClearAll={() => onChange({ status, searchText, company })}
    >
      {children}
      <SelectField
        label={t('filter.status')}
        options={[
          { value: '', label: t('filter.all') },
          ...orderStatuses.map((status) => ({ value: status, label: formatStatus(status) })),
        ]}
        value={view.status ?? ''}
        onChange={({ target }) =>
          onChange({ status: orderStatuses.find((status) => String(status) === target.value) ?? null })
        }
      />
    </FilterBar>
  )
}
