import { type ReactNode, Suspense } from 'react'
import type { Problem } from '#contract/problem.ts'
import type { ListUrlState, ListViewDefinition } from '#state/list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList, type DataListProps } from '#ui/list/DataList.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import type { FilterChip } from '#ui/list/FilterBar.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { renderRowMark } from '#ui/list/PendingMark.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ListFilters, type SelectFilter } from '#patterns/list-page/ListFilters.tsx'

/** What `useListPage` returns, and what a page with a source of its own builds alike. */
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
}

interface EmptyTexts {
  /** The list was never read on this device. */
  notHere: { title: string; text: ReactNode }
  /** Nothing matches the filters. Without it there are no filters. */
  noneFound?: { title: string; text: string; showAll: string }
  /** There is no row at all: `<EmptyState …/>`, mostly with the action that creates the first. */
  none: ReactNode
}

type SharedListProps<R> = Pick<
  DataListProps<R>,
  'caption' | 'columns' | 'getRowName' | 'getRowPath' | 'selection' | 'renderExtra' | 'actions' | 'pager'
>

interface ListPageProps<R, V extends ListUrlState> extends SharedListProps<R> {
  list: ListPageState<R, V>
  title: string
  intro?: ReactNode
  /** Buttons at the head; the primary one last. */
  action?: ReactNode
  /** Stands beside the title: opens the export of what is listed. */
  exportButton?: { label: string; onOpen: () => void }
  /** Asks for the list again, beside the count; without a label the page has its own button. */
  refreshLabel?: string
  /** First on the page: the style sheet of its feature, a banner. */
  beforeFilters?: ReactNode
  /** Label of the search box; none: the list is not searched. */
  searchLabel?: string
  filters?: readonly SelectFilter<V>[]
  /** Filters of their own kind, before the others: a company picker. */
  extraFilters?: ReactNode
  /** The same after the others: a range of days. */
  lastFilters?: ReactNode
  /** What is in use and has no field. */
  chips?: FilterChip[]
  /** "68 users" */
  formatCount: (numbers: { count: number; number: string }) => string
  getRowKey?: (row: R) => string
  empty: EmptyTexts
  /** Between the filters and the list: a chart, tabs, a bar. */
  beforeList?: ReactNode
  /** The page's own CSS class around the list. */
  listClass?: string
  /** Asks for more than the rows after a failure. */
  onRetry?: () => void
  /** Dialogs and drawers; their code may be loaded when they open. */
  children?: ReactNode
}

const getDefaultKey = (row: unknown) => String((row as { row: { id: unknown } }).row.id)
const renderDefaultMark = (row: unknown) => renderRowMark(row as Parameters<typeof renderRowMark>[0])

/** A page that is a list: filters, problem, rows, empty states and freshness, from the view in the address. */
export function ListPage<R, V extends ListUrlState>(props: ListPageProps<R, V>) {
  const {
    list,
    title,
    intro,
    action,
    exportButton,
    searchLabel,
    filters = [],
    extraFilters,
    lastFilters,
    chips,
    beforeList,
    children,
  } = props
  const { view, changeView } = list
  const sorting = {
    columns: props.columns,
    sort: view.sort,
    onSort: (sort: V['sort']) => changeView({ sort } as Partial<V>),
  }
  return (
    <Page
      title={title}
      intro={intro}
      action={
        <>
          {exportButton && (
            <Button icon="install" aria-haspopup="dialog" onClick={exportButton.onOpen}>
              {exportButton.label}
            </Button>
          )}
          {action}
        </>
      }
    >
      {props.beforeFilters}
      {searchLabel !== undefined && (
        <ListFilters {...{ list, sorting, searchLabel, filters, chips, lastFilters }}>{extraFilters}</ListFilters>
      )}
      {/* Offline the stored rows, or the note that there are none, say all that is known. */}
      <LoadProblem problem={list.problem} onRetry={props.onRetry ?? list.refetch} />
      {beforeList}
      <div className={props.listClass}>
        <ListTable {...props} sorting={sorting} />
      </div>
      <Suspense fallback={null}>{children}</Suspense>
    </Page>
  )
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
  pager,
}: ListPageProps<R, V> & { sorting: { onSort: (sort: V['sort']) => void } }) {
  const { view, changeView } = list
  return (
    <DataList
      {...{ caption, columns, getRowKey, getRowName, getRowPath, selection, renderExtra, actions, pager }}
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

/** Three different reasons why there is no row (C-04, C-11). */
function EmptyList<R, V extends ListUrlState>({ list, empty }: { list: ListPageState<R, V>; empty: EmptyTexts }) {
  const { definition, view, changeView, freshness } = list
  if (freshness.asOf === null)
    return (
      <EmptyState icon="offline" title={empty.notHere.title}>
        {empty.notHere.text}
      </EmptyState>
    )
  if (!empty.noneFound || !definition.isFiltered(view)) return empty.none
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
