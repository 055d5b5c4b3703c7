import { type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Shown } from '#local/view.ts'
import type { UserRow } from '#contract/users.ts'
import { useSelector, useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { DataList } from '#ui/DataList.tsx'
import { number } from '#ui/Freshness.tsx'
import { Page } from '#ui/Page.tsx'
import { PendingMark } from '#ui/PendingMark.tsx'
import { loadTexts, useWords } from '#ui/words.ts'
import { changeView, remembered, writeView } from '#features/users/address.ts'
import { columns } from '#features/users/components/columns.tsx'
import { Filters } from '#features/users/components/Filters.tsx'
import { useActions } from '#features/users/components/useActions.ts'
import { AskingProblem, Asks, useAsking, useBusy } from '#features/users/components/asking.tsx'
import { useView } from '#features/users/components/useView.ts'
import { readUsers, usersAhead } from '#features/users/list.ts'

/** What comes later says its words from its first drawing on. */
const worded = async <M,>(code: Promise<M>): Promise<M> =>
  (await Promise.all([code, loadTexts('people', 'fields', 'problem')]))[0]

const load = async () => ({ default: (await worded(import('#features/users/components/UserDrawer.tsx'))).UserDrawer })
const UserDrawer = lazy(load)
const loadPicks = () => worded(import('#features/users/components/Picks.tsx'))
const ExportDialog = lazy(async () => ({
  default: (await worded(import('#features/users/components/ExportDialog.tsx'))).ExportDialog,
}))
const RemoveUser = lazy(async () => ({
  default: (await worded(import('#features/users/components/RemoveUser.tsx'))).RemoveUser,
}))
const NoUsers = lazy(async () => ({ default: (await import('#features/users/components/NoUsers.tsx')).NoUsers }))
/** Fetches the form's code when the list has come to rest: no list waits for a form (P-28). */
const preloadForm = () => void load().catch(() => undefined)

const nothing = { count: 0, here: 0, total: null, asOf: null, complete: false }

/** `Beside`: what else is known of a user, shown in the drawer while there is a line. */
export function Users({ Beside }: { Beside: ComponentType<{ id: number; name: string }> }) {
  const t = useWords('users')
  const words = useWords('ui')
  const { user } = useSignedIn()
  const lapsed = useSelector(({ connection }) => connection.lapsed)
  const { view, change, close } = useView()
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
  const [picks, setPicks] = useState<Awaited<ReturnType<typeof loadPicks>> | null>(null)
  const [exporting, setExporting] = useState(false)
  const select = useRef<HTMLButtonElement>(null)
  const endPicking = () => {
    setPicks(null)
    select.current?.focus()
  }
  return (
    <Page
      title={t('title')}
      intro={t('lead', { company: user.company_name })}
      action={
        <>
          <Button
            ref={select}
            icon="check"
            aria-pressed={picks !== null}
            onClick={() => (picks ? endPicking() : void loadPicks().then(setPicks, () => undefined))}
          >
            {t('select')}
          </Button>
          <Button icon="install" aria-haspopup="dialog" onClick={() => setExporting(true)}>
            {t('export')}
          </Button>
          <Button
            kind="primary"
            icon="plus"
            whyNot={lapsed && words('form.lapsed')}
            onClick={() => change({ open: 'new' })}
          >
            {t('create')}
          </Button>
        </>
      }
    >
      <Filters view={view} onChange={change} />
      <Asks ask={again} />
      <AskingProblem onRetry={again} />
      {picks && <picks.PickBar view={view} rows={list?.rows ?? []} onDone={again} onEnd={endPicking} />}
      <DataList
        caption={t('caption', { company: user.company_name })}
        counted={(count) => t('counted', { count, number: number(count) })}
        columns={columns(t, user.id)}
        rows={list?.rows}
        rowKey={({ row }) => String(row.id)}
        rowName={({ row }) => row.name}
        pick={picks?.pickColumn(list?.rows ?? [])}
        rowTo={({ row }) => (picks ? null : `?${writeView(changeView(view, { open: row.id }))}`)}
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
        useBusy={useBusy}
        empty={
          <Suspense fallback={null}>
            <NoUsers view={view} read={list?.asOf !== null} onChange={change} />
          </Suspense>
        }
      />
      {/* Nothing in between: a drawer that makes way for another one would lose the way back to what opened it. */}
      <Suspense fallback={null}>
        {view.open !== null && <UserDrawer Beside={Beside} open={view.open} onClose={close} onSaved={again} />}
      </Suspense>
      <Suspense fallback={null}>
        {exporting && <ExportDialog view={view} onClose={() => setExporting(false)} />}
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
