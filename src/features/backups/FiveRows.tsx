import { type ReactNode, useState } from 'react'
import type { VersionedRow } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { isOffline, type Problem } from '#contract/problem.ts'
import type { IconName } from '#ui/icons/Icon.tsx'
import type { ExportColumn } from '#patterns/list-export/export-columns.ts'
import type { ListSource } from '#patterns/list-export/fetch-all-rows.ts'
import { useListExport } from '#patterns/list-export/useListExport.tsx'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { type ListFreshness, formatNumber, Freshness } from '#ui/list/Freshness.tsx'
import { Pagination } from '#ui/list/Pagination.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'

/** Rows per page (contracts 9). */
const pageSize = 5

export interface FiveRowsColumn<R> {
  /** Identifies the column. Its header is the message with this key. */
  key: string
  render: (row: R) => ReactNode
  align?: 'end'
  /** Text in an exported file. Columns without it are left out. */
  exportText?: (row: R) => string
}

interface FiveRowsProps<R extends { id: number }> {
  /** Selects the messages: title, caption, count, columns, and the text shown if there are no rows. */
  name: 'history' | 'stored' | 'traffic'
  service: Pick<ServiceRow, 'code' | 'company_code'>
  columns: readonly FiveRowsColumn<R>[]
  list: {
    /** Rows, latest first. Undefined until the device has been read. */
    rows: readonly R[] | undefined
    freshness: ListFreshness
    isFetching: boolean
    problem: Problem | null
    refetch: () => void
    /** Where an export reads all rows. */
    source: ListSource<VersionedRow>
  }
  emptyIcon: IconName
  emptyText?: string
}

/** Returns whether the table shows its rows, or which state replaces them. */
function getContentKind<R extends { id: number }>({ rows, isFetching, problem, freshness }: FiveRowsProps<R>['list']) {
  if (rows && rows.length > 0) return 'rows'
  // While the list is being fetched, an empty list on the device may be out of date.
  if (!rows || isFetching) return 'loading'
  if (problem && !isOffline(problem)) return 'failed'
  return freshness.asOf === null ? 'notCached' : 'empty'
}

/** A table with five rows per page (M128), cards on a phone. */
export function FiveRows<R extends { id: number }>({ list, emptyIcon, emptyText, ...props }: FiveRowsProps<R>) {
  const { t } = useTranslation('backups')
  const { rows = [], freshness, problem, refetch } = list
  const { name } = props
  const contentKind = getContentKind(list)
  return (
    <>
      <LoadProblem problem={problem} onRetry={refetch} />
      {contentKind === 'loading' && <Skeleton lines={3} />}
      {contentKind === 'notCached' && <p className="field-help">{t(`rows.${name}.notHere`)}</p>}
      {contentKind === 'empty' && (
        <EmptyState icon={emptyIcon} title={t(`rows.${name}.empty`)}>
          <p>{emptyText ?? t(`rows.${name}.emptyText`)}</p>
        </EmptyState>
      )}
      {contentKind === 'rows' && <Rows {...props} {...{ rows, freshness }} source={list.source} />}
    </>
  )
}

type RowsProps<R extends { id: number }> = Pick<FiveRowsProps<R>, 'name' | 'service' | 'columns'> & {
  rows: readonly R[]
  freshness: ListFreshness
  source: ListSource<VersionedRow>
}

function Rows<R extends { id: number }>({ name, service, columns, rows, freshness, source }: RowsProps<R>) {
  const { t } = useTranslation('backups')
  const { code, company_code: companyCode } = service
  const [requestedPage, setRequestedPage] = useState(1)
  const pageCount = Math.ceil(rows.length / pageSize)
  const page = Math.min(requestedPage, pageCount)
  const pageRows = rows.slice((page - 1) * pageSize, page * pageSize)
  const headers = columns.map(({ key }) => t(`rows.${name}.column.${key}` as 'rows.history.column.type'))
  const { exportButton, dialog } = useListExport({
    name: t(`rows.${name}.caption`, { code }),
    companyCode,
    source,
    isFiltered: false,
    buildColumns: () =>
      columns.flatMap(({ exportText }, index): ExportColumn<{ row: R }>[] =>
        exportText ? [[headers[index] ?? '', ({ row }) => exportText(row)]] : [],
      ),
  })
  return (
    <>
      <div className="backup-rows">
        {/* On a phone, CSS shows the rows as cards and changes `display`. That removes the roles of a table, so they are set explicitly. */}
        <table className="backup-table" role="table">
          <caption className="sr-only">{t(`rows.${name}.caption`, { code })}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ key, align }, index) => (
                <th key={key} scope="col" role="columnheader" className={align}>
                  {headers[index]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {pageRows.map((row) => (
              <Row key={row.id} {...{ row, columns, headers }} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="backup-foot">
        <p role="status">
          <span>{t(`rows.${name}.counted`, { count: rows.length, number: formatNumber(rows.length) })}</span>{' '}
          <Freshness freshness={freshness} />
        </p>
        {exportButton && (
          <Button kind="plain" icon="install" aria-haspopup="dialog" onClick={exportButton.onOpen}>
            {exportButton.label}
          </Button>
        )}
        {pageCount > 1 && <Pagination page={page} pageCount={pageCount} onPage={setRequestedPage} />}
      </div>
      {dialog}
    </>
  )
}

interface RowProps<R> {
  row: R
  columns: readonly FiveRowsColumn<R>[]
  headers: readonly string[]
}

function Row<R>({ row, columns, headers }: RowProps<R>) {
  return (
    <tr role="row">
      {columns.map(({ key, align, render }, index) =>
        index === 0 ? (
          <th key={key} scope="row" role="rowheader">
            {render(row)}
          </th>
        ) : (
          <td key={key} role="cell" className={align} data-label={headers[index]}>
            <span>{render(row)}</span>
          </td>
        ),
      )}
    </tr>
  )
}
