/** Reads logs of services for the page, and for a download with a one-time key (contracts 5, 7, 8, D64). */
import { logDays, getServiceActionRefusal } from '#domain/hosting.ts'
import { type Caller, isProvider } from '#domain/access.ts'
import { addDays } from '#domain/plain-dates.ts'
import { normaliseText } from '#domain/text.ts'
import { toPlainDate, findInstant, getStartOfDay, type Timestamp, toTimestamp } from '#domain/time.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { downloadLog, readServiceLog, requestLog } from '#contract/services.ts'
import type { RowRef, OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runForCompany } from '#server/db/transaction.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { AppContext } from '#server/context/context.ts'
import type { InstanceRef, InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'
import {
  createForbiddenProblem,
  createValidationProblem,
  createUnavailableProblem,
} from '#server/problems/problem-error.ts'
import { runForService, type ServiceTrailDetails } from '#server/use-cases/hosting/run-for-service.ts'
import { mapHostErrors } from '#server/use-cases/hosting/host-problems.ts'
import { toServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import { issueTicket, redeemTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

export interface LogRequest {
  app: AppContext
  caller: Caller
  sessionId: string | null
  requestId: string
  now: number
  isStopped: () => boolean
}
interface LogRange {
  from: number
  to: number
}

/** Maximum number of rows per response, and maximum time in ms of a search in a large log. */
const limits = { maxLines: 500, searchMs: 8_000 }
const hourMs = 3_600_000

/** Throws VALIDATION_ERROR if the range is invalid or begins before the retention time of logs. */
function parseLogRange(
  { config, clock }: AppContext,
  { from, to }: { from?: Timestamp | undefined; to?: Timestamp | undefined },
): LogRange {
  const now = clock()
  const problems: FieldProblem[] = []
  const parseTime = (field: string, text: Timestamp | undefined, defaultTime: number) => {
    const instant = text === undefined ? defaultTime : findInstant(config.timeZone, text)
    if (instant === null) problems.push({ field, code: 'INVALID_FORMAT' })
    return instant ?? defaultTime
  }
  const end = parseTime('to', to, now + 1)
  const start = parseTime('from', from, end - hourMs)
  const earliest = getStartOfDay(config.timeZone, addDays(toPlainDate(config.timeZone, now), -logDays))
  if (start < earliest) problems.push({ field: 'from', code: 'OUT_OF_RANGE' })
  if (start >= end) problems.push({ field: 'to', code: 'OUT_OF_RANGE' })
  if (problems.length > 0) throw createValidationProblem(problems)
  return { from: start, to: end }
}

/** Throws NOT_FOUND, or FORBIDDEN if the caller may not read the log. */
const readLogTarget = (
  request: LogRequest,
  db: DatabaseHandle,
  id: RowRef,
): Promise<InstanceRef & { info: ServiceTrailDetails & { code: string } }> => {
  const { caller } = request
  return runForService({ db, caller }, id, async (row, trailDetails) => {
    const moment = getBusinessMoment(request)
    const serviceResponse = toServiceResponse(request.app, row, moment, isProvider(caller))
    if (getServiceActionRefusal('log', serviceResponse, caller, moment.today) === 'not_allowed')
      throw createForbiddenProblem()
    return { serviceId: row.id, code: row.code, info: { ...trailDetails, code: row.code } }
  })
}

/** Returns the latest rows of the range, or the first ones after a position. */
export async function readLog(
  request: LogRequest,
  { params, query }: ParsedInputOf<typeof readServiceLog>,
): Promise<OutputOf<typeof readServiceLog>> {
  const { app } = request
  const position = query.after === undefined ? null : parsePosition(query.after)
  const range = parseLogRange(app, query)
  const target = await runForCompany(app, request.caller, (db) => readLogTarget(request, db, params.id), 'reading')
  const foldedSearch = normaliseText(query.searchText ?? '')
  const lines: PositionedLine[] = []
  let hasMore = false
  const startedAt = performance.now()
  const from = position === null ? range.from : Math.max(range.from, position.time)
  for await (const line of addPositions(mapHostErrors(app.hosting.readLog(target, { from, to: range.to })))) {
    if (request.isStopped()) throw createUnavailableProblem(5)
    if (performance.now() - startedAt > limits.searchMs) {
      hasMore = true
      break
    }
    if (position !== null && !isAfter(line, position)) continue
    if (foldedSearch !== '' && !normaliseText(line.text).includes(foldedSearch)) continue
    lines.push(line)
    if (lines.length > limits.maxLines) {
      if (position !== null) {
        lines.pop()
        break
      }
      hasMore = true
      lines.shift()
    }
  }
  const last = lines.at(-1)
  const nextPosition = last
    ? `${last.time}-${last.nth}`
    : (query.after ?? `${Math.max(range.from, Math.min(range.to, app.clock())) - 1}-0`)
  return {
    lines: lines.map(({ time, task, level, text }) => ({ time, task, level, text })),
    next: nextPosition,
    more: hasMore,
  }
}

interface LogPosition {
  time: number
  /** Index among the rows of the same millisecond, from 0. */
  nth: number
}
type PositionedLine = InstanceLogLine & LogPosition

async function* addPositions(lines: AsyncIterable<InstanceLogLine>): AsyncGenerator<PositionedLine> {
  let [time, nth] = [-1, 0]
  for await (const line of lines) {
    nth = line.time === time ? nth + 1 : 0
    time = line.time
    yield { ...line, nth }
  }
}

const isAfter = (line: LogPosition, position: LogPosition) =>
  line.time > position.time || (line.time === position.time && line.nth > position.nth)

/** Throws VALIDATION_ERROR if the text is not a position from an earlier response. */
function parsePosition(text: string): LogPosition {
  const [, time, nth] = /^(\d{1,15})-(\d{1,9})$/.exec(text) ?? []
  if (time === undefined || nth === undefined)
    throw createValidationProblem([{ field: 'after', code: 'INVALID_FORMAT' }])
  return { time: Number(time), nth: Number(nth) }
}

/** Returns the key of the download, or an empty string if the range has no rows. */
export async function requestLogDownload(
  request: LogRequest,
  { body }: ParsedInputOf<typeof requestLog>,
): Promise<string> {
  const { app, caller, sessionId, now, requestId } = request
  const range = parseLogRange(app, body)
  const target = await runForCompany(app, request.caller, (db) => readLogTarget(request, db, body.id), 'reading')
  if (!(await hasLine(app, target, range))) return ''
  return await runForCompany(app, request.caller, async (db) => {
    const { serviceId, code, info } = target
    const key = await issueTicket(
      { db, caller, sessionId, now },
      { kind: 'log', subject: { serviceId, code, ...range } },
    )
    const entryHeader = {
      companyId: caller.companyId,
      userId: caller.userId,
      now,
      status: 0,
      intent: null,
      requestId,
    } as const
    const entryInfo = { ServiceCode: code, From: body.from, To: body.to, ...info.info }
    await addAuditEntries(db, entryHeader, [{ code: 'service', operation: 'export', info: entryInfo, ...info.log }])
    return key
  })
}

async function hasLine(app: AppContext, target: InstanceRef, range: LogRange): Promise<boolean> {
  for await (const line of mapHostErrors(app.hosting.readLog(target, range))) return line.time >= 0
  return false
}

export interface LogFile {
  name: string
  pieces: AsyncIterable<string>
}

/** Throws NOT_FOUND if the key is not valid (`openTicket`). */
export async function openLogDownload(
  { isStopped, ...request }: TicketRequest & Pick<LogRequest, 'isStopped'>,
  { params }: ParsedInputOf<typeof downloadLog>,
): Promise<LogFile> {
  const { app } = request
  const { subject } = await redeemTicket(request, 'log', params.key)
  const { serviceId, code, from, to } = subject as InstanceRef & LogRange
  const { timeZone } = app.config
  const formatStamp = (time: number) => toTimestamp(timeZone, time).slice(0, 16).replace(' ', '-').replace(':', '')
  const lines = mapHostErrors(app.hosting.readLog({ serviceId, code }, { from, to }))
  return {
    name: `${code}-log-${formatStamp(from)}-${formatStamp(to)}.txt`,
    pieces: formatLogText(lines, timeZone, isStopped),
  }
}

const pieceChars = 65_536

async function* formatLogText(
  lines: AsyncIterable<InstanceLogLine>,
  zone: string,
  isStopped: () => boolean,
): AsyncGenerator<string> {
  let piece = ''
  for await (const { time, task, level, text } of lines) {
    // If the download ended normally here, the file would look complete. Throwing cuts off the connection.
    if (isStopped()) throw createUnavailableProblem(5)
    const ms = String(time % 1000).padStart(3, '0')
    piece += `${toTimestamp(zone, time)}.${ms} ${task === 0 ? 'host' : `task ${task}`} ${level} ${text}\n`
    if (piece.length < pieceChars) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
