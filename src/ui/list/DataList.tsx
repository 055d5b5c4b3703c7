import { isOffline, type Problem } from '#contract/problem.ts'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import '#ui/list/list.css'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { getColumnClass, type ListColumn, type ListSort } from '#ui/list/column.ts'
import { Freshness, type ListFreshness } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { ListFooter, type ListFooterProps } from '#ui/list/ListFooter.tsx'
import { type ListRowProps, ListRow } from '#ui/list/ListRow.tsx'
import { useScrollBack } from '#ui/list/useScrollBack.ts'
import { useTranslation } from 'react-i18next'

export interface DataListProps<R> extends Omit<ListRowProps<R>, 'selection'>, Omit<ListFooterProps, 'rowCount'> {
  /** Names the table for readers: "Users of Acme". */
  caption: string
  /** Undefined until the device has been asked: only then a skeleton is shown. */
  rows: R[] | undefined
  getRowKey: (row: R) => string
  /** How rows are chosen; `bar`: what can be done with those that are, in place of the head, and how many, in words. */
  selection?:
    | (NonNullable<ListRowProps<R>['selection']> & {
        headContent: ReactNode
        bar?: ReactNode
        selectionText?: string | undefined
      })
    | undefined
  sort: ListSort
  onSort: (sort: ListSort) => void
  /** The old rows stay, dimmed. */
  isFetching: boolean
  /** Why the server did not answer: where nothing was ever read here, nothing is said of how many rows there are. */
  problem?: Problem | null
  /** Shown in place of rows: `<EmptyState …/>`, or a ProblemNote. */
  emptyContent: ReactNode
}

/** A table of rows, on a phone each in two lines. Native elements: sorting, paging and reading it need no library. */
export function DataList<R>(props: DataListProps<R>) {
  const { rows, columns, getRowKey, getRowPath, getRowName, selection, renderExtra, renderMark, actions } = props
  const rowProps = { columns, getRowPath, getRowName, selection, renderExtra, renderMark, actions }
  useScrollBack(rows?.length ?? 0)
  const actionsClass = useMemo(() => getActionsClass(rows, actions), [rows, actions])
  useLastPage(props)
  return (
    <ListContent
      {...props}
      head={
        <tr role="row">
          {selection && (
            <th scope="col" role="columnheader" className="pick">
              {selection.headContent}
            </th>
          )}
          {columns.map((column) => (
            <ColumnHeader key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
          {actions && (
            <th scope="col" role="columnheader" className={`acts ${actionsClass}`}>
              <ActionsLabel />
            </th>
          )}
        </tr>
      }
      body={rows?.map((row) => <ListRow key={getRowKey(row)} row={row} {...rowProps} />)}
    />
  )
}

/** A page behind the last one, of an old address or whose only rows were deleted, becomes the last. */
function useLastPage<R>(props: DataListProps<R>) {
  const { pageSize, count, isFetching, onPage } = props
  const isBehindLastPage = isBehindLast(props) && !isFetching
  const lastPage = Math.ceil(count / pageSize)
  useEffect(() => {
    if (isBehindLastPage) onPage(lastPage, true)
    // Once for each page that is not there.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isBehindLastPage, lastPage])
}

function isBehindLast<R>({ rows, page, pageSize, count, pager, isGrowing }: DataListProps<R>): boolean {
  const lastPage = Math.ceil(count / pageSize)
  return rows?.length === 0 && !pager && !isGrowing && lastPage >= 1 && page > lastPage
}

/** What stands beside the menu in any row: a button with its words, one with an icon, nothing. */
function getActionsClass<R>(rows: R[] | undefined, actions: ListRowProps<R>['actions']) {
  const buttonKinds = new Set(rows?.flatMap((row) => actions?.(row).map((action) => action.directButton) ?? []))
  return buttonKinds.has('words') ? 'own' : buttonKinds.has('icon') ? 'beside' : ''
}

interface ListContentProps {
  head: ReactNode
  /** Undefined until the device has been asked. */
  body: ReactNode[] | undefined
}

/** How many rows each list had last, by its caption: as many are awaited. */
const lastRowCounts = new Map<string, number>()

function ListContent<R>(props: DataListProps<R> & ListContentProps) {
  const { body, caption, freshness, isFetching } = props
  const isAwaitingRows = useIsAwaitingRows(isFetching, freshness)
  // The last page comes next.
  const isEmpty = body?.length === 0 && !isAwaitingRows && !isBehindLast(props)
  const isKnownEmpty = isEmpty && !hasLoadFailed(props)
  if (body?.length) lastRowCounts.set(caption, body.length)
  return (
    <div className="list-room">
      <ListStatus {...props} isEmpty={isKnownEmpty} />
      {isEmpty ? isKnownEmpty && <EmptyList {...props} /> : <ListTable {...props} />}
    </div>
  )
}

/** The server refused, and the device never had the list: nobody knows whether it is empty. */
const hasLoadFailed = <R,>({ problem = null, freshness }: DataListProps<R>) =>
  problem !== null && !isOffline(problem) && freshness.asOf === null

function ListTable<R>(props: DataListProps<R> & ListContentProps) {
  const { head, body, selection, caption, freshness, isFetching } = props
  const hasRows = Boolean(body?.length)
  return (
    <div className={`list${isFetching && hasRows ? ' again' : ''}`}>
      {selection?.bar}
      {/* The roles are spelled out because a phone takes the table's display away, and with it what the tags mean. */}
      <table className="table rows" role="table" aria-busy={isFetching || !hasRows}>
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup">{head}</thead>
        {/* A device that is being filled for the first time shows a skeleton, not "no users". */}
        <tbody role="rowgroup" onMouseOver={showFullText}>
          {hasRows ? body : !freshness.isCached && <SkeletonRows {...props} />}
        </tbody>
      </table>
      <ListFooter {...props} rowCount={body?.length ?? 0} />
    </div>
  )
}

function EmptyList<R>({ freshness, count, emptyContent }: DataListProps<R>) {
  const isDated = freshness.asOf !== null || (freshness.pendingCount ?? 0) > 0
  return (
    <div className="list">
      {isPartial(freshness) ? <NoStoredRows /> : emptyContent}
      {/* When the empty list was read, and what was searched where that is not the complete list. */}
      {isDated && (
        <p className="list-searched" role="status">
          <Freshness freshness={freshness} matchCount={count} />
        </p>
      )}
    </div>
  )
}

/** Only a part of the list is here, and the server does not say what else there is: then nobody knows that there is nothing. */
const isPartial = ({ complete, isCached, asOf }: ListFreshness) => !complete && isCached === true && asOf !== null

function NoStoredRows() {
  const { t } = useTranslation('ui')
  return (
    <EmptyState icon="offline" title={t('list.nothingHere')}>
      {t('list.nothingHereText')}
    </EmptyState>
  )
}

/** What does not fit its cell is told in full to a pointer over it. */
function showFullText({ target }: { target: EventTarget }) {
  const cell = target instanceof Element ? target.closest('td:not(.acts, .pick)') : null
  if (cell instanceof HTMLElement && [cell, ...cell.querySelectorAll('.lead > *')].some(isCut))
    cell.title = cell.textContent ?? ''
}
const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element) =>
  clientWidth > 0 && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1)

/** Says what changed that the foot does not say: how many are chosen, what it is sorted by, that nothing is left. */
function ListStatus<R>({ selection, columns, sort, isEmpty }: DataListProps<R> & { isEmpty: boolean }) {
  const { t } = useTranslation('ui')
  const sortColumn = columns.find(({ key, sortable }) => sortable && key === sort[0])
  const field = sortColumn && t(`list.order.${sort[1]}`, { field: sortColumn.header })
  return (
    <p className="sr-only" role="status">
      {selection?.selectionText && `${selection.selectionText}. `}
      {isEmpty ? t('list.nothing') : field && t('list.sorted', { field })}
    </p>
  )
}

/** A device that has not told of an answer by then has nothing new to tell, or was never given one. */
const readBackMs = 2_000

/**
 * Whether rows may still come of an asking: it is under way, or answered and the list not read from the device since. An
 * empty list may only be an old one until then, and "nobody yet" would stand there for a blink. One that is here whole is known.
 */
function useIsAwaitingRows(isBusy: boolean, { asOf, complete, isCached }: ListFreshness): boolean {
  // Before any time there is: nothing is awaited.
  const [awaitedSince, setAwaitedSince] = useState(-1)
  useEffect(() => {
    if (isBusy) return setAwaitedSince(asOf ?? 0)
    const timer = setTimeout(setAwaitedSince, readBackMs, -1)
    return () => clearTimeout(timer)
    // As it was when the asking began.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isBusy])
  return isBusy || (!complete && !isCached && (asOf ?? 0) <= awaitedSince)
}

const ActionsLabel = () => <span className="sr-only">{useTranslation('ui').t('list.actions')}</span>

const reverseOrder = (order: ListSort[1]) => (order === 'asc' ? 'desc' : 'asc')

function ColumnHeader<R>({
  column,
  sort,
  onSort,
}: {
  column: ListColumn<R>
  sort: ListSort
  onSort: (sort: ListSort) => void
}) {
  const isSorted = column.sortable && sort[0] === column.key
  const ariaSort = isSorted ? (sort[1] === 'asc' ? 'ascending' : 'descending') : undefined
  return (
    <th scope="col" role="columnheader" aria-sort={ariaSort} className={getColumnClass(column)}>
      {column.sortable ? (
        <button type="button" onClick={() => onSort([column.key, isSorted ? reverseOrder(sort[1]) : 'asc'])}>
          {column.header}
          <span className={`sorted${isSorted ? '' : ' not'}`}>
            <Icon name={isSorted && sort[1] === 'desc' ? 'descending' : 'ascending'} size={16} />
          </span>
        </button>
      ) : (
        column.header
      )}
    </th>
  )
}

const maxSkeletonRows = 10

function SkeletonRows<R>({ selection, columns, actions, pageSize, caption }: DataListProps<R>) {
  return Array.from({ length: lastRowCounts.get(caption) ?? Math.min(pageSize, maxSkeletonRows) }, (_, rowIndex) => (
    <tr key={rowIndex} role="row" className="waiting" aria-hidden="true">
      {selection && <td role="cell" className="pick" />}
      {columns.map((column) => (
        <td key={column.key} role="cell" className={getColumnClass(column)}>
          <span />
        </td>
      ))}
      {actions && <td role="cell" className="acts" />}
    </tr>
  ))
}
