import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { SelectAllBox, SelectionBox } from '#ui/list/SelectionBox.tsx'
import { useTranslation } from 'react-i18next'
import { rowsSelected, selectRowSelection } from '#features/users/list/row-selection.ts'

type UserRows = readonly OverlaidRow<UserRow>[]

const getIds = (rows: UserRows) => rows.map(({ row }) => row.id)

export function SelectionCheckbox({ row, rows }: { row: UserRow; rows: UserRows }) {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const { ids, rangeStart } = useSelector(selectRowSelection)
  return (
    <SelectionBox
      label={t('pick.one', { name: row.name })}
      rowKey={row.id}
      pageKeys={getIds(rows)}
      rangeStart={rangeStart}
      isSelected={ids.includes(row.id)}
      onSelect={(selectedIds, isSelected) => dispatch(rowsSelected({ ids: selectedIds, isSelected }))}
    />
  )
}

export function SelectAllCheckbox({ rows }: { rows: UserRows }) {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const { ids } = useSelector(selectRowSelection)
  const pageIds = getIds(rows)
  return (
    <SelectAllBox
      label={t('pick.all')}
      selectedCount={pageIds.filter((id) => ids.includes(id)).length}
      count={pageIds.length}
      onSelect={(isSelected) => dispatch(rowsSelected({ ids: pageIds, isSelected }))}
    />
  )
}
