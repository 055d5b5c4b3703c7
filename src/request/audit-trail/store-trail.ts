/**
 * Fills a range of the audit trail that its user asked to keep, in requests of some thousand entries: each is stored with the place
 * that comes next, so a cut line or a closed browser costs one of them. In the end all of it is proven.
 */
import { exportTrail, keepTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, getRetrySeconds } from '#contract/problem.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { readLeafStream } from '#domain/audit-log/leaf-stream.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import {
  createStoredTrail,
  storeTrailProof,
  deleteTrailRecords,
  storeTrailPiece,
} from '#local/audit-trail/store-trail.ts'
import type { StoredTrail } from '#local/storage/trail-records.ts'
import { deleteTrailChoice, readTrailChoices, type TrailChoice } from '#local/storage/trail-choices.ts'
import { isFullError } from '#local/storage/storage-errors.ts'
import {
  fetchTrail,
  fetchTrailResponse,
  type LogContext,
  type TrailContext,
  TrailProblem,
} from '#request/audit-trail/fetch-trail.ts'
import { type LogCheckResult, checkLog } from '#request/audit-trail/check-log.ts'
import { storeBoundaries } from '#request/audit-trail/boundaries.ts'
import { readAsOf } from '#request/transport/send-request.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { type SessionGuard, readSessionGuard } from '#request/reads/read-context.ts'
import type { FillOptions, StoreTrailResult } from '#request/call-results.ts'

/** Entries in one request: fewer where the line is slow, so that each is answered long before its time is up. */
const entriesPerPiece = { first: 1_000, min: 250, max: 10_000 }
const pieceMs = { quick: 3_000, slow: 10_000 }

/** Notes a range that the server has opened (`keepTrail`); nothing of it is here yet. */
export async function startStoredTrail(
  ports: PipelinePorts,
  { dateFrom, dateTo, today }: { dateFrom: PlainDate; dateTo: PlainDate; today: PlainDate },
  openedRange: OutputOf<typeof keepTrail>,
): Promise<StoreTrailResult> {
  return await catchTrailErrors(ports, async (guard) => {
    const { company_id: companyId, keep, from, to, entries: entryCount, bytes } = openedRange
    const isFollowing = dateTo >= today
    // Of an empty range the server names no place: what comes, comes at the end.
    const logRange = entryCount > 0 ? { from, to } : await getLogEnd({ ports, guard, companyId })
    await createStoredTrail(
      guard.db,
      { companyId, dateFrom, dateTo, keep, ...logRange, follows: isFollowing, bytes },
      guard.generation,
    )
    return { kind: 'done' }
  })
}

async function getLogEnd(context: LogContext): Promise<{ from: number; to: number }> {
  const { checkpoint } = await checkLog(context)
  return { from: checkpoint?.size ?? 0, to: checkpoint?.size ?? 0 }
}

/** Goes on with what is missing, up to the log's end where the range follows it. One page at a time; `busy`: another is at it. */
export async function fillStoredTrail(
  ports: PipelinePorts,
  companyId: number,
  options: FillOptions = {},
): Promise<StoreTrailResult> {
  return await catchTrailErrors(ports, async (guard) => {
    const lock = `kept-trail:${guard.db.name}:${companyId}`
    const lockResult = await ports.locks.hold(lock, { waitMs: 0 }, () =>
      fillUnderLock({ ports, guard, companyId }, options),
    )
    return lockResult?.value ?? { kind: 'busy' }
  })
}

async function fillUnderLock(context: LogContext, options: FillOptions): Promise<StoreTrailResult> {
  const storedTrail = await context.guard.db.storedTrails.get(context.companyId)
  if (!storedTrail) return { kind: 'gone' }
  const logCheck = await checkLog(context)
  if (logCheck.record?.alarm) return { kind: 'alarm', alarm: logCheck.record.alarm }
  const size = logCheck.checkpoint?.size ?? 0
  const end = storedTrail.follows ? Math.max(size, storedTrail.to) : storedTrail.to
  const isDone = storedTrail.next >= end && storedTrail.note === logCheck.record?.note
  if (isDone) return { kind: 'done' }
  const stopResult = await fillUpTo(context, { storedTrail, end }, options)
  if (stopResult) return stopResult
  return await proveStoredRange(context, logCheck)
}

/** Null: all of it is here. */
async function fillUpTo(
  context: LogContext,
  { storedTrail, end }: { storedTrail: StoredTrail; end: number },
  { onProgress, signal }: FillOptions,
): Promise<StoreTrailResult | null> {
  const { ports, guard } = context
  let entryCount = entriesPerPiece.first
  for (let next = storedTrail.next; next < end; ) {
    if (signal?.aborted) return { kind: 'paused' }
    onProgress?.(next - storedTrail.from, end - storedTrail.from)
    const range = { from: next, to: Math.min(end, next + entryCount) }
    const { piece, durationMs } = await fetchInTurn(ports, () => fetchPiece(context, storedTrail, range), signal)
    if (!(await storeTrailPiece(guard.db, piece, guard.generation))) return { kind: 'gone' }
    if (piece.entries.length === 0) throw new LogError('STREAM_CUT', 'the log ends before the range')
    next += piece.entries.length
    if (durationMs < pieceMs.quick) entryCount = Math.min(entriesPerPiece.max, entryCount * 2)
    if (durationMs > pieceMs.slow) entryCount = Math.max(entriesPerPiece.min, Math.floor(entryCount / 4))
  }
  onProgress?.(end - storedTrail.from, end - storedTrail.from)
  return null
}

/** One user's devices fetch two pieces at a time, and a company's four (429): the next one waits for its turn. */
const maxTurns = 24

async function fetchInTurn<T>(
  ports: PipelinePorts,
  fetchOnce: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<{ piece: T; durationMs: number }> {
  for (let turn = 0; ; turn++) {
    const startedAt = ports.clock()
    try {
      return { piece: await fetchOnce(), durationMs: ports.clock() - startedAt }
    } catch (error) {
      const seconds = error instanceof TrailProblem ? getRetrySeconds(error.problem) : null
      if (seconds === null || turn === maxTurns || signal?.aborted) throw error
      await ports.wait(seconds * 1000)
    }
  }
}

async function fetchPiece(context: LogContext, { keep }: StoredTrail, { from, to }: { from: number; to: number }) {
  const { companyId } = context
  const query = { format: 'ndjson' as const, keep, from, to, companyId }
  const response = await fetchTrailResponse(context, exportTrail, { query })
  const piece = readLeafStream(response.text, { companyId, from })
  return { companyId, zone: piece.zone, from, entries: piece.entries, asOf: readAsOf(response, context.ports.clock()) }
}

/** Brings the hashes around the range and checks all of it up to the signed root. */
async function proveStoredRange(
  context: LogContext,
  { record, checkpoint }: LogCheckResult,
): Promise<StoreTrailResult> {
  if (!record || !checkpoint) return { kind: 'done' }
  const { guard, companyId } = context
  const wrongRange = await storeBoundaries(context, checkpoint)
  if (wrongRange) {
    const alarm = { fault: 'ENTRY_DIFFERS' as const, ...wrongRange, note: record.note, time: record.asOf }
    await guard.db.logCheckpoints.update(companyId, { alarm })
    return { kind: 'alarm', alarm }
  }
  await storeTrailProof(guard.db, companyId, record)
  return { kind: 'done' }
}

/**
 * Whoever looks at a trail has its newest checkpoint stored on the device, and compared with the one before. What is wrong is an alarm in
 * the stored record. Without a connection nothing is checked.
 */
export async function checkTrail(ports: PipelinePorts, companyId: number): Promise<void> {
  try {
    const { guard } = await readSessionGuard(ports)
    if (guard) await checkLog({ ports, guard, companyId })
  } catch (error) {
    // A log whose first checkpoint is none is nothing that this device could hold the next one against.
    if (!(error instanceof TrailProblem) && !(error instanceof LogError)) ports.report(error)
  }
}

/** Brings every kept range up to date; what fails is tried again the next time. */
export async function updateStoredTrails(ports: PipelinePorts): Promise<void> {
  const { guard } = await readSessionGuard(ports)
  if (!guard) return
  for (const choice of await readTrailChoices(guard.db)) await reopenStoredTrail({ ports, guard }, choice)
  for (const { companyId } of await guard.db.storedTrails.toArray()) await fillStoredTrail(ports, companyId)
}

/** Refusals that another request would get, too. */
const finalCodes = ['FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR']

/** A range that was wiped with a session is opened anew. The choice stands until the range does, or the server refuses it. */
async function reopenStoredTrail(context: TrailContext, choice: TrailChoice): Promise<void> {
  const { ports, guard } = context
  const { companyId, dateFrom, dateTo, follows: isFollowing } = choice
  if (await guard.db.storedTrails.get(companyId)) return await deleteTrailChoice(guard.db, companyId)
  try {
    const { body: openedRange } = await fetchTrail(context, keepTrail, { body: { companyId, dateFrom, dateTo } })
    // A range follows the log when its last day is not over.
    const today = isFollowing ? dateTo : addDays(dateTo, 1)
    const result = await startStoredTrail(ports, { dateFrom, dateTo, today }, openedRange)
    if (result.kind === 'done') await deleteTrailChoice(guard.db, companyId)
  } catch (error) {
    if (!(error instanceof TrailProblem)) throw error
    // The right to read it is gone, or its days are no longer kept: nothing will ever come of it.
    if (finalCodes.includes(error.problem.code)) await deleteTrailChoice(guard.db, companyId)
  }
}

/** The alarm was looked at: the next checkpoint is taken as the first was, and what is kept is proven anew by it. */
export async function acceptTrailLog(ports: PipelinePorts, companyId: number): Promise<void> {
  const { guard } = await readSessionGuard(ports)
  if (guard) await guard.db.logCheckpoints.delete(companyId)
}

export async function removeTrailFromDevice(ports: PipelinePorts, companyId: number): Promise<void> {
  const { guard } = await readSessionGuard(ports)
  if (guard) await deleteTrailRecords(guard.db, companyId)
}

/** Runs the action for the signed-in user. What it throws becomes a result. */
async function catchTrailErrors(
  ports: PipelinePorts,
  action: (guard: SessionGuard) => Promise<StoreTrailResult>,
): Promise<StoreTrailResult> {
  try {
    const { guard } = await readSessionGuard(ports)
    return guard ? await action(guard) : { kind: 'problem', problem: createLocalProblem('OFFLINE') }
  } catch (error) {
    if (error instanceof TrailProblem) return { kind: 'problem', problem: error.problem }
    if (error instanceof LogError) return { kind: 'refused', fault: error.code }
    if (!isFullError(error)) ports.report(error)
    return { kind: 'problem', problem: createLocalProblem('STORAGE_FAILED') }
  }
}
