/** The kept part of an audit trail as CSV, made here: what is filtered, in the order of the list, as far as it is kept. */
import type { exportTrail } from '#contract/audit-trail.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { entryCells, entryColumns } from '#domain/audit-log/columns.ts'
import { csvLine, csvMark } from '#domain/csv.ts'
import { dateIn } from '#domain/time.ts'
import { answeredDays, readKeptPage } from '#local/audit-trail/read-kept.ts'
import type { Ports } from '#request/ports.ts'
import { whoNow } from '#request/reads/read-context.ts'
import type { DownloadedFile, Result } from '#request/results.ts'

const pieceRows = 2_000

/** Null: nothing of this company and these days is kept here. `days` where more was asked for than is kept. */
export async function keptCsv(
  ports: Ports,
  { query = {} }: InputOf<typeof exportTrail>,
): Promise<Result<DownloadedFile> | null> {
  const { guard } = await whoNow(ports)
  const { companyId = guard?.subject.companyId ?? 0, sortOrder: order = 'desc', ...asked } = query
  const { code, operation, dateFrom, dateTo, user, status, intent, searchText } = asked
  const filters = { code, operation, dateFrom, dateTo, user, status, intent, searchText }
  const kept = await guard?.db.keptTrails.get(companyId)
  const days = kept ? answeredDays(kept, dateFrom, dateTo) : null
  if (!guard || !kept || kept.asOf === null || days === null) return null
  const pieces = [csvMark + csvLine(entryColumns)]
  for (let page = 1; ; page++) {
    const found = await readKeptPage(guard.db, companyId, { filters, order, results: pieceRows, page })
    if (!found) return null
    pieces.push(found.data.map((row) => csvLine(entryCells(row).map(String))).join(''))
    if (found.data.length < pieceRows) break
  }
  const name = `audit-trail-${dateIn(kept.zone, kept.asOf)}.csv`
  const output = { bytes: new Blob(pieces, { type: 'text/csv;charset=utf-8' }), name }
  return { kind: 'kept', output, asOf: kept.asOf, days: days === 'all' ? null : days }
}
