/**
 * Fills a range of the audit trail that the user chose to store, in requests of some thousand entries. Each piece is stored with the next
 * log index, so a lost connection or a closed browser loses only one piece. At the end the complete range is proven.
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

/** Number of entries per request. It is smaller on a slow connection, so that each response arrives well before the timeout. */
const entriesPerPiece = { first: 1_000, min: 250, max: 10_000 }
const pieceMs = { quick: 3_000, slow: 10_000 }

/** Creates the record of a range that the server has opened (`keepTrail`). No entry is stored yet. */
export async function startStoredTrail(
  ports: PipelinePorts,
  { dateFrom, dateTo, today }: { dateFrom: PlainDate; dateTo: PlainDate; today: PlainDate },
  openedRange: OutputOf<typeof keepTrail>,
): Promise<StoreTrailResult> {
  return await catchTrailErrors(ports, async (guard) => {
    const { company_id: companyId, keep, from, to, entries: entryCount, bytes } = openedRange
    const isFollowing = dateTo >= today
    // For an empty range the server gives no log index, so new entries are expected at the end of the log.
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

/**
 * Fetches the missing entries of the range, or of the log up to its end if the range follows the log. Returns `busy` if another page
 * already does so.
 */
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

/** Returns null if the range is complete. */
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
    if (piece.entries.length === 0) throw new LogError('STREAM_CUT', 'the log ends before the requested range')
    next += piece.entries.length
    if (durationMs < pieceMs.quick) entryCount = Math.min(entriesPerPiece.max, entryCount * 2)
    if (durationMs > pieceMs.slow) entryCount = Math.max(entriesPerPiece.min, Math.floor(entryCount / 4))
  }
  onProgress?.(end - storedTrail.from, end - storedTrail.from)
  return null
}

/**
 * Maximum number of retries for one piece. A user's devices may fetch two pieces at a time, a company's four. Further requests get a 429
 * and wait.
 */
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
 * Called when a user views a trail: stores its latest checkpoint on the device and verifies that it extends the previous one. A fault is
 * stored as an alarm in the record. Offline, nothing is checked.
 */
export async function checkTrail(ports: PipelinePorts, companyId: number): Promise<void> {
  try {
    const { guard } = await readSessionGuard(ports)
    if (guard) await checkLog({ ports, guard, companyId })
  } catch (error) {
    // A LogError comes from an invalid first checkpoint. The device has no earlier one, so there is no alarm to store.
    if (!(error instanceof TrailProblem) && !(error instanceof LogError)) ports.report(error)
  }
}

/** Updates every stored range. Failures are tried again the next time. */
export async function updateStoredTrails(ports: PipelinePorts): Promise<void> {
  const { guard } = await readSessionGuard(ports)
  if (!guard) return
  for (const choice of await readTrailChoices(guard.db)) await reopenStoredTrail({ ports, guard }, choice)
  for (const { companyId } of await guard.db.storedTrails.toArray()) await fillStoredTrail(ports, companyId)
}

/** Refusals that a repeated request would get again. */
const finalCodes = ['FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR']

/** Opens a range again that was deleted with a session. The choice stays stored until the range exists, or the server refuses it. */
async function reopenStoredTrail(context: TrailContext, choice: TrailChoice): Promise<void> {
  const { ports, guard } = context
  const { companyId, dateFrom, dateTo, follows: isFollowing } = choice
  if (await guard.db.storedTrails.get(companyId)) return await deleteTrailChoice(guard.db, companyId)
  try {
    const { body: openedRange } = await fetchTrail(context, keepTrail, { body: { companyId, dateFrom, dateTo } })
    // A range follows the log if its last day is not over.
    const today = isFollowing ? dateTo : addDays(dateTo, 1)
    const result = await startStoredTrail(ports, { dateFrom, dateTo, today }, openedRange)
    if (result.kind === 'done') await deleteTrailChoice(guard.db, companyId)
  } catch (error) {
    if (!(error instanceof TrailProblem)) throw error
    // The user may no longer read the trail, or its days are no longer stored on the server, so a retry is useless.
    if (finalCodes.includes(error.problem.code)) await deleteTrailChoice(guard.db, companyId)
  }
}

/** Called when the user has acknowledged the alarm. The next checkpoint is trusted like a first one. */
export async function acceptTrailLog(ports: PipelinePorts, companyId: number): Promise<void> {
  const { guard } = await readSessionGuard(ports)
  if (guard) await guard.db.logCheckpoints.delete(companyId)
}

export async function removeTrailFromDevice(ports: PipelinePorts, companyId: number): Promise<void> {
  const { guard } = await readSessionGuard(ports)
  if (guard) await deleteTrailRecords(guard.db, companyId)
}

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
