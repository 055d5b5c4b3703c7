import '#features/users/style.css'
import { userStatuses } from '#domain/accounts/users.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import type { ListSorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { defaultListView, type UsersView } from '#features/users/view.ts'

interface UserFiltersProps {
  view: UsersView
  sorting: ListSorting
  onChange: (change: Partial<UsersView>) => void
}

/** portal 2: status type and include deleted, which is one more of its choices; the search is ours. */
export function UserFilters({ view, sorting, onChange }: UserFiltersProps) {
  const { t } = useTranslation('users')
  const { statusType, includedDel, searchText } = defaultListView
  const isUsed = view.statusType !== null || view.includedDel
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (text) => onChange({ searchText: text }), label: t('filter.search') }}
      usedCount={Number(isUsed)}
      sorting={sorting}
      onClearAll={() => onChange({ statusType, includedDel, searchText })}
    >
      <SelectField
        label={t('filter.statusType')}
        options={[
          { value: '', label: t('filter.all') },
          ...userStatuses.map((status) => ({ value: status, label: t(`status.${status}`) })),
          { value: withDeletedValue, label: t('filter.includedDel') },
        ]}
        value={view.statusType ?? (view.includedDel ? withDeletedValue : '')}
        onChange={({ target: { value } }) =>
          onChange({
            statusType: userStatuses.find((status) => String(status) === value) ?? null,
            includedDel: value === withDeletedValue,
          })
        }
      />
    </FilterBar>
  )
}

const withDeletedValue = 'deleted too'
