import type { ComponentType } from 'react'
import { SelectField } from '#ui/form/choice-fields.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { defaultListView, systemStatuses, type ServicesView } from '#features/services/view.ts'

/** Finds a customer by name: what orders know of companies is handed in. `company` null: everybody's. */
export type ServiceCompanyFilter = ComponentType<{ companyId: number | null; onChoose: (id: number | null) => void }>

interface ServiceFiltersProps {
  view: ServicesView
  CompanyFilter: ServiceCompanyFilter
  onChange: (change: Partial<ServicesView>) => void
}

const { status: anyStatus, company: anyCompany } = defaultListView
const noFilters: Partial<ServicesView> = { status: anyStatus, company: anyCompany, searchText: '' }

export function ServiceFilters({ sorting, ...props }: ServiceFiltersProps & { sorting: ListSorting }) {
  const { view, onChange } = props
  const { t } = useTranslation('services')
  return (
    <FilterBar
      search={{
        value: view.searchText,
        onChange: (searchText) => onChange({ searchText }),
        label: t('filter.search'),
      }}
      usedCount={Number(view.status !== null) + Number(view.company !== null)}
      sorting={sorting}
      onClearAll={() => onChange(noFilters)}
    >
      <FilterFields {...props} />
    </FilterBar>
  )
}

function FilterFields({ view, CompanyFilter, onChange }: ServiceFiltersProps) {
  const { t } = useTranslation('services')
  return (
    <>
      <CompanyFilter companyId={view.company} onChoose={(company) => onChange({ company })} />
      <SelectField
        label={t('filter.status')}
        name="status"
        options={[
          { value: '', label: t('filter.all') },
          ...systemStatuses.map((status) => ({ value: status, label: t(`status.${status as 0}`) })),
        ]}
        value={view.status ?? ''}
        onChange={({ target }) =>
          onChange({ status: systemStatuses.find((status) => String(status) === target.value) ?? null })
        }
      />
    </>
  )
}
