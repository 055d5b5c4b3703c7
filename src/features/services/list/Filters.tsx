import type { ComponentType } from 'react'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import type { Sorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { plainView, systemStatuses, type View } from '#features/services/list-url.ts'

/** Finds a customer by name: what orders know of companies is handed in. `company` null: everybody's. */
export type CompanyFilter = ComponentType<{ company: number | null; onChoose: (id: number | null) => void }>

interface Props {
  view: View
  CompanyFilter: CompanyFilter
  onChange: (change: Partial<View>) => void
}

const { status: anyStatus, company: anyCompany } = plainView
const none: Partial<View> = { status: anyStatus, company: anyCompany, searchText: '' }

export function Filters({ sorting, ...props }: Props & { sorting: Sorting }) {
  const { view, onChange } = props
  const { t } = useTranslation('services')
  return (
    <FilterBar
      search={{
        value: view.searchText,
        onChange: (searchText) => onChange({ searchText }),
        label: t('filter.search'),
      }}
      used={Number(view.status !== null) + Number(view.company !== null)}
      sorting={sorting}
      onClearAll={() => onChange(none)}
    >
      <Fields {...props} />
    </FilterBar>
  )
}

function Fields({ view, CompanyFilter, onChange }: Props) {
  const { t } = useTranslation('services')
  return (
    <>
      <CompanyFilter company={view.company} onChoose={(company) => onChange({ company })} />
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
