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
  /** Numbers and money are aligned right. */
  align?: 'end'
}

interface FiveRowsProps<R> {
  caption: string
  /** "12 backups" */
  formatCount: (count: number) => string
  columns: readonly FiveRowsColumn<R>[]
  list: {
    /** Latest first. Undefined until the device has been read. */
    rows: readonly R[] | undefined
    freshness: ListFreshness
    isFetching: boolean
    problem: Problem | null
    refetch: () => void
  }
  getRowKey: (row: R) => string
  /** In place of rows, where there are none, and where the device has never read them. */
  emptyState: ReactNode
  notCachedText: string
}

/** What is shown in place of rows, or the rows. */
function getContentKind<R>({ rows, isFetching, problem, freshness }: FiveRowsProps<R>['list']) {
  if (rows && rows.length > 0) return 'rows'
  // While the list is fetched, a stored empty list may be old.
  if (!rows || isFetching) return 'loading'
  if (problem && !isOffline(problem)) return 'failed'
  return freshness.asOf === null ? 'notCached' : 'empty'
}

/** A table with five rows per page (M128), cards on a phone. */
export function FiveRows<R>({ list, notCachedText, emptyState, ...props }: FiveRowsProps<R>) {
  const { rows = [], freshness, problem, refetch } = list
  const contentKind = getContentKind(list)
  return (
    <>
      <LoadProblem problem={problem} onRetry={refetch} />
      {contentKind === 'loading' && <Skeleton lines={3} />}
      {contentKind === 'notCached' && <p className="field-help">{notCachedText}</p>}
      {contentKind === 'empty' && emptyState}
      {contentKind === 'rows' && <Rows {...props} rows={rows} freshness={freshness} />}
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
        {/* The cards of a phone change the table's display, and with it the roles of its elements: they are written out. */}
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
