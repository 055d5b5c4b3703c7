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

type ActionsClass = 'own' | 'beside' | 'lone'

export interface DataListProps<R> extends Omit<ListRowProps<R>, 'selection'>, Omit<ListFooterProps, 'rowCount'> {
  /** Accessible name of the table: "Users of Acme". */
  caption: string
  /** Undefined until the device's rows have been read. A skeleton is displayed until then. */
  rows: R[] | undefined
  getRowKey: (row: R) => string
  /** Selection of rows. `bar` replaces the table head; it displays the number of selected rows and actions for them. */
  selection?:
    | (NonNullable<ListRowProps<R>['selection']> & {
        headContent: ReactNode
        bar?: ReactNode
        selectionText?: string | undefined
      })
    | undefined
  /** Buttons next to the menu of a row: with words, with an icon, or one button without a menu. It sets the width of the column until there are rows. */
  expectedActions?: ActionsClass | undefined
  sort: ListSort
  onSort: (sort: ListSort) => void
  isFetching: boolean
  /** Problem of the last request. If the list was never read on this device, no row count is displayed. */
  problem?: Problem | null
  emptyContent: ReactNode
}

/** A list as a table. On a phone each row has two lines. Native table elements need no library. */
export function DataList<R>(props: DataListProps<R>) {
  const {
    rows,
    columns,
    getRowKey,
    getRowPath,
    getRowName,
    selection,
    renderExtra,
    renderMark,
    actions,
    expectedActions = '',
  } = props
  const rowProps = { columns, getRowPath, getRowName, selection, renderExtra, renderMark, actions }
  useScrollBack(rows?.length ?? 0)
  const actionsClass = useMemo(
    () => (rows?.length ? getActionsClass(rows, actions) : expectedActions),
    [rows, actions, expectedActions],
  )
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

/** Goes to the last page if the current page does not exist, because its address is old or its rows were deleted. */
function useLastPage<R>(props: DataListProps<R>) {
  const { pageSize, count, isFetching, onPage } = props
  const isBehindLastPage = isBehindLast(props) && !isFetching
  const lastPage = Math.ceil(count / pageSize)
  useEffect(() => {
    if (isBehindLastPage) onPage(lastPage, true)
    // `onPage` is called only once per missing page.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isBehindLastPage, lastPage])
}

function isBehindLast<R>({ rows, page, pageSize, count, pager, isGrowing }: DataListProps<R>): boolean {
  const lastPage = Math.ceil(count / pageSize)
  return rows?.length === 0 && !pager && !isGrowing && lastPage >= 1 && page > lastPage
}

function getActionsClass<R>(rows: readonly R[], actions: ListRowProps<R>['actions']): ActionsClass | '' {
  const rowActions = rows.map((row) => actions?.(row) ?? [])
  // Without a menu, the button needs less space.
  if (rowActions.every(([action, ...others]) => action?.isOnPhone && others.length === 0)) return 'lone'
  const buttonKinds = new Set(rowActions.flat().map(({ directButton }) => directButton))
  return buttonKinds.has('words') ? 'own' : buttonKinds.has('icon') ? 'beside' : ''
}

interface ListContentProps {
  head: ReactNode
  body: ReactNode[] | undefined
}

/** Number of rows of each list when it was last displayed, by caption. The skeleton has the same number of rows. */
const lastRowCounts = new Map<string, number>()

function ListContent<R>(props: DataListProps<R> & ListContentProps) {
  const { body, caption, freshness, isFetching } = props
  const isAwaitingRows = useIsAwaitingRows(isFetching, freshness)
  // On a page after the last one the list is not empty: `useLastPage` loads the last page next.
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

/** Returns true if the request failed and the device never had the list. Then it is unknown whether the list is empty. */
const hasLoadFailed = <R,>({ problem = null, freshness }: DataListProps<R>) =>
  problem !== null && !isOffline(problem) && freshness.asOf === null

function ListTable<R>(props: DataListProps<R> & ListContentProps) {
  const { head, body, selection, caption, freshness, isFetching } = props
  const hasRows = Boolean(body?.length)
  return (
    <div className={`list${isFetching && hasRows ? ' again' : ''}`}>
      {selection?.bar}
      {/* Roles are explicit, because the phone layout changes the display of the table, which removes the native roles. */}
      <table className="table rows" role="table" aria-busy={isFetching || !hasRows}>
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup">{head}</thead>
        {/* While the device is filled for the first time it shows a skeleton, not "no users". */}
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
      {/* Displays when the empty list was read, and which rows were searched if the list is not complete. */}
      {isDated && (
        <p className="list-searched" role="status">
          <Freshness freshness={freshness} matchCount={count} />
        </p>
      )}
    </div>
  )
}

/** Returns true if the device has only a part of the list and no connection, so there may be more rows. */
const isPartial = ({ complete, isCached, asOf }: ListFreshness) => !complete && isCached === true && asOf !== null

function NoStoredRows() {
  const { t } = useTranslation('ui')
  return (
    <EmptyState icon="offline" title={t('list.nothingHere')}>
      {t('list.nothingHereText')}
    </EmptyState>
  )
}

function showFullText({ target }: { target: EventTarget }) {
  const cell = target instanceof Element ? target.closest('td:not(.acts, .pick)') : null
  if (cell instanceof HTMLElement && [cell, ...cell.querySelectorAll('.lead > *')].some(isCut))
    cell.title = cell.textContent ?? ''
}
const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element) =>
  clientWidth > 0 && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1)

/** Announces changes that are not in the footer: the number of selected rows, the sort order, an empty list. */
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

/** Maximum wait in ms until the rows of a response are stored on the device. */
const readBackMs = 2_000

/**
 * Returns whether a request may still add rows: it is running, or it has finished and the list has not been read from the device since.
 * Until then an empty list may be outdated, and its text ("nobody yet") would be displayed for a moment. A complete list needs no wait.
 */
function useIsAwaitingRows(isBusy: boolean, { asOf, complete, isCached }: ListFreshness): boolean {
  // -1 is earlier than any server time, so no rows are awaited.
  const [awaitedSince, setAwaitedSince] = useState(-1)
  useEffect(() => {
    if (isBusy) return setAwaitedSince(asOf ?? 0)
    const timer = setTimeout(setAwaitedSince, readBackMs, -1)
    return () => clearTimeout(timer)
    // Uses the value of `asOf` at the start of the request.
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
