import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { UserRow } from '#contract/users.ts'
import { useSelector, useSignedInSession } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { Page } from '#ui/page/Page.tsx'
import { renderRowMark } from '#ui/list/PendingMark.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { loadMessages } from '#ui/i18n/messages.ts'
import { changeView, type UsersView, writeView } from '#features/users/view.ts'
import { buildUserColumns } from '#features/users/list/columns.tsx'
import { UserFilters } from '#features/users/list/UserFilters.tsx'
import { SelectionCheckbox, SelectAllCheckbox } from '#features/users/list/SelectionCheckbox.tsx'
import { selectRowSelection } from '#features/users/list/row-selection.ts'
import type { BulkAction } from '#features/users/list/SelectionBar.tsx'
import { useRowActions } from '#features/users/list/useRowActions.ts'
import { useUsersView } from '#features/users/list/useUsersView.ts'
import { usersList } from '#features/users/slice.ts'

/** What comes later says its words from its first drawing on. */
const loadWithTexts = async <M,>(module: Promise<M>): Promise<M> =>
  (await Promise.all([module, loadMessages('people', 'fields', 'problem')]))[0]

const loadDrawer = async () => ({
  default: (await loadWithTexts(import(/* chunk: users */ '#features/users/form/UserDrawer.tsx'))).UserDrawer,
})
const UserDrawer = lazy(loadDrawer)
const loadBar = () => loadWithTexts(import(/* chunk: users */ '#features/users/list/SelectionBar.tsx'))
const SelectionBar = lazy(async () => ({ default: (await loadBar()).SelectionBar }))
const BulkActionRunner = lazy(async () => ({ default: (await loadBar()).BulkActionRunner }))
const ExportDialog = lazy(async () => ({
  default: (await loadWithTexts(import(/* chunk: users */ '#features/users/list/ExportDialog.tsx'))).ExportDialog,
}))
const RemoveUserDialog = lazy(async () => ({
  default: (await loadWithTexts(import(/* chunk: users */ '#features/users/list/RemoveUserDialog.tsx')))
    .RemoveUserDialog,
}))
const EmptyUsers = lazy(async () => ({
  default: (await import(/* chunk: users */ '#features/users/list/EmptyUsers.tsx')).EmptyUsers,
}))
/** Fetches the form's code when the list has come to rest: no list waits for a form (P-28). */
const preloadForm = () => void loadDrawer().catch(() => undefined)

/** `ExtraSections`: what else is known of a user, shown in the drawer while there is a line. */
export function UserListPage({ ExtraSections }: { ExtraSections: ComponentType<{ id: number; name: string }> }) {
  const { t } = useTranslation('users')
  const { t: tUi } = useTranslation('ui')
  const { user } = useSignedInSession()
  const isSessionExpired = useSelector(({ connection }) => connection.isSessionExpired)
  const { view, change, close } = useUsersView()
  const { newRowRefs: newRows } = useNewRows(usersList)
  const isNarrow = useNarrow()
  const listOptions = { scope: user.company_id, view, newRowRefs: newRows, isGrowing: isNarrow }
  const { rows, count, freshness, isFetching, problem, refetch } = useList(usersList, listOptions)
  const [removedRow, setRemovedRow] = useState<OverlaidRow<UserRow> | null>(null)
  const actions = useRowActions({ onOpen: (open) => change({ open }), onRemove: setRemovedRow, onDone: refetch })
  useEffect(() => {
    const timer = setTimeout(preloadForm, 2000)
    return () => clearTimeout(timer)
  }, [])
  const [isExporting, setIsExporting] = useState(false)
  const { ids } = useSelector(selectRowSelection)
  const [action, setAction] = useState<BulkAction | null>(null)
  const visibleColumns = buildUserColumns(t, user.id)
  const sorting = { columns: visibleColumns, sort: view.sort, onSort: (sort: UsersView['sort']) => change({ sort }) }
  return (
    <Page
      title={t('title')}
      intro={t('lead', { company: user.company_name })}
      action={
        <>
          <Button icon="install" aria-haspopup="dialog" onClick={() => setIsExporting(true)}>
            {t('export')}
          </Button>
          <Button
            kind="primary"
            icon="plus"
            disabledReason={isSessionExpired && tUi('form.lapsed')}
            onClick={() => change({ open: 'new' })}
          >
            {t('create')}
          </Button>
        </>
      }
    >
      <UserFilters view={view} sorting={sorting} onChange={change} />
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetch} />
      <DataList
        caption={t('caption', { company: user.company_name })}
        formatCount={(count) => t('counted', { count, number: formatNumber(count) })}
        columns={visibleColumns}
        rows={rows}
        getRowKey={({ row }) => String(row.id)}
        getRowName={({ row }) => row.name}
        selection={{
          headContent: <SelectAllCheckbox rows={rows ?? []} />,
          cell: ({ row }) => <SelectionCheckbox row={row} rows={rows ?? []} />,
          selectionText:
            ids.length > 0 ? t('pick.counted', { count: ids.length, number: formatNumber(ids.length) }) : undefined,
          bar: ids.length > 0 && (
            <Suspense fallback={null}>
              <SelectionBar
                view={view}
                rows={rows ?? []}
                count={count}
                isDialogOpen={action !== null}
                onAction={setAction}
              />
            </Suspense>
          ),
        }}
        getRowPath={({ row }) => `?${writeView(changeView(view, { open: row.id }))}`}
        renderMark={renderRowMark}
        actions={actions}
        sort={view.sort}
        onSort={sorting.onSort}
        isGrowing={isNarrow}
        page={view.page}
        pageSize={view.results}
        count={count}
        onPage={(page, isCorrection) => change({ page }, isCorrection)}
        onPageSize={(results) => change({ results })}
        freshness={freshness}
        isFetching={isFetching}
        problem={problem}
        emptyContent={
          <Suspense fallback={null}>
            <EmptyUsers view={view} wasRead={freshness.asOf !== null} onChange={change} />
          </Suspense>
        }
      />
      {/* Nothing in between: a drawer that makes way for another one would lose the way back to what opened it. */}
      <Suspense fallback={null}>
        {view.open !== null && (
          <UserDrawer ExtraSections={ExtraSections} open={view.open} onClose={close} onSaved={refetch} />
        )}
      </Suspense>
      <Suspense fallback={null}>
        {action && <BulkActionRunner action={action} onDone={refetch} onClose={() => setAction(null)} />}
        {isExporting && <ExportDialog view={view} onClose={() => setIsExporting(false)} />}
        {removedRow && (
          <RemoveUserDialog
            overlaidRow={removedRow}
            onClose={() => setRemovedRow(null)}
            onDone={() => {
              setRemovedRow(null)
              refetch()
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}
