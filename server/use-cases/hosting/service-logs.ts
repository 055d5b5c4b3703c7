/** Logs of hosted services: read in the page, and downloaded as a file by a key that works once (contracts 5, 7, 8, D64). */
import { logDays, whyNotAct } from '#domain/hosting.ts'
import { type Caller, isProvider } from '#domain/access.ts'
import { addDays } from '#domain/period.ts'
import { foldText } from '#domain/text.ts'
import { dateIn, instantIn, startOfDay, type Timestamp, timestampIn } from '#domain/time.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { downloadLog, readServiceLog, requestLog } from '#contract/services.ts'
import type { Id, OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { Handle } from '#server/db/handle.ts'
import type { AppContext } from '#server/context/context.ts'
import type { InstanceRef, LogLine } from '#server/drivers/hosting/driver.ts'
import { forbidden, invalid, unavailable } from '#server/problems/problem-error.ts'
import { forService, type OnService } from '#server/use-cases/hosting/acting-on-service.ts'
import { withHost } from '#server/use-cases/hosting/host-problems.ts'
import { serviceRowOf } from '#server/use-cases/hosting/service-rows.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { issueTicket, redeemTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

/** Who asks, and whether they still wait. */
export interface Visit {
  app: AppContext
  caller: Caller
  sessionId: string | null
  requestId: string
  now: number
  stopped: () => boolean
}
interface Span {
  from: number
  to: number
}

/** Lines of one answer, and how long a search through a large log may take, ms. */
const most = { lines: 500, searchMs: 8_000 }
const hourMs = 3_600_000

/** Throws VALIDATION_ERROR for a range that is none, or begins before logs are kept. */
function spanOf(
  { config, clock }: AppContext,
  { from, to }: { from?: Timestamp | undefined; to?: Timestamp | undefined },
): Span {
  const now = clock()
  const problems: FieldProblem[] = []
  const at = (field: string, text: Timestamp | undefined, usual: number) => {
    const instant = text === undefined ? usual : instantIn(config.timeZone, text)
    if (instant === null) problems.push({ field, code: 'INVALID_FORMAT' })
    return instant ?? usual
  }
  const end = at('to', to, now + 1)
  const start = at('from', from, end - hourMs)
  const earliest = startOfDay(config.timeZone, addDays(dateIn(config.timeZone, now), -logDays))
  if (start < earliest) problems.push({ field: 'from', code: 'OUT_OF_RANGE' })
  if (start >= end) problems.push({ field: 'to', code: 'OUT_OF_RANGE' })
  if (problems.length > 0) throw invalid(problems)
  return { from: start, to: end }
}

/** Throws NOT_FOUND, FORBIDDEN. */
const readable = (visit: Visit, db: Handle, id: Id): Promise<InstanceRef & { info: OnService & { code: string } }> => {
  const { caller } = visit
  return forService({ db, caller }, id, async (row, on) => {
    const moment = momentOf(visit)
    const told = serviceRowOf(visit.app, row, moment, isProvider(caller))
    if (whyNotAct('log', told, caller, moment.today) === 'not_allowed') throw forbidden()
    return { serviceId: row.id, code: row.code, info: { ...on, code: row.code } }
  })
}

const scopeOf = ({ caller }: Visit) => ({ role: 'portal_app', companyId: caller.companyId }) as const

/** The latest lines of the span, or the first ones after a place. Throws as `spanOf` and `readable` do. */
export async function readLog(
  visit: Visit,
  { params, query }: ParsedInputOf<typeof readServiceLog>,
): Promise<OutputOf<typeof readServiceLog>> {
  const { app } = visit
  const place = query.after === undefined ? null : placeIn(query.after)
  const span = spanOf(app, query)
  const ref = await inTransaction(app, scopeOf(visit), (db) => readable(visit, db, params.id), 'reading')
  const sought = foldText(query.searchText ?? '')
  const lines: Placed[] = []
  let more = false
  const begun = performance.now()
  const from = place === null ? span.from : Math.max(span.from, place.time)
  for await (const line of placed(withHost(app.hosting.readLog(ref, { from, to: span.to })))) {
    if (visit.stopped()) throw unavailable(5)
    if (performance.now() - begun > most.searchMs) {
      more = true
      break
    }
    if (place !== null && !isAfter(line, place)) continue
    if (sought !== '' && !foldText(line.text).includes(sought)) continue
    lines.push(line)
    if (lines.length > most.lines) {
      if (place !== null) {
        lines.pop()
        break
      }
      more = true
      lines.shift()
    }
  }
  const last = lines.at(-1)
  const next = last
    ? `${last.time}-${last.nth}`
    : (query.after ?? `${Math.max(span.from, Math.min(span.to, app.clock())) - 1}-0`)
  return { lines: lines.map(({ time, task, level, text }) => ({ time, task, level, text })), next, more }
}

interface Place {
  time: number
  /** Which of the lines of that millisecond, from 0. */
  nth: number
}
type Placed = LogLine & Place

async function* placed(lines: AsyncIterable<LogLine>): AsyncGenerator<Placed> {
  let [time, nth] = [-1, 0]
  for await (const line of lines) {
    nth = line.time === time ? nth + 1 : 0
    time = line.time
    yield { ...line, nth }
  }
}

const isAfter = (line: Place, place: Place) =>
  line.time > place.time || (line.time === place.time && line.nth > place.nth)

/** Throws VALIDATION_ERROR for what we never said. */
function placeIn(text: string): Place {
  const [, time, nth] = /^(\d{1,15})-(\d{1,9})$/.exec(text) ?? []
  if (time === undefined || nth === undefined) throw invalid([{ field: 'after', code: 'INVALID_FORMAT' }])
  return { time: Number(time), nth: Number(nth) }
}

/** A key, or nothing where there is no line in the range. */
export async function askForLog(visit: Visit, { body }: ParsedInputOf<typeof requestLog>): Promise<string> {
  const { app, caller, sessionId, now, requestId } = visit
  const span = spanOf(app, body)
  const ref = await inTransaction(app, scopeOf(visit), (db) => readable(visit, db, body.id), 'reading')
  if (!(await hasLine(app, ref, span))) return ''
  return await inTransaction(app, scopeOf(visit), async (db) => {
    const { serviceId, code, info } = ref
    const key = await issueTicket(
      { db, caller, sessionId, now },
      { kind: 'log', subject: { serviceId, code, ...span } },
    )
    const head = {
      companyId: caller.companyId,
      userId: caller.userId,
      now,
      status: 0,
      intent: null,
      requestId,
    } as const
    const said = { ServiceCode: code, From: body.from, To: body.to, ...info.info }
    await addToTrail(db, head, [{ code: 'service', operation: 'export', info: said, ...info.log }])
    return key
  })
}

async function hasLine(app: AppContext, ref: InstanceRef, span: Span): Promise<boolean> {
  for await (const line of withHost(app.hosting.readLog(ref, span))) return line.time >= 0
  return false
}

export interface LogFile {
  name: string
  pieces: AsyncIterable<string>
}

/** Throws NOT_FOUND for a key that was used, is over or never was. */
export async function openLog(
  { stopped, ...request }: TicketRequest & Pick<Visit, 'stopped'>,
  { params }: ParsedInputOf<typeof downloadLog>,
): Promise<LogFile> {
  const { app } = request
  const { subject } = await redeemTicket(request, 'log', params.key)
  const { serviceId, code, from, to } = subject as InstanceRef & Span
  const { timeZone } = app.config
  const stamp = (at: number) => timestampIn(timeZone, at).slice(0, 16).replace(' ', '-').replace(':', '')
  const lines = withHost(app.hosting.readLog({ serviceId, code }, { from, to }))
  return { name: `${code}-log-${stamp(from)}-${stamp(to)}.txt`, pieces: asText(lines, timeZone, stopped) }
}

const pieceChars = 65_536

async function* asText(lines: AsyncIterable<LogLine>, zone: string, stopped: () => boolean): AsyncGenerator<string> {
  let piece = ''
  for await (const { time, task, level, text } of lines) {
    // Ended here as if it were complete, it would be taken for the whole log.
    if (stopped()) throw unavailable(5)
    const ms = String(time % 1000).padStart(3, '0')
    piece += `${timestampIn(zone, time)}.${ms} ${task === 0 ? 'host' : `task ${task}`} ${level} ${text}\n`
    if (piece.length < pieceChars) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
