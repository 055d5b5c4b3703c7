import type { ChangeEvent } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'
import { chosen, selectPicked, stretch } from '#features/users/list/row-selection.ts'

type Rows = readonly OverlaidRow<UserRow>[]

/** The box of a row; with Shift it chooses all up to there. */
export function Pick({ row, rows }: { row: UserRow; rows: Rows }) {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const { ids, from } = useSelector(selectPicked)
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const isLong = (event.nativeEvent as MouseEvent).shiftKey
    const page = rows.map((shown) => shown.row.id)
    dispatch(chosen({ ids: isLong ? stretch(page, from, row.id) : [row.id], on: event.target.checked }))
  }
  return (
    <label className="check box">
      <input
        type="checkbox"
        aria-label={t('pick.one', { name: row.name })}
        checked={ids.includes(row.id)}
        onChange={choose}
      />
    </label>
  )
}

/** The box in the head: all of the page. */
export function PickAll({ rows }: { rows: Rows }) {
  const { t } = useTranslation('users')
  const dispatch = useDispatch()
  const { ids } = useSelector(selectPicked)
  const page = rows.map(({ row }) => row.id)
  const here = page.filter((id) => ids.includes(id)).length
  const all = here > 0 && here === page.length
  return (
    <label className="check box">
      <input
        type="checkbox"
        className="some"
        aria-label={t('pick.all')}
        ref={(input) => {
          if (input) input.indeterminate = here > 0 && !all
        }}
        checked={all}
        onChange={() => dispatch(chosen({ ids: page, on: !all }))}
      />
    </label>
  )
}
