import type { ReactNode } from 'react'
import { stateOfNumber } from '#domain/contracts.ts'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { type OrderStatus, orderStatuses, plainView, type View } from '#features/orders/list/list-url.ts'

interface Props {
  view: View
  /** Whose contracts are listed, where it is not the own company. */
  company: string | null
  onChange: (change: Partial<View>) => void
  /** Before the other filters. */
  children?: ReactNode
}

export function Filters({ view, company: name, onChange, children }: Props) {
  const { t } = useTranslation('orders')
  const { status, searchText, company } = plainView
  const word = (number: OrderStatus) => t(`status.${stateOfNumber(number, 'order') ?? 'invalid'}`)
  const searched = view.searchText.trim()
  const chips = []
  if (name !== null)
    chips.push({ key: 'company', label: t('companies.chip', { name }), onClear: () => onChange({ company }) })
  if (searched !== '')
    chips.push({
      key: 'search',
      label: t('filter.chipSearch', { text: searched }),
      onClear: () => onChange({ searchText }),
    })
  if (view.status !== null)
    chips.push({
      key: 'status',
      label: t('filter.chipStatus', { status: word(view.status) }),
      onClear: () => onChange({ status }),
    })
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (text) => onChange({ searchText: text }), label: t('filter.search') }}
      chips={chips}
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
