/** Exports the filtered trail in pieces, so that a slow reader holds no database connection. */
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { exportTrail } from '#contract/audit-trail.ts'
import { type Caller, isDeleteLevel } from '#domain/access.ts'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { toEntryCells, entryColumns } from '#domain/audit-log/columns.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { catalogueMenus } from '#domain/audit-log/leaf.ts'
import { formatCsvLine, csvByteOrderMark } from '#domain/csv.ts'
import { toPlainDate } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import { type AuditEntryMatch, readLeaves, type TrailFilter, listAuditEntries } from '#server/db/audit/audit-list.ts'
import { readLatestCheckpoint, getLogSize } from '#server/db/audit/audit-log.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import {
  createForbiddenProblem,
  createValidationProblem,
  createUnavailableProblem,
} from '#server/problems/problem-error.ts'
import { toVisibleEntryRow, parseTrailFilter, openTrail } from '#server/use-cases/audit/audit-trail.ts'
import { checkListedEntries } from '#server/use-cases/audit/check-listed-entries.ts'
import { isStorageToken, getActorLog } from '#server/use-cases/audit/trail-storage.ts'
import { writeXlsx } from '#server/use-cases/audit/xlsx.ts'

export interface TrailExport {
  name: string
  type: string
  pieces: AsyncIterable<string | Uint8Array>
}

interface ExportRequest {
  app: AppContext
  caller: Caller
  requestId: string
  isStopped: () => boolean
}

type ExportQuery = ParsedInputOf<typeof exportTrail>['query']

/** Maximum number of rows per piece. Reading so many takes some milliseconds, and other requests are handled between two pieces. */
const rowsPerPiece = 250
/** Maximum rows of a sheet, including its header. */
const sheetRows = 1_048_576

/** Opens an export and records it. Throws NOT_FOUND, VALIDATION_ERROR, and FORBIDDEN for the format `ndjson` without a valid `keep`. */
export async function openExport(request: ExportRequest, query: ExportQuery): Promise<TrailExport> {
  if (query.format === 'ndjson') return openLeafStream(request, query)
  const { app, caller, requestId } = request
  const { companyId, format, sortOrder, ...conditions } = query
  const now = app.clock()
  const filter = await runInTransaction(app, getReadScope(caller), async (db) => {
    const trailReader = { db, app, caller }
    const logCompanyId = await openTrail(trailReader, companyId)
    const filter = parseTrailFilter(trailReader, logCompanyId, conditions)
    const filterFacts = getFilterFacts(conditions)
    const entryHeader = {
      companyId: caller.companyId,
      userId: caller.userId,
      now,
      status: 0 as const,
      intent: null,
      requestId,
    }
    await addAuditEntries(db, entryHeader, [
      {
        ...getActorLog(caller, logCompanyId),
        code: 'system',
        operation: 'export',
        info: { Format: format, ...filterFacts },
      },
    ])
    return filter
  })
  const rows = readEntryPieces(request, filter, sortOrder ?? 'desc')
  const name = `audit-trail-${toPlainDate(app.config.timeZone, now)}.${format}`
  if (format === 'csv') return { name, type: 'text/csv; charset=utf-8', pieces: formatCsvPieces(rows) }
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  return { name, type, pieces: writeXlsx(entryColumns, rows, sheetRows) }
}

const getFilterFacts = ({
  code,
  operation,
  dateFrom,
  dateTo,
  user,
  status,
  intent,
  searchText,
}: Partial<ExportQuery>) => ({
  code,
  operation,
  dateFrom,
  dateTo,
  user,
  status,
  intent,
  searchText,
})

const getReadScope = ({ companyId }: Caller) => ({ role: 'portal_app', companyId }) as const

/** Runs `work` in its own transaction, restricted to the company whose log is exported. */
const readBehindFence = <T>(
  { app, caller }: ExportRequest,
  companyId: number,
  work: (db: DatabaseHandle) => Promise<T>,
): Promise<T> =>
  runInTransaction(
    app,
    getReadScope(caller),
    async (db) => {
      await openTrail({ db, app, caller }, companyId)
      return work(db)
    },
    'reading',
  )

async function* readEntryPieces(request: ExportRequest, filter: TrailFilter, order: 'asc' | 'desc') {
  const { app, caller } = request
  const pageOptions = { results: rowsPerPiece, page: 1, descending: order === 'desc' }
  for (let after: number | undefined; ; ) {
    requireWaitingReader(request)
    const entries: AuditEntryMatch[] = await readBehindFence(request, filter.companyId, async (db) => {
      const page = await listAuditEntries(db, filter, { ...pageOptions, after })
      await checkListedEntries(app, db, filter.companyId, page)
      return page
    })
    yield entries.map((entry) => toEntryCells(toVisibleEntryRow({ app, caller }, entry)))
    if (entries.length < rowsPerPiece) return
    after = entries.at(-1)?.id
  }
}

async function* formatCsvPieces(pieces: AsyncIterable<(string | number)[][]>) {
  let pieceHead = csvByteOrderMark + formatCsvLine(entryColumns)
  for await (const rows of pieces) {
    yield pieceHead + rows.map((row) => formatCsvLine(row.map(String))).join('')
    pieceHead = ''
  }
}

/** If the export ended normally here, the file would look complete. Throwing cuts off the connection instead. */
function requireWaitingReader({ isStopped }: ExportRequest): void {
  if (isStopped()) throw createUnavailableProblem(5)
}

async function openLeafStream(
  request: ExportRequest,
  { companyId, keep, from = 0, to }: ExportQuery,
): Promise<TrailExport> {
  const { app, caller } = request
  const logCompanyId = companyId ?? caller.companyId
  const { size, note } = await readBehindFence(request, logCompanyId, async (db) => {
    if (keep === undefined || !isStorageToken(app, caller, logCompanyId, keep)) throw createForbiddenProblem()
    return {
      size: await getLogSize(db, logCompanyId),
      note: (await readLatestCheckpoint(db, logCompanyId))?.note ?? null,
    }
  })
  const end = Math.min(to ?? size, size)
  if (from > end) throw createValidationProblem([{ field: 'from', code: 'OUT_OF_RANGE' }])
  return {
    name: `audit-trail-${logCompanyId}.ndjson`,
    type: 'application/x-ndjson; charset=utf-8',
    pieces: readLeafLines(request, { companyId: logCompanyId, from, to: end, note }),
  }
}

const toJsonLine = (value: unknown) => `${JSON.stringify(value)}\n`

async function* readLeafLines(
  request: ExportRequest,
  { companyId, from, to, note }: { companyId: number; from: number; to: number; note: string | null },
) {
  const seesAll = isDeleteLevel(request.caller)
  let pieceHead = toJsonLine({ zone: request.app.config.timeZone, from, to })
  for (let pieceStart = from; pieceStart < to; pieceStart += rowsPerPiece) {
    requireWaitingReader(request)
    const leaves = await readBehindFence(request, companyId, (db) =>
      readLeaves(db, companyId, { from: pieceStart, to: Math.min(to, pieceStart + rowsPerPiece), limit: rowsPerPiece }),
    )
    const lines = leaves.map(({ log_index: index, code, leaf }) =>
      seesAll || !catalogueMenus.includes(code)
        ? toJsonLine({ index, leaf })
        : toJsonLine({ index, hash: toBase64(hashLeaf(leaf)) }),
    )
    yield pieceHead + lines.join('')
    pieceHead = ''
  }
  yield pieceHead + toJsonLine({ count: to - from, note })
}
