import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { ModuleRow } from '#contract/modules.ts'
import { clientTypeOf } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useClientType } from '#state/client-type.ts'
import { useConnection, useSignedIn } from '#state/hooks.ts'
import { useList } from '#state/use-list.ts'
import { historyPath } from '#ui/links/history-path.ts'
import { useListing } from '#state/use-list-url.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import type { RowAction } from '#ui/list/column.ts'
import { DataList } from '#ui/list/DataList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { rowMark } from '#ui/list/PendingMark.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import { Page } from '#ui/page/Page.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { columns } from '#features/modules/list/columns.tsx'
import { NoModules } from '#features/modules/list/EmptyList.tsx'
import { Filters } from '#features/modules/list/Filters.tsx'
import { type View, waysOf } from '#features/modules/list-url.ts'
import { hiddenModulesList, modulesList } from '#features/modules/slice.ts'
import { ChosenBar, chosenColumn } from '#features/modules/validation/ChosenBar.tsx'
import { Sheet } from '#features/modules/ModuleStyles.tsx'
import { pathOf } from '#features/modules/paths.ts'
import { useKeptApps } from '#features/modules/useCatalogue.ts'

const RemoveModule = lazy(async () => ({
  default: (await import('#features/modules/list/RemoveModuleDialog.tsx')).RemoveModule,
}))
const DependencyGraph = lazy(async () => ({
  default: (await import(/* chunk: staff-graph */ '#features/modules/graph/DependencyGraph.tsx')).DependencyGraph,
}))

const visibleWays = waysOf('visible')
const hiddenWays = waysOf('hidden')

export const Modules = () => <ModulesPage hidden={false} />
export const HiddenModules = () => <ModulesPage hidden />

/** The catalogue: what customers choose, or, `hidden`, what joins by itself (contracts 2, M136, M138). */
function ModulesPage({ hidden }: { hidden: boolean }) {
  const { t } = useTranslation('modules')
  const { t: words } = useTranslation('ui')
  const navigate = useNavigate()
  const { lapsed } = useConnection()
  const { caller } = useSignedIn()
  const kind = hidden ? 'hidden' : 'visible'
  const list = hidden ? hiddenModulesList : modulesList
  const ways = hidden ? hiddenWays : visibleWays
  const type = useClientType(clientTypeOf)
  const { view, change } = useListing(ways, list)
  const { newRows, clear } = useNewRows(list, type)
  useKeptApps()
  const grows = useNarrow()
  const shown = useList(list, { scope: null, view: { ...view, type }, newRows, grows })
  const { rows, count, freshness, isFetching, problem, refetch } = shown
  // Null: no set is being tested. The codes stay chosen over pages and filters.
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const [drawn, setDrawn] = useState(false)
  const [removing, setRemoving] = useState<Shown | null>(null)
  const create = pathOf(kind, 'new')

  const actions = useCallback(
    ({ row }: Shown): RowAction<Shown>[] => {
      const history = historyPath(
        { code: row.hidden ? 'automodule' : 'module', name: row.code, who: 'deleteLevel' },
        caller,
      )
      const past: RowAction<Shown>[] =
        history === null
          ? []
          : [{ key: 'history', label: t('act.history'), icon: 'history', onSelect: () => void navigate(history) }]
      return [
        { key: 'edit', label: t('act.edit'), icon: 'edit', onSelect: () => void navigate(pathOf(kindOf(row), row.id)) },
        ...past,
        {
          key: 'remove',
          label: t('act.remove'),
          icon: 'remove',
          danger: true,
          whyNot: () => (lapsed ? words('form.lapsed') : null),
          onSelect: setRemoving,
        },
      ]
    },
    [t, words, navigate, lapsed, caller],
  )
  const drawnColumns = useMemo(() => columns(t, view.shown), [t, view.shown])
  const sorting = { columns: drawnColumns, sort: view.sort, onSort: (sort: View['sort']) => change({ sort }) }
  const pick = useMemo(() => {
    const toggle = (code: string) =>
      setChosen((now) => now && (now.includes(code) ? now.filter((one) => one !== code) : [...now, code]))
    return chosen ? chosenColumn(chosen, toggle) : undefined
  }, [chosen])

  return (
    <Page
      title={t(`title.${kind}`)}
      intro={t(`lead.${kind}`)}
      action={
        <>
          <Button
            icon="refresh"
            bare
            busy={isFetching}
            onClick={() => {
              clear()
              refetch()
            }}
          >
            {t('act.refresh')}
          </Button>
          <Button icon="graph" aria-pressed={drawn} onClick={() => setDrawn(!drawn)}>
            {t('act.graph')}
          </Button>
          <Button icon="check" aria-pressed={chosen !== null} onClick={() => setChosen(chosen ? null : [])}>
            {t('act.test')}
          </Button>
          <ButtonLink kind="primary" icon="plus" to={create}>
            {t(`create.${kind}`)}
          </ButtonLink>
        </>
      }
    >
      <Sheet />
      <MacBanner />
      <Filters view={view} plain={kind} sorting={sorting} onChange={change} />
      <LoadProblem problem={problem} onRetry={refetch} />
      {chosen && <ChosenBar chosen={chosen} onChoose={setChosen} onEnd={() => setChosen(null)} />}
      <DataList
        caption={t(`title.${kind}`)}
        counted={(all) => t('counted', { count: all, number: number(all) })}
        columns={drawnColumns}
        rows={rows}
        rowKey={({ row }) => String(row.id)}
        rowName={nameOf}
        pick={pick}
        rowTo={chosen ? undefined : placeOf}
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
        empty={<NoModules view={view} read={freshness.asOf !== null} create={create} onChange={change} />}
      />
      <Suspense fallback={null}>
        {drawn && <DependencyGraph shown={rows?.map(({ row }) => row.code) ?? []} />}
        {removing && (
          <RemoveModule
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

type Shown = OverlaidRow<ModuleRow>
const kindOf = ({ hidden }: ModuleRow) => (hidden ? 'hidden' : 'visible')
const nameOf = ({ row }: Shown) => row.name
const placeOf = ({ row }: Shown) => pathOf(kindOf(row), row.id)
