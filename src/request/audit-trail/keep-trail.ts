/**
 * Fills a range of the audit trail that its user asked to keep, in requests of some thousand entries: each is stored with the place
 * that comes next, so a cut line or a closed browser costs one of them. In the end all of it is proven.
 */
import { exportTrail, keepTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { localProblem, waitOf } from '#contract/problem.ts'
import { LogError } from '#domain/audit-log/fault.ts'
import { readLeafStream } from '#domain/audit-log/leaf-stream.ts'
import { addDays } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { beginKeep, noteProven, removeKept, storePiece } from '#local/audit-trail/kept-store.ts'
import type { KeptTrail } from '#local/storage/trail-records.ts'
import { forgetChoice, readChoices, type TrailChoice } from '#local/storage/trail-choices.ts'
import { isFull } from '#local/storage/storage-errors.ts'
import { ask, asOfIn, askAnswer, TrailProblem } from '#request/audit-trail/ask.ts'
import { acceptLog, type Checked, checkLog } from '#request/audit-trail/check-log.ts'
import { storeBoundaries } from '#request/audit-trail/boundaries.ts'
import type { Ports } from '#request/ports.ts'
import { type Guard, whoNow } from '#request/reads/read-context.ts'
import type { FillOptions, KeepResult } from '#request/results.ts'

/** Entries in one request: fewer where the line is slow, so that each is answered long before its time is up. */
const pieceEntries = { first: 1_000, least: 250, most: 10_000 }
const pieceMs = { quick: 3_000, slow: 10_000 }

/** Throws TrailProblem where nobody is signed in. */
export async function guardNow(ports: Ports): Promise<Guard> {
  const { guard } = await whoNow(ports)
  if (!guard) throw new TrailProblem(localProblem('OFFLINE'))
  return guard
}

/** Notes a range that the server has opened (`keepTrail`); nothing of it is here yet. */
export async function begin(
  ports: Ports,
  { dateFrom, dateTo, today }: { dateFrom: PlainDate; dateTo: PlainDate; today: PlainDate },
  opened: OutputOf<typeof keepTrail>,
): Promise<KeepResult> {
  return await answered(ports, async () => {
    const guard = await guardNow(ports)
    const { company_id: companyId, keep, from, to, entries, bytes } = opened
    const follows = dateTo >= today
    // Of an empty range the server names no place: what comes, comes at the end.
    const place = entries > 0 ? { from, to } : await endOf(ports, guard, companyId)
    await beginKeep(guard.db, { companyId, dateFrom, dateTo, keep, ...place, follows, bytes }, guard.generation)
    return { kind: 'done' }
  })
}

async function endOf(ports: Ports, guard: Guard, companyId: number): Promise<{ from: number; to: number }> {
  const { checkpoint } = await checkLog(ports, guard, companyId)
  return { from: checkpoint?.size ?? 0, to: checkpoint?.size ?? 0 }
}

/** Goes on with what is missing, up to the log's end where the range follows it. One page at a time; `busy`: another is at it. */
export async function fill(ports: Ports, companyId: number, options: FillOptions = {}): Promise<KeepResult> {
  return await answered(ports, async () => {
    const guard = await guardNow(ports)
    const lock = `kept-trail:${guard.db.name}:${companyId}`
    const held = await ports.locks.hold(lock, { waitMs: 0 }, () => fillAlone(ports, guard, companyId, options))
    return held?.value ?? { kind: 'busy' }
  })
}

async function fillAlone(ports: Ports, guard: Guard, companyId: number, options: FillOptions): Promise<KeepResult> {
  const { db } = guard
  const before = await db.keptTrails.get(companyId)
  if (!before) return { kind: 'gone' }
  const checked = await checkLog(ports, guard, companyId)
  if (checked.record?.alarm) return { kind: 'alarm', alarm: checked.record.alarm }
  const size = checked.checkpoint?.size ?? 0
  const end = before.follows ? Math.max(size, before.to) : before.to
  const isDone = before.next >= end && before.note === checked.record?.note
  if (isDone) return { kind: 'done' }
  const ended = await fillTo(ports, guard, { kept: before, end }, options)
  if (ended) return ended
  return await prove(ports, guard, companyId, checked)
}

/** Null: all of it is here. */
async function fillTo(
  ports: Ports,
  guard: Guard,
  { kept, end }: { kept: KeptTrail; end: number },
  { onProgress, signal }: FillOptions,
): Promise<KeepResult | null> {
  let entries = pieceEntries.first
  for (let next = kept.next; next < end; ) {
    if (signal?.aborted) return { kind: 'paused' }
    onProgress?.(next - kept.from, end - kept.from)
    const range = { from: next, to: Math.min(end, next + entries) }
    const { piece, took } = await fetchInTurn(ports, () => fetchPiece(ports, guard, kept, range), signal)
    if (!(await storePiece(guard.db, piece, guard.generation))) return { kind: 'gone' }
    if (piece.entries.length === 0) throw new LogError('STREAM_CUT', 'the log ends before the range')
    next += piece.entries.length
    if (took < pieceMs.quick) entries = Math.min(pieceEntries.most, entries * 2)
    if (took > pieceMs.slow) entries = Math.max(pieceEntries.least, Math.floor(entries / 4))
  }
  onProgress?.(end - kept.from, end - kept.from)
  return null
}

/** One user's devices fetch two pieces at a time, and a company's four (429): the next one waits for its turn. */
const maxTurns = 24

async function fetchInTurn<T>(
  ports: Ports,
  fetchNow: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<{ piece: T; took: number }> {
  for (let turn = 0; ; turn++) {
    const began = ports.clock()
    try {
      return { piece: await fetchNow(), took: ports.clock() - began }
    } catch (error) {
      const seconds = error instanceof TrailProblem ? waitOf(error.problem) : null
      if (seconds === null || turn === maxTurns || signal?.aborted) throw error
      await ports.wait(seconds * 1000)
    }
  }
}

async function fetchPiece(
  ports: Ports,
  guard: Guard,
  { companyId, keep }: KeptTrail,
  { from, to }: { from: number; to: number },
) {
  const query = { format: 'ndjson' as const, keep, from, to, companyId }
  const answer = await askAnswer(ports, guard, exportTrail, { query })
  const piece = readLeafStream(answer.text, { companyId, from })
  return { companyId, zone: piece.zone, from, entries: piece.entries, asOf: asOfIn(answer, ports) }
}

/** Brings the hashes around the range and checks all of it up to the signed root. */
async function prove(
  ports: Ports,
  guard: Guard,
  companyId: number,
  { record, checkpoint }: Checked,
): Promise<KeepResult> {
  if (!record || !checkpoint) return { kind: 'done' }
  const place = await storeBoundaries(ports, guard, companyId, checkpoint)
  if (place) {
    const alarm = { fault: 'ENTRY_DIFFERS' as const, ...place, note: record.note, time: record.asOf }
    await guard.db.logCheckpoints.update(companyId, { alarm })
    return { kind: 'alarm', alarm }
  }
  await noteProven(guard.db, companyId, record)
  return { kind: 'done' }
}

/**
 * Whoever looks at a trail has its newest checkpoint stored on the device, and compared with the one before. What is wrong is an alarm in
 * the stored record. Without a connection nothing is checked.
 */
export async function check(ports: Ports, companyId: number): Promise<void> {
  try {
    const { guard } = await whoNow(ports)
    if (guard) await checkLog(ports, guard, companyId)
  } catch (error) {
    // A log whose first checkpoint is none is nothing that this device could hold the next one against.
    if (!(error instanceof TrailProblem) && !(error instanceof LogError)) ports.report(error)
  }
}

/** Brings every kept range up to date; what fails is tried again the next time. */
export async function updateAll(ports: Ports): Promise<void> {
  const { guard } = await whoNow(ports)
  if (!guard) return
  for (const choice of await readChoices(guard.db)) await keepAgain(ports, guard, choice)
  for (const { companyId } of await guard.db.keptTrails.toArray()) await fill(ports, companyId)
}

/** A range that was wiped with a session is opened anew. The choice stands until the range does, or the server refuses it. */
async function keepAgain(ports: Ports, guard: Guard, choice: TrailChoice): Promise<void> {
  const { companyId, dateFrom, dateTo, follows } = choice
  if (await guard.db.keptTrails.get(companyId)) return await forgetChoice(guard.db, companyId)
  try {
    const { body: opened } = await ask(ports, guard, keepTrail, { body: { companyId, dateFrom, dateTo } })
    // A range follows the log when its last day is not over.
    const today = follows ? dateTo : addDays(dateTo, 1)
    const begun = await begin(ports, { dateFrom, dateTo, today }, opened)
    if (begun.kind === 'done') await forgetChoice(guard.db, companyId)
  } catch (error) {
    if (!(error instanceof TrailProblem)) throw error
    // The right to read it is gone, or its days are no longer kept: nothing will ever come of it.
    if (
      error.problem.code === 'FORBIDDEN' ||
      error.problem.code === 'NOT_FOUND' ||
      error.problem.code === 'VALIDATION_ERROR'
    )
      await forgetChoice(guard.db, companyId)
  }
}

/** The alarm was looked at: the next checkpoint is taken as the first was, and what is kept is proven anew by it. */
export async function accept(ports: Ports, companyId: number): Promise<void> {
  const { guard } = await whoNow(ports)
  if (guard) await acceptLog(guard, companyId)
}

export async function remove(ports: Ports, companyId: number): Promise<void> {
  const { guard } = await whoNow(ports)
  if (guard) await removeKept(guard.db, companyId)
}

/** What went wrong as an answer. */
async function answered(ports: Ports, act: () => Promise<KeepResult>): Promise<KeepResult> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof TrailProblem) return { kind: 'problem', problem: error.problem }
    if (error instanceof LogError) return { kind: 'refused', fault: error.code }
    if (isFull(error)) return { kind: 'problem', problem: localProblem('STORAGE_FAILED') }
    ports.report(error)
    return { kind: 'problem', problem: localProblem('STORAGE_FAILED') }
  }
}
