import { useEffect } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { UserMove } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import type { IconName } from '#ui/icons/Icon.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { useTranslation } from 'react-i18next'
import { ManyDialog } from '#features/users/list/BulkActionDialog.tsx'
import { askAllUsers, readAllUsers } from '#features/users/list/export-users.ts'
import { filtersOf, type View } from '#features/users/list-url.ts'
import { RolesDialog } from '#features/users/list/RolesDialog.tsx'
import { chosen, ended, selectPicked } from '#features/users/list/row-selection.ts'

interface Props {
  view: View
  rows: readonly OverlaidRow<UserRow>[]
  /** Of the filter. */
  count: number
  /** A dialog about one of the acts is open. */
  isActing: boolean
  onAct: (act: Act) => void
}

export type Act = 'roles' | UserMove

const acts: readonly { act: Act; icon: IconName }[] = [
  { act: 'roles', icon: 'key' },
  { act: 'activatemail', icon: 'mail' },
  { act: 'disable', icon: 'stop' },
  { act: 'enable', icon: 'play' },
  { act: 'remove', icon: 'remove' },
]

/** How many are chosen, and what may be done with all of them. Escape ends it. */
export function SelectionBar({ view, rows, count, isActing, onAct }: Props) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const { t: words } = useTranslation('ui')
  const { lapsed } = useConnection()
  const { ids } = useSelector(selectPicked)
  const end = useEnding(view, !isActing)
  const chooseAll = useAll(view)
  const elsewhere = ids.filter((id) => !rows.some(({ row }) => row.id === id)).length
  const isPage = rows.length > 0 && elsewhere + rows.length === ids.length && ids.length < count
  const whyNot = lapsed ? words('form.lapsed') : null
  const nameOf = (one: Act) => (one === 'roles' ? t('pick.roles') : users(`action.${one}`))
  const all = { key: 'all', label: t('pick.everybody', { number: number(count) }), onSelect: () => void chooseAll() }
  const items = acts.slice(1).map(({ act: one, icon }) => ({
    key: one,
    label: nameOf(one),
    icon,
    whyNot,
    danger: one === 'remove',
    onSelect: () => onAct(one),
  }))
  return (
    <section className="list-bar picks" aria-label={t('pick.bar')}>
      <p>
        {users('pick.counted', { count: ids.length, number: number(ids.length) })}
        {elsewhere > 0 && <span className="picks-wide"> · {t('pick.elsewhere', { number: number(elsewhere) })}</span>}
      </p>
      {isPage && (
        <span className="picks-wide">
          <Button kind="plain" onClick={all.onSelect}>
            {all.label}
          </Button>
        </span>
      )}
      <span className="picks-acts">
        {acts.map(({ act: one, icon }) => (
          <span key={one} className={one === 'roles' ? 'picks-first' : `picks-wide picks-${one}`}>
            <Button
              kind={one === 'remove' ? 'plain' : 'quiet'}
              icon={icon}
              aria-haspopup="dialog"
              whyNot={whyNot}
              onClick={() => onAct(one)}
            >
              {nameOf(one)}
            </Button>
          </span>
        ))}
        <span className="picks-narrow">
          <Menu label={t('pick.more')} items={ids.length < count ? [all, ...items] : items} />
        </span>
      </span>
      <Button kind="plain" icon="close" bare onClick={end}>
        {t('pick.end')}
      </Button>
    </section>
  )
}

interface ActingProps {
  act: Act
  onDone: () => void
  onClose: () => void
}

/** Apart from the bar, which goes with the last that is chosen. */
export function Acting({ act, onDone, onClose }: ActingProps) {
  const { ids } = useSelector(selectPicked)
  if (act === 'roles') return <RolesDialog ids={ids} onDone={onDone} onClose={onClose} />
  return <ManyDialog what={act} ids={ids} onDone={onDone} onClose={onClose} />
}

/** All that the filter means: from the device, or, where that has not all of it, from the server. */
function useAll(view: View) {
  const dispatch = useDispatch()
  const { user } = useSignedIn()
  const { line, lapsed } = useConnection()
  return async () => {
    const here = await readAllUsers(user.company_id, view)
    const asks = !here.complete && line === 'online' && !lapsed
    const rows = asks ? await dispatch(askAllUsers(user.company_id, view)) : here.rows
    if ('code' in rows) showToast({ kind: 'failed', text: problemWords(rows) })
    else dispatch(chosen({ ids: rows.map(({ row }) => row.id), on: true }))
  }
}

/** Nobody acts on what a filter has hidden since. */
function useEnding(view: View, mayEnd: boolean) {
  const dispatch = useDispatch()
  const filters = JSON.stringify(filtersOf(view))
  const end = () => {
    dispatch(ended())
    document.querySelector<HTMLElement>('td.pick input')?.focus()
  }
  useEffect(() => () => void dispatch(ended()), [dispatch, filters])
  useEffect(() => {
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && mayEnd && !defaultPrevented && !document.querySelector('[role=dialog]')) end()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return end
}
