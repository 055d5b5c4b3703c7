import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { UserRow } from '#contract/users.ts'
import { useSelector, useSignedIn } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { rowMark } from '#ui/list/PendingMark.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '#ui/i18n/i18n.ts'
import { changeView, type View, writeView } from '#features/users/list-url.ts'
import { columns } from '#features/users/list/columns.tsx'
import { Filters } from '#features/users/list/Filters.tsx'
import { Pick, PickAll } from '#features/users/list/Picks.tsx'
import { selectPicked } from '#features/users/list/row-selection.ts'
import type { Act } from '#features/users/list/SelectionBar.tsx'
import { useActions } from '#features/users/list/useActions.ts'
import { useView } from '#features/users/list/useView.ts'
import { usersList } from '#features/users/slice.ts'

/** What comes later says its words from its first drawing on. */
const worded = async <M,>(code: Promise<M>): Promise<M> =>
  (await Promise.all([code, loadTexts('people', 'fields', 'problem')]))[0]

const load = async () => ({
  default: (await worded(import(/* chunk: users */ '#features/users/form/UserDrawer.tsx'))).UserDrawer,
})
const UserDrawer = lazy(load)
const loadBar = () => worded(import(/* chunk: users */ '#features/users/list/SelectionBar.tsx'))
const SelectionBar = lazy(async () => ({ default: (await loadBar()).SelectionBar }))
const Acting = lazy(async () => ({ default: (await loadBar()).Acting }))
const ExportDialog = lazy(async () => ({
  default: (await worded(import(/* chunk: users */ '#features/users/list/ExportDialog.tsx'))).ExportDialog,
}))
const RemoveUser = lazy(async () => ({
  default: (await worded(import(/* chunk: users */ '#features/users/list/RemoveUserDialog.tsx'))).RemoveUser,
}))
const NoUsers = lazy(async () => ({
  default: (await import(/* chunk: users */ '#features/users/list/EmptyList.tsx')).NoUsers,
}))
/** Fetches the form's code when the list has come to rest: no list waits for a form (P-28). */
const preloadForm = () => void load().catch(() => undefined)

/** `Beside`: what else is known of a user, shown in the drawer while there is a line. */
export function Users({ Beside }: { Beside: ComponentType<{ id: number; name: string }> }) {
  const { t } = useTranslation('users')
  const { t: words } = useTranslation('ui')
  const { user } = useSignedIn()
  const lapsed = useSelector(({ connection }) => connection.lapsed)
  const { view, change, close } = useView()
  const { newRows } = useNewRows(usersList)
  const grows = useNarrow()
  const shown = { scope: user.company_id, view, newRows, grows }
  const { rows, count, freshness, isFetching, problem, refetch } = useList(usersList, shown)
  const [removing, setRemoving] = useState<OverlaidRow<UserRow> | null>(null)
  const actions = useActions({ onOpen: (open) => change({ open }), onRemove: setRemoving, onDone: refetch })
  useEffect(() => {
    const timer = setTimeout(preloadForm, 2000)
    return () => clearTimeout(timer)
  }, [])
  const [exporting, setExporting] = useState(false)
  const { ids } = useSelector(selectPicked)
  const [act, setAct] = useState<Act | null>(null)
  const drawn = columns(t, user.id)
  const sorting = { columns: drawn, sort: view.sort, onSort: (sort: View['sort']) => change({ sort }) }
  return (
    <Page
      title={t('title')}
      intro={t('lead', { company: user.company_name })}
      action={
        <>
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
      <Filters view={view} sorting={sorting} onChange={change} />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <DataList
        caption={t('caption', { company: user.company_name })}
        counted={(count) => t('counted', { count, number: number(count) })}
        columns={drawn}
        rows={rows}
        rowKey={({ row }) => String(row.id)}
        rowName={({ row }) => row.name}
        pick={{
          head: <PickAll rows={rows ?? []} />,
          cell: ({ row }) => <Pick row={row} rows={rows ?? []} />,
          said: ids.length > 0 ? t('pick.counted', { count: ids.length, number: number(ids.length) }) : undefined,
          bar: ids.length > 0 && (
            <Suspense fallback={null}>
              <SelectionBar view={view} rows={rows ?? []} count={count} isActing={act !== null} onAct={setAct} />
            </Suspense>
          ),
        }}
        rowTo={({ row }) => `?${writeView(changeView(view, { open: row.id }))}`}
        mark={rowMark}
        actions={actions}
        sort={view.sort}
        onSort={sorting.onSort}
        grows={grows}
        page={view.page}
        results={view.results}
        count={count}
        onPage={(page, isCorrection) => change({ page }, isCorrection)}
        onResults={(results) => change({ results })}
        fresh={freshness}
        isFetching={isFetching}
        problem={problem}
        empty={
          <Suspense fallback={null}>
            <NoUsers view={view} read={freshness.asOf !== null} onChange={change} />
          </Suspense>
        }
      />
      {/* Nothing in between: a drawer that makes way for another one would lose the way back to what opened it. */}
      <Suspense fallback={null}>
        {view.open !== null && <UserDrawer Beside={Beside} open={view.open} onClose={close} onSaved={refetch} />}
      </Suspense>
      <Suspense fallback={null}>
        {act && <Acting act={act} onDone={refetch} onClose={() => setAct(null)} />}
        {exporting && <ExportDialog view={view} onClose={() => setExporting(false)} />}
        {removing && (
          <RemoveUser
            shown={removing}
            onClose={() => setRemoving(null)}
            onDone={() => {
              setRemoving(null)
              refetch()
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}
