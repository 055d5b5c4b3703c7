import type { ChangeEvent } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { rowsSelected, selectRowSelection, selectRange } from '#features/users/list/row-selection.ts'

type UserRows = readonly OverlaidRow<UserRow>[]

/** Check box of a row. With Shift it selects or deselects all rows from the last clicked one to this one. */
export function SelectionCheckbox({ row, rows }: { row: UserRow; rows: UserRows }) {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const { ids, rangeStart } = useSelector(selectRowSelection)
  const handleChange = (event: ChangeEvent<HTMLInputElement>) => {
    const isRange = (event.nativeEvent as MouseEvent).shiftKey
    const pageIds = rows.map((overlaidRow) => overlaidRow.row.id)
    dispatch(
      rowsSelected({
        ids: isRange ? selectRange(pageIds, rangeStart, row.id) : [row.id],
        isSelected: event.target.checked,
      }),
    )
  }
  return (
    <label className="check box">
      <input
        type="checkbox"
        aria-label={t('pick.one', { name: row.name })}
        checked={ids.includes(row.id)}
        onChange={handleChange}
      />
    </label>
  )
}

export function SelectAllCheckbox({ rows }: { rows: UserRows }) {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const { ids } = useSelector(selectRowSelection)
  const pageIds = rows.map(({ row }) => row.id)
  const selectedCount = pageIds.filter((id) => ids.includes(id)).length
  const isAllSelected = selectedCount > 0 && selectedCount === pageIds.length
  return (
    <label className="check box">
      <input
        type="checkbox"
        className="some"
        aria-label={t('pick.all')}
        ref={(input) => {
          if (input) input.indeterminate = selectedCount > 0 && !isAllSelected
        }}
        checked={isAllSelected}
        onChange={() => dispatch(rowsSelected({ ids: pageIds, isSelected: !isAllSelected }))}
      />
    </label>
  )
}
