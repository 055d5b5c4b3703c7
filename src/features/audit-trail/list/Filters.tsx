import { type ComponentType, useState } from 'react'
import { isProviderAdmin } from '#domain/access.ts'
import { type AuditEntryRow, auditMenus, auditOperations } from '#domain/audit-log/leaf.ts'
import { useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { DateRange } from '#ui/form/DateRange.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { countFilters, menusFor, noFilters, type View } from '#features/audit-trail/list/list-url.ts'
import { PersonPicker } from '#features/audit-trail/list/PersonPicker.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'

/** Finds a customer by name, for the provider's staff: what orders know of companies is handed in. */
export type CompanyFilter = ComponentType<{ company: number | null; onChoose: (id: number | null) => void }>

interface Props {
  view: View
  rows: readonly AuditEntryRow[]
  CompanyFilter: CompanyFilter
  onChange: (change: Partial<View>) => void
}

/** Contracts 2, M131, M132. A chip stands for what no field shows; on a phone all but the search is in a sheet. */
export function Filters(props: Props) {
  const { view, onChange } = props
  const { t } = useTranslation('audit')
  const isNarrow = useNarrow()
  const searchText = view.searchText.trim()
  const chips = []
  if (isNarrow && searchText !== '')
    chips.push({
      key: 'search',
      label: t('filter.chipSearch', { text: searchText }),
      onClear: () => onChange({ searchText: '' }),
    })
  if (view.intent !== null)
    chips.push({
      key: 'intent',
      label: t('filter.chipIntent', { intent: view.intent.slice(0, 8) }),
      onClear: () => onChange({ intent: null }),
    })
  return (
    <div className="trail-filters">
      <FilterBar
        search={{
          value: view.searchText,
          onChange: (text) => onChange({ searchText: text }),
          label: t('filter.search'),
        }}
        chips={chips}
        onClearAll={() => onChange({ ...noFilters, searchText: '' })}
      >
        {isNarrow ? <InSheet {...props} /> : <Fields {...props} />}
      </FilterBar>
    </div>
  )
}

function Fields({ view, rows, CompanyFilter, onChange }: Props) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedIn()
  const all = { value: '', label: t('filter.all') }
  return (
    <>
      {isProviderAdmin(caller) && (
        <CompanyFilter company={view.company} onChoose={(company) => onChange({ company, user: null })} />
      )}
      <SelectField
        label={t('filter.type')}
        name="code"
        options={[all, ...menusFor(caller).map((menu) => ({ value: menu, label: t(`type.${menu}`) }))]}
        value={view.code ?? ''}
        onChange={({ target }) => onChange({ code: auditMenus.find((menu) => menu === target.value) ?? null })}
      />
      <SelectField
        label={t('filter.operation')}
        name="operation"
        options={[all, ...auditOperations.map((one) => ({ value: one, label: t(`operation.${one}`) }))]}
        value={view.operation ?? ''}
        onChange={({ target }) => onChange({ operation: auditOperations.find((one) => one === target.value) ?? null })}
      />
      <SelectField
        label={t('filter.status')}
        name="status"
        options={[all, { value: '0', label: t('status.done') }, { value: '-1', label: t('status.failed') }]}
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
        company={view.company}
        rows={rows}
        onChoose={(person) => onChange({ user: person })}
      />
    </>
  )
}

/** One button that says how many are in use; the sheet's fields take effect at once, as those at a desk do. */
function InSheet(props: Props) {
  const { view, onChange } = props
  const { t } = useTranslation('audit')
  const [open, setOpen] = useState(false)
  const count = countFilters(view)
  const close = () => setOpen(false)
  const act = (
    <>
      <Button kind="primary" onClick={close}>
        {t('filter.show')}
      </Button>
      <Button onClick={() => onChange(noFilters)}>{t('filter.clear')}</Button>
    </>
  )
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {count === 0 ? t('filter.openNone') : t('filter.open', { count })}
      </Button>
      <Dialog open={open} side="bottom" title={t('filter.title')} onClose={close} act={act} cancel={null}>
        <div className="form trail-sheet">
          <Fields {...props} />
          <SortField {...props} />
        </div>
      </Dialog>
    </>
  )
}

function SortField({ view, onChange }: Pick<Props, 'view' | 'onChange'>) {
  const { t } = useTranslation('audit')
  return (
    <SelectField
      label={t('filter.sort')}
      name="sort"
      options={[
        { value: 'desc', label: t('filter.newest') },
        { value: 'asc', label: t('filter.oldest') },
      ]}
      value={view.sort[1]}
      onChange={({ target }) => onChange({ sort: [view.sort[0], target.value === 'asc' ? 'asc' : 'desc'] })}
    />
  )
}
