import { type ReactNode, useState } from 'react'
import { isOffline, type Problem } from '#contract/problem.ts'
import { type ListFreshness, Freshness } from '#ui/list/Freshness.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'

/** contracts 9 */
const pageSize = 5

export interface FiveRowsColumn<R> {
  key: string
  header: string
  render: (row: R) => ReactNode
  /** Numbers and money stand right. */
  align?: 'end'
}

interface FiveRowsProps<R> {
  caption: string
  /** "12 backups" */
  formatCount: (count: number) => string
  columns: readonly FiveRowsColumn<R>[]
  list: {
    /** Newest first. Undefined until the device has answered. */
    rows: readonly R[] | undefined
    freshness: ListFreshness
    isFetching: boolean
    problem: Problem | null
    refetch: () => void
  }
  getRowKey: (row: R) => string
  /** In place of rows, where there are none, and where they were never read here. */
  emptyState: ReactNode
  notCachedText: string
}

/** A table of five rows a page (M128), cards on a phone. */
export function FiveRows<R>({ list, notCachedText, ...props }: FiveRowsProps<R>) {
  const { rows, freshness, isFetching, problem, refetch } = list
  // Offline the rows that are here, or the word that there are none, say all there is to say.
  const shownProblem = isOffline(problem) ? null : problem
  const wasNeverRead = freshness.asOf === null
  return (
    <>
      <LoadProblem problem={shownProblem} onRetry={refetch} />
      {/* What is not answered yet may only be an old nothing. */}
      {(!rows || (rows.length === 0 && isFetching)) && <Skeleton lines={3} />}
      {rows?.length === 0 &&
        !isFetching &&
        !shownProblem &&
        (wasNeverRead ? <p className="field-help">{notCachedText}</p> : props.emptyState)}
      {rows && rows.length > 0 && <Rows {...props} rows={rows} freshness={freshness} />}
    </>
  )
}

type RowsProps<R> = Omit<FiveRowsProps<R>, 'list' | 'emptyState' | 'notCachedText'> & {
  rows: readonly R[]
  freshness: ListFreshness
}

function Rows<R>({ caption, formatCount, columns, rows, getRowKey, freshness }: RowsProps<R>) {
  const [requestedPage, setRequestedPage] = useState(1)
  const pageCount = Math.ceil(rows.length / pageSize)
  const page = Math.min(requestedPage, pageCount)
  const pageRows = rows.slice((page - 1) * pageSize, page * pageSize)
  return (
    <>
      <div className="backup-rows">
        {/* The roles are spelled out because cards take the table's display away, and with it what the tags mean. */}
        <table className="backup-table" role="table">
          <caption className="sr-only">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ key, header, align }) => (
                <th key={key} scope="col" role="columnheader" className={align}>
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {pageRows.map((row) => (
              <Row key={getRowKey(row)} row={row} columns={columns} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="backup-foot">
        <p role="status">
          <span>{formatCount(rows.length)}</span> <Freshness freshness={freshness} />
        </p>
        {pageCount > 1 && <Pagination page={page} pageCount={pageCount} onPage={setRequestedPage} />}
      </div>
    </>
  )
}

function Row<R>({ row, columns }: { row: R; columns: readonly FiveRowsColumn<R>[] }) {
  const [firstColumn, ...otherColumns] = columns
  return (
    <tr role="row">
      {firstColumn && (
        <th scope="row" role="rowheader">
          {firstColumn.render(row)}
        </th>
      )}
      {otherColumns.map(({ key, header, align, render }) => (
        <td key={key} role="cell" className={align} data-label={header}>
          <span>{render(row)}</span>
        </td>
      ))}
    </tr>
  )
}
