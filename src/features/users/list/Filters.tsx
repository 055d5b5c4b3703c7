import '#features/users/style.css'
import { type UserStatus, userStatuses } from '#domain/users.ts'
import { CheckField, SelectField } from '#ui/form/ChoiceFields.tsx'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { plainView, type View } from '#features/users/list/list-url.ts'

/** portal 2: status type and include deleted; the search is ours. */
export function Filters({ view, onChange }: { view: View; onChange: (change: Partial<View>) => void }) {
  const { t } = useTranslation('users')
  const { statusType, includedDel, searchText } = plainView
  const chips = [
    ...(view.searchText.trim() === ''
      ? []
      : [
          {
            key: 'search',
            label: t('filter.chipSearch', { text: view.searchText.trim() }),
            onClear: () => onChange({ searchText }),
          },
        ]),
    ...(view.statusType === null
      ? []
      : [
          {
            key: 'status',
            label: t('filter.chipStatus', { status: t(`status.${view.statusType}`) }),
            onClear: () => onChange({ statusType }),
          },
        ]),
    ...(view.includedDel
      ? [{ key: 'deleted', label: t('filter.includedDel'), onClear: () => onChange({ includedDel }) }]
      : []),
  ]
  const options = [
    { value: '', label: t('filter.all') },
    ...userStatuses.map((status) => ({ value: status, label: t(`status.${status}`) })),
  ]
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (searchText) => onChange({ searchText }), label: t('filter.search') }}
      chips={chips}
      onClearAll={() => onChange({ statusType, includedDel, searchText })}
    >
      <SelectField
        label={t('filter.statusType')}
        options={options}
        value={view.statusType ?? ''}
        onChange={(event) => onChange({ statusType: statusOf(event.target.value) })}
      />
      <CheckField
        label={t('filter.includedDel')}
        checked={view.includedDel}
        onChange={(event) => onChange({ includedDel: event.target.checked })}
      />
    </FilterBar>
  )
}

const statusOf = (value: string): UserStatus | null => userStatuses.find((status) => String(status) === value) ?? null
