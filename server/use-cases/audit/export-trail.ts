/** The trail as a file, of exactly what is filtered, and its leaves as a stream; in pieces, so that a slow reader holds no connection. */
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { exportTrail } from '#contract/audit-trail.ts'
import { type Caller, isDeleteLevel } from '#domain/access.ts'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { entryCells, entryColumns } from '#domain/audit-log/columns.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { catalogueMenus } from '#domain/audit-log/leaf.ts'
import { csvLine, csvMark } from '#domain/csv.ts'
import { dateIn } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import { type FoundEntry, leavesFrom, type TrailFilter, trailPage } from '#server/db/audit/audit-list.ts'
import { newestCheckpoint, sizeOf } from '#server/db/audit/audit-log.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { forbidden, invalid, unavailable } from '#server/problems/problem-error.ts'
import { entryRow, filterOf, openLog } from '#server/use-cases/audit/audit-trail.ts'
import { checkListedEntries } from '#server/use-cases/audit/check-listed-entries.ts'
import { isKeepWord, logOf } from '#server/use-cases/audit/keep-trail.ts'
import { sheetOf } from '#server/use-cases/audit/xlsx.ts'

export interface Export {
  name: string
  type: string
  pieces: AsyncIterable<string | Uint8Array>
}

interface Asking {
  app: AppContext
  caller: Caller
  requestId: string
  /** Nobody waits for the rest any more. */
  stopped: () => boolean
}

type Query = ParsedInputOf<typeof exportTrail>['query']

/** Rows are written out between two other requests: so many take some milliseconds. */
const pieceRows = 250
/** What a sheet holds, its head included. */
const sheetRows = 1_048_576

/** Throws NOT_FOUND, VALIDATION_ERROR; FORBIDDEN where leaves are asked for without the word of `keepTrail`. */
export async function openExport(asking: Asking, query: Query): Promise<Export> {
  if (query.format === 'ndjson') return openStream(asking, query)
  const { app, caller, requestId } = asking
  const { companyId, format, sortOrder, ...asked } = query
  const now = app.clock()
  const filter = await inTransaction(app, scopeOf(caller), async (db) => {
    const reader = { db, app, caller }
    const id = await openLog(reader, companyId)
    const filter = filterOf(reader, id, asked)
    const said = saidOf(asked)
    const entry = {
      companyId: caller.companyId,
      userId: caller.userId,
      now,
      status: 0 as const,
      intent: null,
      requestId,
    }
    await addToTrail(db, entry, [
      { ...logOf(caller, id), code: 'system', operation: 'export', info: { Format: format, ...said } },
    ])
    return filter
  })
  const rows = entriesOf(asking, filter, sortOrder ?? 'desc')
  const name = `audit-trail-${dateIn(app.config.timeZone, now)}.${format}`
  if (format === 'csv') return { name, type: 'text/csv; charset=utf-8', pieces: csvPieces(rows) }
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  return { name, type, pieces: sheetOf(entryColumns, rows, sheetRows) }
}

/** What was asked for, as the entry of the export says it. */
const saidOf = ({ code, operation, dateFrom, dateTo, user, status, intent, searchText }: Partial<Query>) => ({
  code,
  operation,
  dateFrom,
  dateTo,
  user,
  status,
  intent,
  searchText,
})

const scopeOf = ({ companyId }: Caller) => ({ role: 'portal_app', companyId }) as const

/** Behind the fence of the company whose log it is, each piece in a transaction of its own. */
const reading = <T>({ app, caller }: Asking, companyId: number, work: (db: Handle) => Promise<T>): Promise<T> =>
  inTransaction(
    app,
    scopeOf(caller),
    async (db) => {
      await openLog({ db, app, caller }, companyId)
      return work(db)
    },
    'reading',
  )

async function* entriesOf(asking: Asking, filter: TrailFilter, order: 'asc' | 'desc') {
  const { app, caller } = asking
  const at = { results: pieceRows, page: 1, descending: order === 'desc' }
  for (let after: number | undefined; ; ) {
    requireReader(asking)
    const found: FoundEntry[] = await reading(asking, filter.companyId, async (db) => {
      const entries = await trailPage(db, filter, { ...at, after })
      await checkListedEntries(app, db, filter.companyId, entries)
      return entries
    })
    yield found.map((entry) => entryCells(entryRow({ app, caller }, entry)))
    if (found.length < pieceRows) return
    after = found.at(-1)?.id
  }
}

async function* csvPieces(pieces: AsyncIterable<(string | number)[][]>) {
  let head = csvMark + csvLine(entryColumns)
  for await (const rows of pieces) {
    yield head + rows.map((row) => csvLine(row.map(String))).join('')
    head = ''
  }
}

/** A file that ended here as if it were complete would be taken for the whole trail: it is cut off. */
function requireReader({ stopped }: Asking): void {
  if (stopped()) throw unavailable(5)
}

async function openStream(asking: Asking, { companyId, keep, from = 0, to }: Query): Promise<Export> {
  const { app, caller } = asking
  const own = companyId ?? caller.companyId
  const { size, note } = await reading(asking, own, async (db) => {
    if (keep === undefined || !isKeepWord(app, caller, own, keep)) throw forbidden()
    return { size: await sizeOf(db, own), note: (await newestCheckpoint(db, own))?.note ?? null }
  })
  const end = Math.min(to ?? size, size)
  if (from > end) throw invalid([{ field: 'from', code: 'OUT_OF_RANGE' }])
  return {
    name: `audit-trail-${own}.ndjson`,
    type: 'application/x-ndjson; charset=utf-8',
    pieces: leafLines(asking, { companyId: own, from, to: end, note }),
  }
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`

async function* leafLines(
  asking: Asking,
  { companyId, from, to, note }: { companyId: number; from: number; to: number; note: string | null },
) {
  const seesAll = isDeleteLevel(asking.caller)
  let head = line({ zone: asking.app.config.timeZone, from, to })
  for (let at = from; at < to; at += pieceRows) {
    requireReader(asking)
    const leaves = await reading(asking, companyId, (db) =>
      leavesFrom(db, companyId, { from: at, to: Math.min(to, at + pieceRows), most: pieceRows }),
    )
    const lines = leaves.map(({ log_index: index, code, leaf }) =>
      seesAll || !catalogueMenus.includes(code)
        ? line({ index, leaf })
        : line({ index, hash: toBase64(leafHash(leaf)) }),
    )
    yield head + lines.join('')
    head = ''
  }
  yield head + line({ count: to - from, note })
}
