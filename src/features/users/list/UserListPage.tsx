import '#features/users/style.css'
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import type { UserRow } from '#contract/users.ts'
import { isDeleteLevel } from '#domain/access.ts'
import { userStatuses } from '#domain/accounts/users.ts'
import { useSelector, useSignedInSession } from '#state/use-store.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useTranslation } from 'react-i18next'
import { loadMessages } from '#ui/i18n/messages.ts'
import { type UsersView, usersView } from '#features/users/view.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { buildUserExportColumns } from '#features/users/list/export-columns.ts'
import { buildUserColumns } from '#features/users/list/columns.tsx'
import { SelectionCheckbox, SelectAllCheckbox } from '#features/users/list/SelectionCheckbox.tsx'
import { selectRowSelection } from '#features/users/list/row-selection.ts'
import type { BulkAction } from '#features/users/list/SelectionBar.tsx'
import { useRowActions } from '#features/users/list/useRowActions.ts'
import { useCloseDrawer } from '#features/users/list/useCloseDrawer.ts'
import { usersList } from '#features/users/slice.ts'

/** Loads messages together with the code, so that they are available at the first render. */
const loadWithTexts = async <M,>(module: Promise<M>): Promise<M> =>
  (await Promise.all([module, loadMessages('people', 'fields', 'problem')]))[0]

const loadDrawer = async () => ({
  default: (await loadWithTexts(import(/* chunk: users */ '#features/users/form/UserDrawer.tsx'))).UserDrawer,
})
const UserDrawer = lazy(loadDrawer)
const loadBar = () => loadWithTexts(import(/* chunk: users */ '#features/users/list/SelectionBar.tsx'))
const SelectionBar = lazy(async () => ({ default: (await loadBar()).SelectionBar }))
const BulkActionRunner = lazy(async () => ({ default: (await loadBar()).BulkActionRunner }))
const RemoveUserDialog = lazy(async () => ({
  default: (await loadWithTexts(import(/* chunk: users */ '#features/users/list/RemoveUserDialog.tsx')))
    .RemoveUserDialog,
}))

/** Preloads the form's code two seconds after the list was opened, so that the list does not wait for it (P-28). */
function usePreloadedForm() {
  useEffect(() => {
    const timer = setTimeout(() => void loadDrawer().catch(() => undefined), 2000)
    return () => clearTimeout(timer)
  }, [])
}

/** `ExtraSections` are shown in the drawer of a user while the page is online. */
export function UserListPage({
  ExtraSections,
}: {
  ExtraSections: ComponentType<{ id: number; name: string; email: string }>
}) {
  const { t } = useTranslation('users')
  const { user, caller } = useSignedInSession()
  const readOnlyReason = useReadOnlyReason()
  const list = useListPage(usersList, usersView, { scope: user.company_id })
  const { view, rows = [], changeView, refetch } = list
  const closeDrawer = useCloseDrawer(list)
  const [removedRow, setRemovedRow] = useState<UserRow | null>(null)
  const actions = useRowActions({
    onOpen: (open) => changeView({ open }),
    onRemove: ({ row }) => setRemovedRow(row),
    onDone: refetch,
  })
  usePreloadedForm()
  const timeZone = useSettings()?.time_zone ?? null
  const { ids } = useSelector(selectRowSelection)
  const [action, setAction] = useState<BulkAction | null>(null)
  const selectionText = t('pick.counted', { count: ids.length, number: formatNumber(ids.length) })
  return (
    <ListPage
      list={list}
      listClass="user-list"
      title={t('title')}
      intro={t('lead', { company: user.company_name })}
      exportAs={{
        name: t('title'),
        buildColumns: () => buildUserExportColumns(t, { hasLevel: isDeleteLevel(caller), timeZone }),
        namespaces: ['people'],
      }}
      action={
        <Button kind="primary" icon="plus" disabledReason={readOnlyReason} onClick={() => changeView({ open: 'new' })}>
          {t('create')}
        </Button>
      }
      searchLabel={t('filter.search')}
      extraFilters={<StatusFilter view={view} onChange={changeView} />}
      caption={t('caption', { company: user.company_name })}
      formatCount={(numbers) => t('counted', numbers)}
      columns={buildUserColumns(t, user.id)}
      getRowName={({ row }) => row.name}
      getRowPath={({ row }) => `?${usersView.write(usersView.change(view, { open: row.id }))}`}
      selection={{
        headContent: <SelectAllCheckbox rows={rows} />,
        cell: ({ row }) => <SelectionCheckbox row={row} rows={rows} />,
        selectionText: ids.length > 0 ? selectionText : undefined,
        bar: ids.length > 0 && (
          <Suspense fallback={null}>
            <SelectionBar list={list} isDialogOpen={action !== null} onAction={setAction} />
          </Suspense>
        ),
      }}
      actions={actions}
      empty={{
        notHere: { title: t('empty.notHere'), text: <NotHereText /> },
        noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.dropAll') },
        none: <NoUsers onCreate={() => changeView({ open: 'new' })} />,
      }}
    >
      {/* No wrapper that remounts the drawer: a new instance would not know whether closing must go back in the history. */}
      {view.open !== null && (
        <UserDrawer ExtraSections={ExtraSections} open={view.open} onClose={closeDrawer} onSaved={refetch} />
      )}
      {action && <BulkActionRunner action={action} onDone={refetch} onClose={() => setAction(null)} />}
      {removedRow && (
        <RemoveUserDialog
          row={removedRow}
          onClose={() => setRemovedRow(null)}
          onDone={() => {
            setRemovedRow(null)
            refetch()
          }}
        />
      )}
    </ListPage>
  )
}

interface StatusFilterProps {
  view: UsersView
  onChange: (change: Partial<UsersView>) => void
}

const withDeletedValue = 'deleted too'

/** The status filter, with "include deleted" as one of its choices (portal 2). */
function StatusFilter({ view, onChange }: StatusFilterProps) {
  const { t } = useTranslation('users')
  return (
    <SelectField
      label={t('filter.statusType')}
      options={[
        { value: '', label: t('filter.all') },
        ...userStatuses.map((status) => ({ value: status, label: t(`status.${status}`) })),
        { value: withDeletedValue, label: t('filter.includedDel') },
      ]}
      value={view.statusType ?? (view.includedDel ? withDeletedValue : '')}
      onChange={({ target: { value } }) =>
        onChange({ ...usersView.parse('statusType', value), includedDel: value === withDeletedValue })
      }
    />
  )
}

function NotHereText() {
  const { t } = useTranslation('users')
  return (
    <>
      <p>{t('empty.notHereText')}</p>
      <p>
        {t('empty.else')} <Link to="/app/device">{t('empty.device')}</Link>
      </p>
    </>
  )
}

function NoUsers({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation('users')
  const createButton = (
    <Button icon="plus" onClick={onCreate}>
      {t('create')}
    </Button>
  )
  return (
    <EmptyState icon="users" title={t('empty.title')} action={createButton}>
      {t('empty.text')}
    </EmptyState>
  )
}
