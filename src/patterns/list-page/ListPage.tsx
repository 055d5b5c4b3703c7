import { type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { VersionedRow } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ListUrlState, ListViewDefinition } from '#state/list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList, type DataListProps } from '#ui/list/DataList.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import type { FilterChip } from '#ui/list/FilterBar.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import type { MessageNamespace } from '#ui/i18n/messages.ts'
import { renderRowMark } from '#ui/list/PendingMark.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page, type PageCrumb } from '#ui/page/Page.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'
import { buildExportColumns, type ExportColumn } from '#patterns/list-export/export-columns.ts'
import type { ListSource } from '#patterns/list-export/fetch-all-rows.ts'
import { toExportTools, useListExport } from '#patterns/list-export/useListExport.tsx'
import { ListFilters, type SelectFilter } from '#patterns/list-page/ListFilters.tsx'

/** State of the page, usually returned by `useListPage`. A page with another data source builds it itself. */
interface ListPageState<R, V extends ListUrlState> {
  definition: ListViewDefinition<V>
  view: V
  changeView: (change: Partial<V>, isCorrection?: boolean) => void
  isGrowing: boolean
  rows: R[] | undefined
  count: number
  freshness: DataListProps<R>['freshness']
  isFetching: boolean
  problem: Problem | null
  refetch: () => void
  refresh: () => void
  /** Where an export reads all rows of the view. Omit it if `rows` are all rows that the device has. */
  source?: ListSource<VersionedRow>
}

/** Offers the rows of the filter as a file. */
interface ListPageExport<R> {
  /** Name of the list, for example "Users". */
  name: string
  /** Code of the company whose rows they are. By default it is the user's own. Null if it is not one known company. */
  companyCode?: string | null | undefined
  /** Columns of the file. By default they are those of the list that have a text. */
  buildColumns?: () => readonly ExportColumn<R>[]
  /** Messages of columns that only the file has. */
  namespaces?: readonly MessageNamespace[]
}

interface EmptyTexts {
  /** Shown if the list was never read on this device. */
  notHere: { title: string; text: ReactNode }
  /** Shown if no row matches the filters. Omit it if the list has no filters. */
  noneFound?: { title: string; text: string; showAll: string }
  /** Shown if the list has no rows: an `<EmptyState …/>`, usually with the action that creates the first row. */
  none: ReactNode
}

type SharedListProps<R> = Pick<
  DataListProps<R>,
  | 'caption'
  | 'columns'
  | 'getRowName'
  | 'getRowPath'
  | 'selection'
  | 'renderExtra'
  | 'actions'
  | 'expectedActions'
  | 'pager'
>

interface ListPageProps<R, V extends ListUrlState> extends SharedListProps<R> {
  list: ListPageState<R, V>
  title: string
  crumbs?: PageCrumb[] | undefined
  intro?: ReactNode
  /** The primary button in the page header. */
  action?: ReactNode
  /** Secondary actions in the page header. On a phone they are in one menu. */
  tools?: readonly PageTool[]
  exportAs?: ListPageExport<R>
  /** Label of the refresh button next to the count. Omit it if the page has its own refresh button. */
  refreshLabel?: string
  /** Rendered first on the page, for example the feature's style sheet or a banner. */
  beforeFilters?: ReactNode
  /** Label of the search box. Without it the list has no search. */
  searchLabel?: string
  filters?: readonly SelectFilter<V>[]
  /** Custom filters before the others, for example a company picker. */
  extraFilters?: ReactNode
  /** Custom filters after the others, for example a date range. */
  lastFilters?: ReactNode
  /** Active filters that have no input field. */
  chips?: FilterChip[]
  /** Formats the count, for example "68 users". */
  formatCount: (numbers: { count: number; number: string }) => string
  getRowKey?: (row: R) => string
  empty: EmptyTexts
  beforeList?: ReactNode
  listClass?: string
  /** Called after a failure when the user retries, instead of the list's refetch. For a page that has to fetch more than the rows. */
  onRetry?: () => void
  /** Dialogs and drawers. Their code may be loaded when they open. */
  children?: ReactNode
}

const getDefaultKey = (row: unknown) => String((row as { row: { id: unknown } }).row.id)
const renderDefaultMark = (row: unknown) => renderRowMark(row as Parameters<typeof renderRowMark>[0])

/** A page with a list: filters, problems, rows, empty states and freshness. The view is in the address. */
export function ListPage<R, V extends ListUrlState>(props: ListPageProps<R, V>) {
  const {
    list,
    title,
    crumbs,
    intro,
    action,
    tools = [],
    searchLabel,
    filters = [],
    extraFilters,
    lastFilters,
    chips,
    beforeList,
    children,
  } = props
  const { view, changeView } = list
  const { exportButton, dialog: exportDialog } = useListExport(toExportOptions(props))
  const sorting = {
    columns: props.columns,
    sort: view.sort,
    onSort: (sort: V['sort']) => changeView({ sort } as Partial<V>),
  }
  return (
    <Page
      title={title}
      crumbs={crumbs ?? []}
      intro={intro}
      action={action}
      tools={[...toExportTools(exportButton), ...tools]}
    >
      {props.beforeFilters}
      {searchLabel !== undefined && (
        <ListFilters {...{ list, sorting, searchLabel, filters, chips, lastFilters }}>{extraFilters}</ListFilters>
      )}
      {/* Offline, no problem is shown: the stored rows or the empty state already tell the user enough. */}
      <LoadProblem problem={list.problem} onRetry={props.onRetry ?? list.refetch} />
      {beforeList}
      <div className={props.listClass}>
        <ListTable {...props} sorting={sorting} />
      </div>
      {exportDialog}
      <Suspense fallback={null}>{children}</Suspense>
    </Page>
  )
}

function toExportOptions<R, V extends ListUrlState>({ list, columns, exportAs }: ListPageProps<R, V>) {
  if (!exportAs) return null
  const { name, companyCode, namespaces, buildColumns = () => buildExportColumns(columns) } = exportAs
  const { definition, view, rows = [], freshness } = list
  return {
    name,
    companyCode,
    namespaces,
    buildColumns,
    source: list.source ?? { rows, asOf: freshness.asOf, isComplete: freshness.complete && list.rows !== undefined },
    isFiltered: definition.isFiltered(view),
  }
}

function ListTable<R, V extends ListUrlState>({
  list,
  sorting,
  formatCount,
  getRowKey = getDefaultKey,
  refreshLabel,
  empty,
  caption,
  columns,
  getRowName,
  getRowPath,
  selection,
  renderExtra,
  actions,
  expectedActions,
  pager,
}: ListPageProps<R, V> & { sorting: { onSort: (sort: V['sort']) => void } }) {
  const { view, changeView } = list
  return (
    <DataList
      {...{
        caption,
        columns,
        getRowKey,
        getRowName,
        getRowPath,
        selection,
        renderExtra,
        actions,
        expectedActions,
        pager,
      }}
      renderMark={getRowKey === getDefaultKey ? renderDefaultMark : undefined}
      rows={list.rows}
      count={list.count}
      formatCount={(count) => formatCount({ count, number: formatNumber(count) })}
      sort={view.sort}
      onSort={sorting.onSort}
      isGrowing={list.isGrowing}
      page={view.page}
      pageSize={view.results}
      onPage={(page, isCorrection) => changeView({ page } as Partial<V>, isCorrection)}
      onPageSize={(results) => changeView({ results } as Partial<V>)}
      freshness={list.freshness}
      isFetching={list.isFetching}
      problem={list.problem}
      refreshButton={
        refreshLabel !== undefined && (
          <Button kind="plain" icon="refresh" isIconOnly isBusy={list.isFetching} onClick={() => list.refresh()}>
            {refreshLabel}
          </Button>
        )
      }
      emptyContent={<EmptyList list={list} empty={empty} />}
    />
  )
}

/** Shows the empty state for one of three reasons: not on this device, no match, or no rows (C-04, C-11). */
function EmptyList<R, V extends ListUrlState>({ list, empty }: { list: ListPageState<R, V>; empty: EmptyTexts }) {
  const { definition, view, changeView, freshness } = list
  if (freshness.asOf === null)
    return (
      <EmptyState icon="offline" title={empty.notHere.title}>
        {empty.notHere.text}
      </EmptyState>
    )
  if (!empty.noneFound || !definition.isFiltered(view)) return empty.none
  if (!definition.isFiltered({ ...view, searchText: '' })) return <NoSearchMatch list={list} />
  const showAll = (
    <Button onClick={() => changeView({ ...definition.unfiltered, page: 1 } as Partial<V>)}>
      {empty.noneFound.showAll}
    </Button>
  )
  return (
    <EmptyState icon="search" title={empty.noneFound.title} action={showAll}>
      {empty.noneFound.text}
    </EmptyState>
  )
}

/** Shown if the search is the only reason for an empty list. */
function NoSearchMatch<R, V extends ListUrlState>({ list: { view, changeView } }: { list: ListPageState<R, V> }) {
  const { t } = useTranslation('ui')
  const clearSearch = (
    <Button onClick={() => changeView({ searchText: '', page: 1 } as Partial<V>)}>{t('filter.clearSearch')}</Button>
  )
  return <EmptyState icon="search" title={t('list.noMatch', { text: view.searchText.trim() })} action={clearSearch} />
}
