import type { ReactNode } from 'react'
import { stateOfNumber } from '#domain/contracts.ts'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import type { Sorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { type OrderStatus, orderStatuses, plainView, type View } from '#features/orders/list-url.ts'

interface Props {
  view: View
  sorting: Sorting
  onChange: (change: Partial<View>) => void
  /** Before the other filters. */
  children?: ReactNode
}

export function Filters({ view, sorting, onChange, children }: Props) {
  const { t } = useTranslation('orders')
  const { status, searchText, company } = plainView
  // With what is in effect and has something to be paid.
  const word = (number: OrderStatus) =>
    number === 0 ? t('filter.unpaid') : t(`status.${stateOfNumber(number, 'order') ?? 'invalid'}`)
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (text) => onChange({ searchText: text }), label: t('filter.search') }}
      used={Number(view.status !== null) + Number(view.company !== null)}
      sorting={sorting}
      onClearAll={() => onChange({ status, searchText, company })}
    >
      {children}
      <SelectField
        label={t('filter.status')}
        options={[
          { value: '', label: t('filter.all') },
          ...orderStatuses.map((number) => ({ value: number, label: word(number) })),
        ]}
        value={view.status ?? ''}
        onChange={({ target }) =>
          onChange({ status: orderStatuses.find((number) => String(number) === target.value) ?? null })
        }
      />
    </FilterBar>
  )
}
