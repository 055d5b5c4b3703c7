import { type ChangeEvent, useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { UserMove } from '#domain/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch, useSelector } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { filtersOf, type View } from '#features/users/list/list-url.ts'
import { ManyDialog } from '#features/users/list/BulkActionDialog.tsx'
import { chosen, ended, selectPicked, stretch } from '#features/users/list/row-selection.ts'

type Rows = readonly OverlaidRow<UserRow>[]

/** The column that rows are chosen in. */
export const pickColumn = (rows: Rows) => ({
  head: <Head />,
  cell: ({ row }: OverlaidRow<UserRow>) => <Pick row={row} rows={rows} />,
})

const Head = () => <span className="sr-only">{useTranslation('people').t('pick.column')}</span>

function Pick({ row, rows }: { row: UserRow; rows: Rows }) {
  const { t } = useTranslation('people')
  const dispatch = useDispatch()
  const { ids, from } = useSelector(selectPicked)
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const isLong = (event.nativeEvent as MouseEvent).shiftKey
    const page = rows.map((shown) => shown.row.id)
    dispatch(chosen({ ids: isLong ? stretch(page, from, row.id) : [row.id], on: event.target.checked }))
  }
  return (
    <label className="check box pick-box">
      <input
        type="checkbox"
        aria-label={t('pick.one', { name: row.name })}
        checked={ids.includes(row.id)}
        onChange={choose}
      />
    </label>
  )
}

const acts = [
  { what: 'enable', icon: 'play' },
  { what: 'disable', icon: 'stop' },
  { what: 'activatemail', icon: 'mail' },
  { what: 'remove', icon: 'remove' },
] as const

/** How many are chosen, and what may be done with all of them. Escape ends it. */
export function PickBar({
  view,
  rows,
  onDone,
  onEnd,
}: {
  view: View
  rows: Rows
  onDone: () => void
  onEnd: () => void
}) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const { t: words } = useTranslation('ui')
  const { lapsed } = useConnection()
  const { ids } = useSelector(selectPicked)
  const [act, setAct] = useState<UserMove | null>(null)
  useEnding(view, onEnd)
  const elsewhere = ids.filter((id) => !rows.some(({ row }) => row.id === id)).length
  const whyNot = lapsed ? words('form.lapsed') : ids.length === 0 ? t('pick.none') : null
  return (
    <section className="picks" aria-label={t('pick.bar')}>
      <AllOfPage rows={rows} />
      <p role="status">
        {t('pick.counted', { count: ids.length, number: number(ids.length) })}
        {elsewhere > 0 && <span> · {t('pick.elsewhere', { number: number(elsewhere) })}</span>}
      </p>
      <div className="picks-acts">
        {acts.map(({ what, icon }) => (
          <Button key={what} icon={icon} aria-haspopup="dialog" whyNot={whyNot} onClick={() => setAct(what)}>
            {users(`action.${what}`)}
          </Button>
        ))}
      </div>
      <div className="picks-end">
        <Button kind="plain" icon="close" onClick={onEnd}>
          {t('pick.end')}
        </Button>
      </div>
      {act && <ManyDialog what={act} ids={ids} onDone={onDone} onClose={() => setAct(null)} />}
    </section>
  )
}

/** Nobody acts on what a filter has hidden since. */
function useEnding(view: View, onEnd: () => void) {
  const dispatch = useDispatch()
  const filters = JSON.stringify(filtersOf(view))
  useEffect(() => () => void dispatch(ended()), [dispatch, filters])
  useEffect(() => {
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented && !document.querySelector('[role=dialog]')) onEnd()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

function AllOfPage({ rows }: { rows: Rows }) {
  const { t } = useTranslation('people')
  const dispatch = useDispatch()
  const { ids } = useSelector(selectPicked)
  const page = rows.map(({ row }) => row.id)
  const here = page.filter((id) => ids.includes(id)).length
  const all = here > 0 && here === page.length
  return (
    <label className="check box picks-all">
      <input
        type="checkbox"
        className="some"
        ref={(input) => {
          if (input) input.indeterminate = here > 0 && !all
        }}
        checked={all}
        onChange={() => dispatch(chosen({ ids: page, on: !all }))}
      />
      <span>{t('pick.all')}</span>
    </label>
  )
}
