import type { ComponentType } from 'react'
import { isProviderAdmin } from '#domain/access.ts'
import { type AuditEntryRow, auditMenus, auditOperations } from '#domain/audit-log/leaf.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { DateRange } from '#ui/form/DateRange.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { countFilters, listMenus, noFilters, type TrailView } from '#features/audit-trail/list/trail-view.ts'
import { PersonPicker } from '#features/audit-trail/list/PersonPicker.tsx'

/** Finds a customer by name, for the provider's staff: what orders know of companies is handed in. */
export type TrailCompanyFilter = ComponentType<{ companyId: number | null; onChoose: (id: number | null) => void }>

interface TrailFiltersProps {
  view: TrailView
  rows: readonly AuditEntryRow[]
  CompanyFilter: TrailCompanyFilter
  onChange: (change: Partial<TrailView>) => void
}

/** Contracts 2, M131, M132. A chip stands for what no field shows. */
export function TrailFilters({ sorting, ...props }: TrailFiltersProps & { sorting: ListSorting }) {
  const { view, onChange } = props
  const { t } = useTranslation('audit')
  const chips =
    view.intent === null
      ? []
      : [
          {
            key: 'intent',
            label: t('filter.chipIntent', { intent: view.intent.slice(0, 8) }),
            onClear: () => onChange({ intent: null }),
          },
        ]
  return (
    <FilterBar
      search={{
        value: view.searchText,
        onChange: (text) => onChange({ searchText: text }),
        label: t('filter.search'),
      }}
      usedCount={countFilters(view)}
      sorting={sorting}
      chips={chips}
      onClearAll={() => onChange({ ...noFilters, searchText: '' })}
    >
      <FilterFields {...props} />
    </FilterBar>
  )
}

function FilterFields({ view, rows, CompanyFilter, onChange }: TrailFiltersProps) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const allOption = { value: '', label: t('filter.all') }
  return (
    <>
      {isProviderAdmin(caller) && (
        <CompanyFilter companyId={view.company} onChoose={(company) => onChange({ company, user: null })} />
      )}
      <SelectField
        label={t('filter.type')}
        name="code"
        options={[allOption, ...listMenus(caller).map((menu) => ({ value: menu, label: t(`type.${menu}`) }))]}
        value={view.code ?? ''}
        onChange={({ target }) => onChange({ code: auditMenus.find((menu) => menu === target.value) ?? null })}
      />
      <SelectField
        label={t('filter.operation')}
        name="operation"
        options={[
          allOption,
          ...auditOperations.map((operation) => ({ value: operation, label: t(`operation.${operation}`) })),
        ]}
        value={view.operation ?? ''}
        onChange={({ target }) =>
          onChange({ operation: auditOperations.find((operation) => operation === target.value) ?? null })
        }
      />
      <SelectField
        label={t('filter.status')}
        name="status"
        options={[allOption, { value: '0', label: t('status.done') }, { value: '-1', label: t('status.failed') }]}
        value={view.status ?? ''}
        onChange={({ target }) =>
          onChange({ status: ([0, -1] as const).find((status) => String(status) === target.value) ?? null })
        }
      />
      <div className="trail-range">
        <DateRange
          range={{ from: view.dateFrom ?? '', to: view.dateTo ?? '' }}
          names={{ from: 'dateFrom', to: 'dateTo' }}
          labels={{ from: t('filter.from'), to: t('filter.to') }}
          onChange={(range) => range && onChange({ dateFrom: range.from || null, dateTo: range.to || null })}
        />
      </div>
      <PersonPicker
        person={view.user}
        companyId={view.company}
        rows={rows}
        onChoose={(person) => onChange({ user: person })}
      />
    </>
  )
}
