import type { ReactNode } from 'react'
import type { ListUrlState, ListViewDefinition } from '#state/list-url.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { type FilterChip, FilterBar } from '#ui/list/FilterBar.tsx'

/** A filter with a few values, shown as a select box. Its choices are the values of the view's field. */
export interface SelectFilter<V> {
  name: keyof V & string
  label: string
  allLabel?: string
  choices: readonly { value: string | number; label: string }[]
}

interface ListFiltersProps<V extends ListUrlState> {
  list: { definition: ListViewDefinition<V>; view: V; changeView: (change: Partial<V>) => void }
  sorting: ListSorting
  searchLabel: string
  filters: readonly SelectFilter<V>[]
  chips?: FilterChip[] | undefined
  lastFilters?: ReactNode
  children?: ReactNode
}

export function ListFilters<V extends ListUrlState>({
  list: { definition, view, changeView },
  sorting,
  searchLabel,
  filters,
  chips,
  lastFilters,
  children,
}: ListFiltersProps<V>) {
  return (
    <FilterBar
      search={{
        value: view.searchText,
        onChange: (searchText) => changeView({ searchText } as Partial<V>),
        label: searchLabel,
      }}
      usedCount={definition.countFilters(view)}
      sorting={sorting}
      chips={chips}
      onClearAll={() => changeView(definition.clearedFilters)}
    >
      {children}
      {filters.map(({ name, label, allLabel, choices }) => (
        <SelectField
          key={name}
          name={name}
          label={label}
          options={[...(allLabel === undefined ? [] : [{ value: '', label: allLabel }]), ...choices]}
          value={definition.print(view, name)}
          onChange={({ target }) => changeView(definition.parse(name, target.value))}
        />
      ))}
      {lastFilters}
    </FilterBar>
  )
}
