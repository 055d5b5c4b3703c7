import { type ComponentType, useState } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import { plainView, systemStatuses, type View } from '#features/services/list/list-url.ts'
import { useNarrow } from '#ui/list/useNarrow.ts'

/** Finds a customer by name: what orders know of companies is handed in. `company` null: everybody's. */
export type CompanyFilter = ComponentType<{ company: number | null; onChoose: (id: number | null) => void }>

interface Props {
  view: View
  CompanyFilter: CompanyFilter
  onChange: (change: Partial<View>) => void
}

const { status: anyStatus, company: anyCompany } = plainView
const none: Partial<View> = { status: anyStatus, company: anyCompany }

/** A chip stands for what no field shows; on a phone all but the search is in a sheet. */
export function Filters(props: Props) {
  const { view, onChange } = props
  const { t } = useTranslation('services')
  const isNarrow = useNarrow()
  const text = view.searchText.trim()
  const chips =
    isNarrow && text !== ''
      ? [{ key: 'search', label: t('filter.chipSearch', { text }), onClear: () => onChange({ searchText: '' }) }]
      : []
  return (
    <div className="service-filters">
      <FilterBar
        search={{
          value: view.searchText,
          onChange: (searchText) => onChange({ searchText }),
          label: t('filter.search'),
        }}
        chips={chips}
        onClearAll={() => onChange({ ...none, searchText: '' })}
      >
        {isNarrow ? <InSheet {...props} /> : <Fields {...props} />}
      </FilterBar>
    </div>
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

/** One button that says how many are in use; the sheet's fields take effect at once, as those at a desk do. */
function InSheet(props: Props) {
  const { view, onChange } = props
  const { t } = useTranslation('services')
  const [open, setOpen] = useState(false)
  const count = Number(view.status !== null) + Number(view.company !== null)
  const close = () => setOpen(false)
  const act = (
    <>
      <Button kind="primary" onClick={close}>
        {t('filter.show')}
      </Button>
      <Button onClick={() => onChange(none)}>{t('filter.clear')}</Button>
    </>
  )
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {count === 0 ? t('filter.openNone') : t('filter.open', { count })}
      </Button>
      <Dialog open={open} side="bottom" title={t('filter.title')} onClose={close} act={act} cancel={null}>
        <div className="form service-sheet">
          <Fields {...props} />
          <SortField {...props} />
        </div>
      </Dialog>
    </>
  )
}

const sortable = ['code', 'name', 'company', 'status', 'created', 'expires'] as const
const fieldOf = {
  code: 'code',
  name: 'name',
  company: 'company_name',
  status: 'system_status',
  created: 'create_time',
  expires: 'expired_date',
} as const satisfies Record<(typeof sortable)[number], string>

function SortField({ view, onChange }: Pick<Props, 'view' | 'onChange'>) {
  const { t } = useTranslation('services')
  return (
    <SelectField
      label={t('filter.sort')}
      name="sort"
      options={sortable.flatMap((one) => {
        const field = t(`column.${one}`)
        return [
          { value: `${fieldOf[one]} asc`, label: t('filter.ascending', { field }) },
          { value: `${fieldOf[one]} desc`, label: t('filter.descending', { field }) },
        ]
      })}
      value={view.sort.join(' ')}
      onChange={({ target }) => {
        const [field = 'code', order] = target.value.split(' ')
        onChange({ sort: [field, order === 'desc' ? 'desc' : 'asc'] })
      }}
    />
  )
}
