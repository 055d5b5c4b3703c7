import type { TFunction } from 'i18next'
import { lazy, useMemo, useState } from 'react'
import type { ModuleRow } from '#contract/modules.ts'
import { getClientType } from '#domain/access.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { useClientType } from '#state/client-type.ts'
import { ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { MacBanner } from '#ui/page/MacBanner.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'
import { useTranslation } from 'react-i18next'
import { buildModuleColumns } from '#features/modules/list/columns.tsx'
import { useModuleActions } from '#features/modules/list/useModuleActions.ts'
import { ModuleStyles } from '#features/modules/ModuleStyles.tsx'
import { type ModuleKind, toModulePath, toRowPath } from '#features/modules/module-path.ts'
import { hiddenModulesList, modulesList } from '#features/modules/slice.ts'
import { usePreloadApps } from '#features/modules/useCatalogue.ts'
import { ModuleSelectionBar, useModuleSelection } from '#features/modules/validation/ModuleSelectionBar.tsx'
import { hiddenModulesView, kindFilters, modulesView } from '#features/modules/view.ts'

const LazyRemoveModuleDialog = lazy(async () => ({
  default: (await import('#features/modules/list/RemoveModuleDialog.tsx')).RemoveModuleDialog,
}))
const DependencyGraph = lazy(async () => ({
  default: (await import(/* chunk: staff-graph */ '#features/modules/graph/DependencyGraph.tsx')).DependencyGraph,
}))

const listsByKind = {
  visible: { slice: modulesList, definition: modulesView },
  hidden: { slice: hiddenModulesList, definition: hiddenModulesView },
}

export const ModulesPage = () => <ModulesList kind="visible" />
export const HiddenModulesPage = () => <ModulesList kind="hidden" />

/** Lists the catalogue: modules that customers choose, or modules that are added automatically (contracts 2, M136, M138). */
function ModulesList({ kind }: { kind: ModuleKind }) {
  const { t } = useTranslation('modules')
  const { slice, definition } = listsByKind[kind]
  const type = useClientType(getClientType)
  const list = useListPage(slice, definition, { scope: null, extra: { type } })
  usePreloadApps()
  const { selectedCodes, setSelectedCodes, column: selectionColumn } = useModuleSelection()
  const [isGraphOpen, setGraphOpen] = useState(false)
  const [removedRow, setRemovedRow] = useState<OverlaidRow<ModuleRow> | null>(null)
  const { kindFilter } = list.view
  const columns = useMemo(() => buildModuleColumns(t, kindFilter), [t, kindFilter])
  return (
    <ListPage
      list={list}
      title={t(`title.${kind}`)}
      intro={t(`lead.${kind}`)}
      tools={getTools(t, {
        list,
        isGraphOpen,
        isTesting: selectedCodes !== null,
        onGraph: () => setGraphOpen(!isGraphOpen),
        onTest: () => setSelectedCodes(selectedCodes ? null : []),
      })}
      action={
        <ButtonLink kind="primary" icon="plus" to={toModulePath(kind, 'new')}>
          {t(`create.${kind}`)}
        </ButtonLink>
      }
      beforeFilters={
        <>
          <ModuleStyles />
          <MacBanner />
        </>
      }
      exportAs={{ name: t(`title.${kind}`) }}
      searchLabel={t('filter.search')}
      filters={[
        {
          name: 'kindFilter',
          label: t('filter.shown'),
          choices: kindFilters.map((value) => ({ value, label: t(`shown.${value}`) })),
        },
      ]}
      beforeList={
        selectedCodes && (
          <ModuleSelectionBar
            selectedCodes={selectedCodes}
            onSelect={setSelectedCodes}
            onEnd={() => setSelectedCodes(null)}
          />
        )
      }
      caption={t(`title.${kind}`)}
      formatCount={(numbers) => t('counted', numbers)}
      columns={columns}
      getRowName={({ row }) => row.name}
      getRowPath={selectedCodes ? undefined : ({ row }) => toRowPath(row)}
      selection={selectionColumn}
      actions={useModuleActions(setRemovedRow)}
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        noneFound: {
          title: t('empty.noneFound'),
          text: t('empty.noneFoundText'),
          showAll: t('empty.dropAll'),
        },
        none: (
          <NoModules kind={kindFilter === 'hidden' ? 'hidden' : 'visible'} createPath={toModulePath(kind, 'new')} />
        ),
      }}
    >
      {isGraphOpen && <DependencyGraph listedCodes={list.rows?.map(({ row }) => row.code) ?? []} />}
      {removedRow && (
        <LazyRemoveModuleDialog
          row={removedRow}
          onClose={() => setRemovedRow(null)}
          onDone={() => {
            setRemovedRow(null)
            list.refetch()
          }}
        />
      )}
    </ListPage>
  )
}

interface ToolsOptions {
  list: { isFetching: boolean; refresh: () => void }
  isGraphOpen: boolean
  isTesting: boolean
  onGraph: () => void
  onTest: () => void
}

const getTools = (t: TFunction<'modules'>, options: ToolsOptions): PageTool[] => [
  {
    key: 'refresh',
    label: t('act.refresh'),
    icon: 'refresh',
    isIconOnly: true,
    isBusy: options.list.isFetching,
    onSelect: options.list.refresh,
  },
  {
    key: 'graph',
    label: t('act.graph'),
    icon: 'graph',
    isPressed: options.isGraphOpen,
    onSelect: options.onGraph,
  },
  { key: 'test', label: t('act.test'), icon: 'check', isPressed: options.isTesting, onSelect: options.onTest },
]

function NoModules({ kind, createPath }: { kind: ModuleKind; createPath: string }) {
  const { t } = useTranslation('modules')
  return (
    <EmptyState
      icon="module"
      title={t(`empty.${kind}`)}
      action={
        <ButtonLink to={createPath} icon="plus">
          {t(`create.${kind}`)}
        </ButtonLink>
      }
    >
      {t(`empty.${kind}Text`)}
    </EmptyState>
  )
}
