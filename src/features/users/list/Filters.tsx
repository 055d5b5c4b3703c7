import '#features/users/style.css'
import { userStatuses } from '#domain/accounts/users.ts'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import type { Sorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { plainView, type View } from '#features/users/list-url.ts'

interface Props {
  view: View
  sorting: Sorting
  onChange: (change: Partial<View>) => void
}

/** portal 2: status type and include deleted, which is one more of its choices; the search is ours. */
export function Filters({ view, sorting, onChange }: Props) {
  const { t } = useTranslation('users')
  const { statusType, includedDel, searchText } = plainView
  const isUsed = view.statusType !== null || view.includedDel
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (text) => onChange({ searchText: text }), label: t('filter.search') }}
      used={Number(isUsed)}
      sorting={sorting}
      onClearAll={() => onChange({ statusType, includedDel, searchText })}
    >
      <SelectField
        label={t('filter.statusType')}
        options={[
          { value: '', label: t('filter.all') },
          ...userStatuses.map((status) => ({ value: status, label: t(`status.${status}`) })),
          { value: withDeleted, label: t('filter.includedDel') },
        ]}
        value={view.statusType ?? (view.includedDel ? withDeleted : '')}
        onChange={({ target: { value } }) =>
          onChange({
            statusType: userStatuses.find((status) => String(status) === value) ?? null,
            includedDel: value === withDeleted,
          })
        }
      />
    </FilterBar>
  )
}

const withDeleted = 'deleted too'
