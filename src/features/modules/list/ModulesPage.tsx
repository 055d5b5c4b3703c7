import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { ModuleRow } from '#contract/modules.ts'
import { getClientType } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useClientType } from '#state/client-type.ts'
import { useConnection, useSignedInSession } from '#state/use-store.ts'
import { useList } from '#state/use-list.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { DataList } from '#ui/list/DataList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { renderRowMark } from '#ui/list/PendingMark.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { buildModuleColumns } from '#features/modules/list/columns.tsx'
import { EmptyModules } from '#features/modules/list/EmptyModules.tsx'
import { ModuleFilters } from '#features/modules/list/ModuleFilters.tsx'
import { type ModulesView, createViewFunctions } from '#features/modules/view.ts'
import { hiddenModulesList, modulesList } from '#features/modules/slice.ts'
import { ModuleSelectionBar, buildSelectionColumn } from '#features/modules/validation/ModuleSelectionBar.tsx'
import { ModuleStyles } from '#features/modules/ModuleStyles.tsx'
import { toModulePath } from '#features/modules/module-path.ts'
import { usePreloadApps } from '#features/modules/useCatalogue.ts'

const LazyRemoveModuleDialog = lazy(async () => ({
  default: (await import('#features/modules/list/RemoveModuleDialog.tsx')).RemoveModuleDialog,
}))
const DependencyGraph = lazy(async () => ({
  default: (await import(/* chunk: staff-graph */ '#features/modules/graph/DependencyGraph.tsx')).DependencyGraph,
}))

const visibleViewFunctions = createViewFunctions('visible')
const hiddenViewFunctions = createViewFunctions('hidden')

export const ModulesPage = () => <ModulesList isHidden={false} />
export const HiddenModulesPage = () => <ModulesList isHidden />

/** The catalogue: what customers choose, or, `hidden`, what joins by itself (contracts 2, M136, M138). */
function ModulesList({ isHidden }: { isHidden: boolean }) {
  const { t } = useTranslation('modules')
  const { t: tUi } = useTranslation('ui')
  const navigate = useNavigate()
  const { isSessionExpired } = useConnection()
  const { caller } = useSignedInSession()
  const kind = isHidden ? 'hidden' : 'visible'
  const list = isHidden ? hiddenModulesList : modulesList
  const viewFunctions = isHidden ? hiddenViewFunctions : visibleViewFunctions
  const type = useClientType(getClientType)
  const { view, changeView: change } = useListUrl(viewFunctions, list)
  const { newRowRefs: newRows, clear: clearNewRows } = useNewRows(list, type)
  usePreloadApps()
  const isNarrow = useNarrow()
  const listState = useList(list, { scope: null, view: { ...view, type }, newRowRefs: newRows, isGrowing: isNarrow })
  const { rows, count, freshness, isFetching, problem, refetch } = listState
  // Null: no set is being tested. The codes stay chosen over pages and filters.
  const [selectedCodes, setSelectedCodes] = useState<readonly string[] | null>(null)
  const [isGraphOpen, setGraphOpen] = useState(false)
  const [removedRow, setRemovedRow] = useState<ModuleListRow | null>(null)
  const createPath = toModulePath(kind, 'new')

  const actions = useCallback(
    ({ row }: ModuleListRow): RowAction<ModuleListRow>[] => {
      const trailPath = buildHistoryPath(
        { code: row.hidden ? 'automodule' : 'module', name: row.code, access: 'deleteLevel' },
        caller,
      )
      const historyActions: RowAction<ModuleListRow>[] =
        trailPath === null
          ? []
          : [{ key: 'history', label: t('act.history'), icon: 'history', onSelect: () => void navigate(trailPath) }]
      return [
        {
          key: 'edit',
          label: t('act.edit'),
          icon: 'edit',
          onSelect: () => void navigate(toModulePath(getKind(row), row.id)),
        },
        ...historyActions,
        {
          key: 'remove',
          label: t('act.remove'),
          icon: 'remove',
          isDestructive: true,
          getDisabledReason: () => (isSessionExpired ? tUi('form.lapsed') : null),
          onSelect: setRemovedRow,
        },
      ]
    },
    [t, tUi, navigate, isSessionExpired, caller],
  )
  const visibleColumns = useMemo(() => buildModuleColumns(t, view.kindFilter), [t, view.kindFilter])
  const sorting = { columns: visibleColumns, sort: view.sort, onSort: (sort: ModulesView['sort']) => change({ sort }) }
  const selectionColumn = useMemo(() => {
    const toggle = (code: string) =>
      setSelectedCodes(
        (current) =>
          current &&
          (current.includes(code) ? current.filter((selectedCode) => selectedCode !== code) : [...current, code]),
      )
    return selectedCodes ? buildSelectionColumn(selectedCodes, toggle) : undefined
  }, [selectedCodes])

  return (
    <Page
      title={t(`title.${kind}`)}
      intro={t(`lead.${kind}`)}
      action={
        <>
          <Button
            icon="refresh"
            isIconOnly
            isBusy={isFetching}
            onClick={() => {
              clearNewRows()
              refetch()
            }}
          >
            {t('act.refresh')}
          </Button>
          <Button icon="graph" aria-pressed={isGraphOpen} onClick={() => setGraphOpen(!isGraphOpen)}>
            {t('act.graph')}
          </Button>
          <Button
            icon="check"
            aria-pressed={selectedCodes !== null}
            onClick={() => setSelectedCodes(selectedCodes ? null : [])}
          >
            {t('act.test')}
          </Button>
          <ButtonLink kind="primary" icon="plus" to={createPath}>
            {t(`create.${kind}`)}
          </ButtonLink>
        </>
      }
    >
      <ModuleStyles />
      <MacBanner />
      <ModuleFilters view={view} defaultKind={kind} sorting={sorting} onChange={change} />
      <LoadProblem problem={problem} onRetry={refetch} />
      {selectedCodes && (
        <ModuleSelectionBar
          selectedCodes={selectedCodes}
          onSelect={setSelectedCodes}
          onEnd={() => setSelectedCodes(null)}
        />
      )}
      <DataList
        caption={t(`title.${kind}`)}
        formatCount={(total) => t('counted', { count: total, number: formatNumber(total) })}
        columns={visibleColumns}
        rows={rows}
        getRowKey={({ row }) => String(row.id)}
        getRowName={getName}
        selection={selectionColumn}
        getRowPath={selectedCodes ? undefined : toRowPath}
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
          <EmptyModules view={view} wasRead={freshness.asOf !== null} createPath={createPath} onChange={change} />
        }
      />
      <Suspense fallback={null}>
        {isGraphOpen && <DependencyGraph listedCodes={rows?.map(({ row }) => row.code) ?? []} />}
        {removedRow && (
          <LazyRemoveModuleDialog
            row={removedRow}
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

type ModuleListRow = OverlaidRow<ModuleRow>
const getKind = ({ hidden }: ModuleRow) => (hidden ? 'hidden' : 'visible')
const getName = ({ row }: ModuleListRow) => row.name
const toRowPath = ({ row }: ModuleListRow) => toModulePath(getKind(row), row.id)
