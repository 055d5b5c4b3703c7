import { SelectField } from '#ui/form/choice-fields.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { type ModuleKindFilter, kindFilters, type ModulesView } from '#features/modules/view.ts'

interface ModuleFiltersProps {
  view: ModulesView
  /** The kind with which the page begins. */
  defaultKind: ModuleKindFilter
  sorting: ListSorting
  onChange: (change: Partial<ModulesView>) => void
}

/** Which kind, and a text; the client type stands above all pages of the staff (M136). */
export function ModuleFilters({ view, defaultKind, sorting, onChange }: ModuleFiltersProps) {
  const { t } = useTranslation('modules')
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (searchText) => onChange({ searchText }), label: t('filter.search') }}
      usedCount={Number(view.kindFilter !== defaultKind)}
      sorting={sorting}
      onClearAll={() => onChange({ searchText: '', kindFilter: defaultKind })}
    >
      <SelectField
        label={t('filter.shown')}
        options={kindFilters.map((value) => ({ value, label: t(`shown.${value}`) }))}
        value={view.kindFilter}
        onChange={({ target }) =>
          onChange({ kindFilter: kindFilters.find((kind) => kind === target.value) ?? defaultKind })
        }
      />
    </FilterBar>
  )
}
