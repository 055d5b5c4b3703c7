import { isOffline, type Problem } from '#contract/problem.ts'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import '#ui/list/list.css'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { classOf, type Column, type Sort } from '#ui/list/column.ts'
import { type Fresh, Freshness, number } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { type Drawn, ListRow } from '#ui/list/ListRow.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { Select } from '#ui/form/Select.tsx'
import { useScrollBack } from '#ui/list/useScrollBack.ts'
import { useTranslation } from 'react-i18next'

export interface DataListProps<R> extends Omit<Drawn<R>, 'pick'> {
  /** Names the table for readers: "Users of Acme". */
  caption: string
  /** "68 users" */
  counted: (count: number) => string
  /** Undefined until the device has been asked: only then a skeleton is shown. */
  rows: R[] | undefined
  rowKey: (row: R) => string
  /** How rows are chosen; `bar`: what can be done with those that are, in place of the head, and how many, in words. */
  pick?: (NonNullable<Drawn<R>['pick']> & { head: ReactNode; bar?: ReactNode; said?: string | undefined }) | undefined
  sort: Sort
  onSort: (sort: Sort) => void
  page: number
  results: number
  count: number
  /** `isCorrection`: the address named a page that is not there; no step of the history. */
  onPage: (page: number, isCorrection?: boolean) => void
  onResults: (results: number) => void
  /** A phone: all rows up to this page, and a button for more. */
  grows?: boolean
  /** In place of the page numbers, for a list that is longer than they go. */
  pager?: ReactNode
  fresh: Fresh
  /** Beside of when the list is: what asks for it again. */
  refresh?: ReactNode
  /** The old rows stay, dimmed. */
  isFetching: boolean
  /** Why the server did not answer: where nothing was ever read here, nothing is said of how many rows there are. */
  problem?: Problem | null
  /** Shown in place of rows: `<EmptyState …/>`, or a ProblemNote. */
  empty: ReactNode
}

/** A table of rows, on a phone each in two lines. Native elements: sorting, paging and reading it need no library. */
export function DataList<R>(props: DataListProps<R>) {
  const { rows, columns, rowKey, rowTo, rowName, pick, beside, mark, actions } = props
  const drawn = { columns, rowTo, rowName, pick, beside, mark, actions }
  useScrollBack(rows?.length ?? 0)
  const acts = useMemo(() => actsBeside(rows, actions), [rows, actions])
  useLastPage(props)
  return (
    <Room
      {...props}
      head={
        <tr role="row">
          {pick && (
            <th scope="col" role="columnheader" className="pick">
              {pick.head}
            </th>
          )}
          {columns.map((column) => (
            <Header key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
          {actions && (
            <th scope="col" role="columnheader" className={`acts ${acts}`}>
              <ActionsWord />
            </th>
          )}
        </tr>
      }
      body={rows?.map((row) => <ListRow key={rowKey(row)} row={row} {...drawn} />)}
    />
  )
}

/** A page behind the last one, of an old address or whose only rows were deleted, becomes the last. */
function useLastPage<R>(props: DataListProps<R>) {
  const { results, count, isFetching, onPage } = props
  const isBehind = isBehindLast(props) && !isFetching
  const last = Math.ceil(count / results)
  useEffect(() => {
    if (isBehind) onPage(last, true)
    // Once for each page that is not there.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isBehind, last])
}

function isBehindLast<R>({ rows, page, results, count, pager, grows }: DataListProps<R>): boolean {
  const last = Math.ceil(count / results)
  return rows?.length === 0 && !pager && !grows && last >= 1 && page > last
}

/** What stands beside the menu in any row: a button with its words, one with an icon, nothing. */
function actsBeside<R>(rows: R[] | undefined, actions: Drawn<R>['actions']) {
  const own = new Set(rows?.flatMap((row) => actions?.(row).map((action) => action.own) ?? []))
  return own.has('words') ? 'own' : own.has('icon') ? 'beside' : ''
}

interface RoomProps {
  head: ReactNode
  /** Undefined until the device has been asked. */
  body: ReactNode[] | undefined
}

/** How many rows each list had last, by its caption: as many are awaited. */
const lastRows = new Map<string, number>()

function Room<R>(props: DataListProps<R> & RoomProps) {
  const { head, body, pick, caption, empty, fresh, count, isFetching } = props
  const isAwaited = useAwaited(isFetching, fresh)
  const isUnread = Boolean(props.problem) && !isOffline(props.problem ?? null) && fresh.asOf === null
  // The last page comes next.
  const isEmpty = body?.length === 0 && !isAwaited && !isBehindLast(props)
  if (body?.length) lastRows.set(caption, body.length)
  return (
    <div className="list-room">
      <Said {...props} isEmpty={isEmpty && !isUnread} />
      {isEmpty && isUnread ? null : isEmpty ? (
        <div className="list">
          {isPartly(fresh) ? <NothingHere /> : empty}
          {/* Of when the nothing is, and what was searched where that is not all there is. */}
          {(fresh.asOf !== null || (fresh.pending ?? 0) > 0) && (
            <p className="list-searched" role="status">
              <Freshness fresh={fresh} found={count} />
            </p>
          )}
        </div>
      ) : (
        <div className={`list${isFetching && body?.length ? ' again' : ''}`}>
          {pick?.bar}
          {/* The roles are spelled out because a phone takes the table's display away, and with it what the tags mean. */}
          <table className="table rows" role="table" aria-busy={isFetching || !body?.length}>
            <caption className="sr-only">{caption}</caption>
            <thead role="rowgroup">{head}</thead>
            {/* An empty device that is just being filled has no answer yet: that is a skeleton, not "no users". */}
            <tbody role="rowgroup" onMouseOver={tellWhole}>
              {body?.length ? body : !fresh.isKept && <Waiting {...props} />}
            </tbody>
          </table>
          <Foot {...props} />
        </div>
      )}
    </div>
  )
}

/** Only a part of the list is here, and the server does not say what else there is: then nobody knows that there is nothing. */
const isPartly = ({ complete, isKept, asOf }: Fresh) => !complete && isKept === true && asOf !== null

function NothingHere() {
  const { t } = useTranslation('ui')
  return (
    <EmptyState icon="offline" title={t('list.nothingHere')}>
      {t('list.nothingHereText')}
    </EmptyState>
  )
}

/** What does not fit its cell is told in full to a pointer over it. */
function tellWhole({ target }: { target: EventTarget }) {
  const cell = target instanceof Element ? target.closest('td:not(.acts, .pick)') : null
  if (cell instanceof HTMLElement && [cell, ...cell.querySelectorAll('.lead > *')].some(isCut))
    cell.title = cell.textContent ?? ''
}
const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element) =>
  clientWidth > 0 && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1)

/** Says what changed that the foot does not say: how many are chosen, what it is sorted by, that nothing is left. */
function Said<R>({ pick, columns, sort, isEmpty }: DataListProps<R> & { isEmpty: boolean }) {
  const { t } = useTranslation('ui')
  const by = columns.find(({ key, sortable }) => sortable && key === sort[0])
  const field = by && t(`list.order.${sort[1]}`, { field: by.header })
  return (
    <p className="sr-only" role="status">
      {pick?.said && `${pick.said}. `}
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
function useAwaited(busy: boolean, { asOf, complete, isKept }: Fresh): boolean {
  // Before any time there is: nothing is awaited.
  const [since, setSince] = useState(-1)
  useEffect(() => {
    if (busy) return setSince(asOf ?? 0)
    const timer = setTimeout(setSince, readBackMs, -1)
    return () => clearTimeout(timer)
    // As it was when the asking began.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [busy])
  return busy || (!complete && !isKept && (asOf ?? 0) <= since)
}

const ActionsWord = () => <span className="sr-only">{useTranslation('ui').t('list.actions')}</span>

const other = (order: Sort[1]) => (order === 'asc' ? 'desc' : 'asc')

function Header<R>({ column, sort, onSort }: { column: Column<R>; sort: Sort; onSort: (sort: Sort) => void }) {
  const sorted = column.sortable && sort[0] === column.key
  const spoken = sorted ? (sort[1] === 'asc' ? 'ascending' : 'descending') : undefined
  return (
    <th scope="col" role="columnheader" aria-sort={spoken} className={classOf(column)}>
      {column.sortable ? (
        <button type="button" onClick={() => onSort([column.key, sorted ? other(sort[1]) : 'asc'])}>
          {column.header}
          <span className={`sorted${sorted ? '' : ' not'}`}>
            <Icon name={sorted && sort[1] === 'desc' ? 'descending' : 'ascending'} size={16} />
          </span>
        </button>
      ) : (
        column.header
      )}
    </th>
  )
}

const few = 10

function Waiting<R>({ pick, columns, actions, results, caption }: DataListProps<R>) {
  return Array.from({ length: lastRows.get(caption) ?? Math.min(results, few) }, (_, line) => (
    <tr key={line} role="row" className="waiting" aria-hidden="true">
      {pick && <td role="cell" className="pick" />}
      {columns.map((column) => (
        <td key={column.key} role="cell" className={classOf(column)}>
          <span />
        </td>
      ))}
      {actions && <td role="cell" className="acts" />}
    </tr>
  ))
}

const sizes = [10, 20, 30, 40, 50]

function Foot<R>(props: DataListProps<R>) {
  const { count, counted, page, results, rows, fresh, refresh, grows, pager, onPage, onResults } = props
  const { t } = useTranslation('ui')
  const pages = Math.max(1, Math.ceil(count / results))
  const shown = rows?.length ?? 0
  const isRanged = pages > 1 && !pager && !grows
  const from = (page - 1) * results + 1
  const turned = pager ?? (pages > 1 && <Pages page={page} pages={pages} onPage={onPage} />)
  return (
    <div className="list-foot">
      {/* Says by itself what a new filter or page led to. */}
      <p role="status">
        {shown > 0 && (
          <>
            {!fresh.searched && !isRanged && <span>{counted(count)}</span>}
            {grows && shown < count && <span>{t('list.shown', { number: number(shown) })}</span>}
            {isRanged && (
              <span>
                {t('list.range', { from: number(from), to: number(from + shown - 1), number: number(count) })}
              </span>
            )}
            <Freshness fresh={fresh} found={count} />
          </>
        )}
      </p>
      {refresh}
      {grows ? (
        shown > 0 &&
        shown < count && (
          <div className="list-more">
            <Button onClick={() => onPage(page + 1)}>{t('list.more')}</Button>
          </div>
        )
      ) : (
        <>
          <label className="page-size">
            {t('list.rowsPerPage')}
            <Select value={results} onChange={(event) => onResults(Number(event.target.value))}>
              {sizes.map((size) => (
                <option key={size}>{size}</option>
              ))}
            </Select>
          </label>
          {turned}
        </>
      )}
    </div>
  )
}
