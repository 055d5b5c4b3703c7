import { SelectField } from '#ui/form/ChoiceFields.tsx'
import type { Sorting } from '#ui/list/column.ts'
import { FilterBar } from '#ui/list/FilterBar.tsx'
import { useTranslation } from 'react-i18next'
import { type Shown, shownKinds, type View } from '#features/modules/list-url.ts'

interface Props {
  view: View
  /** The kind with which the page begins. */
  plain: Shown
  sorting: Sorting
  onChange: (change: Partial<View>) => void
}

/** Which kind, and a text; the client type stands above all pages of the staff (M136). */
export function Filters({ view, plain, sorting, onChange }: Props) {
  const { t } = useTranslation('modules')
  return (
    <FilterBar
      search={{ value: view.searchText, onChange: (searchText) => onChange({ searchText }), label: t('filter.search') }}
      used={Number(view.shown !== plain)}
      sorting={sorting}
      onClearAll={() => onChange({ searchText: '', shown: plain })}
    >
      <SelectField
        label={t('filter.shown')}
        options={shownKinds.map((value) => ({ value, label: t(`shown.${value}`) }))}
        value={view.shown}
        onChange={({ target }) => onChange({ shown: shownKinds.find((one) => one === target.value) ?? plain })}
      />
    </FilterBar>
  )
}
