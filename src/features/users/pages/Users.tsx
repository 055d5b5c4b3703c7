import { lazy, Suspense, useEffect, useState } from 'react'
import type { Shown } from '#local/view.ts'
import type { UserRow } from '#contract/users.ts'
import { useSelector, useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { problemOf } from '#state/status.ts'
import { Button } from '#ui/Button.tsx'
import { DataList } from '#ui/DataList.tsx'
import { number } from '#ui/Freshness.tsx'
import { Page } from '#ui/Page.tsx'
import { PendingMark } from '#ui/PendingMark.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { useWords } from '#ui/words.ts'
import { changeView, remembered, writeView } from '#features/users/address.ts'
import { columns } from '#features/users/components/columns.tsx'
import { Filters } from '#features/users/components/Filters.tsx'
import { NoUsers } from '#features/users/components/NoUsers.tsx'
import { useActions } from '#features/users/components/useActions.ts'
import { useAsking } from '#features/users/components/useAsking.ts'
import { useView } from '#features/users/components/useView.ts'
import { readUsers, usersAhead } from '#features/users/list.ts'
import { selectUsers } from '#features/users/slice.ts'

const load = () => import('#features/users/components/UserDrawer.tsx')
const UserDrawer = lazy(async () => ({ default: (await load()).UserDrawer }))
const RemoveUser = lazy(async () => ({
  default: (await import('#features/users/components/RemoveUser.tsx')).RemoveUser,
}))
/** Fetches the form's code when the list has come to rest: no list waits for a form (P-28). */
const preloadForm = () => void load().catch(() => undefined)

const nothing = { count: 0, here: 0, total: null, asOf: null, complete: false }

export function Users() {
  const t = useWords('users')
  const { user } = useSignedIn()
  const { view, change, close } = useView()
  const { list: status } = useSelector(selectUsers)
  const again = useAsking(user.company_id, view)
  const [removing, setRemoving] = useState<Shown<UserRow> | null>(null)
  const actions = useActions({ onOpen: (open) => change({ open }), onRemove: setRemoving, onDone: again })
  const list = useLive(
    () => readUsers(user.company_id, view),
    [user.company_id, remembered(view)],
    usersAhead(user.company_id, view),
  )
  useEffect(() => {
    const timer = setTimeout(preloadForm, 2000)
    return () => clearTimeout(timer)
  }, [])
  const busy = status.is === 'sending'
  const problem = problemOf(status)
  // An empty device that is just being filled has no answer yet: that is a skeleton, not "no users".
  const rows = list && !(busy && list.rows.length === 0) ? list.rows : undefined

  return (
    <Page
      title={t('title')}
      intro={t('lead', { company: user.company_name })}
      action={
        <Button kind="primary" icon="plus" onClick={() => change({ open: 'new' })}>
          {t('create')}
        </Button>
      }
    >
      <Filters view={view} onChange={change} />
      <ProblemNote problem={problem} onRetry={again} />
      <DataList
        caption={t('caption', { company: user.company_name })}
        counted={(count) => t('counted', { count, number: number(count) })}
        columns={columns(t, user.id)}
        rows={rows}
        rowKey={({ row }) => String(row.id)}
        rowName={({ row }) => row.name}
        rowTo={({ row }) => `?${writeView(changeView(view, { open: row.id }))}`}
        mark={({ waiting }) => waiting && <PendingMark state={waiting.state} makes={waiting.makes} />}
        actions={actions}
        most="edit"
        sort={view.sort}
        onSort={(sort) => change({ sort })}
        page={view.page}
        results={view.results}
        count={list?.count ?? 0}
        onPage={(page) => change({ page })}
        onResults={(results) => change({ results })}
        fresh={list ?? nothing}
        busy={busy}
        empty={<NoUsers view={view} read={list?.asOf !== null} onChange={change} />}
      />
      {/* Nothing in between: a drawer that makes way for another one would lose the way back to what opened it. */}
      <Suspense fallback={null}>
        {view.open !== null && <UserDrawer open={view.open} onClose={close} onSaved={again} />}
      </Suspense>
      <Suspense fallback={null}>
        {removing && (
          <RemoveUser
            shown={removing}
            onClose={() => setRemoving(null)}
            onDone={() => {
              setRemoving(null)
              again()
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}
