/** Builds a CSV of the stored part of an audit trail: filtered and ordered like the list, as far as entries are stored. */
import type { exportTrail } from '#contract/audit-trail.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { toEntryCells, entryColumns } from '#domain/audit-log/columns.ts'
import { formatCsvLine, csvByteOrderMark } from '#domain/csv.ts'
import { toPlainDate } from '#domain/time.ts'
import { findCoveredDays, readStoredTrailPage } from '#local/audit-trail/read-stored-trail.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { readSessionGuard } from '#request/reads/read-context.ts'
import type { DownloadedFile, CallResult } from '#request/call-results.ts'

const rowsPerPiece = 2_000

/** Returns null if nothing of this company and these days is stored. Sets `days` if more days were requested than are stored. */
export async function buildStoredTrailCsv(
  ports: PipelinePorts,
  { query = {} }: InputOf<typeof exportTrail>,
): Promise<CallResult<DownloadedFile> | null> {
  const { guard } = await readSessionGuard(ports)
  if (!guard) return null
  const { companyId = guard.subject.companyId, sortOrder: order = 'desc', ...input } = query
  const { code, operation, dateFrom, dateTo, user, status, intent, searchText } = input
  const filters = { code, operation, dateFrom, dateTo, user, status, intent, searchText }
  const coveredDays = await findCoveredDays(guard.db, companyId, input)
  if (!coveredDays) return null
  const pieces = [csvByteOrderMark + formatCsvLine(entryColumns)]
  for (let page = 1; ; page++) {
    const storedPage = await readStoredTrailPage(guard.db, companyId, { filters, order, results: rowsPerPiece, page })
    if (!storedPage) return null
    pieces.push(storedPage.data.map((row) => formatCsvLine(toEntryCells(row).map(String))).join(''))
    if (storedPage.data.length < rowsPerPiece) break
  }
  const { zone, asOf, days } = coveredDays
  const name = `audit-trail-${toPlainDate(zone, asOf)}.csv`
  const output = { bytes: new Blob(pieces, { type: 'text/csv;charset=utf-8' }), name }
  return { kind: 'cached', output, asOf, days: days === 'all' ? null : days }
}
