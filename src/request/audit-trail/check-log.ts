/** Checks a company's log: each new checkpoint must extend the last verified one. Otherwise an alarm is stored with the checkpoint. */
import { trailCheckpoint } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { type Checkpoint, followHandovers, openCheckpoint, openHandover } from '#domain/audit-log/checkpoint.ts'
import { LogError, logFaults } from '#domain/audit-log/fault.ts'
import { isEqualHash } from '#domain/audit-log/hash.ts'
import { findConsistencyFault, buildConsistencyProof } from '#domain/audit-log/proofs.ts'
import { getHash, createNodeReader, listTilesRead, tileWidth, calculateSubtreeRoot } from '#domain/audit-log/tiles.ts'
import { getAllLeafTiles } from '#local/audit-trail/stored-tiles.ts'
import type { LogAlarm, LogCheckpoint } from '#local/storage/trail-records.ts'
import { canStore } from '#local/session/session-generation.ts'
import { transact } from '#local/storage/transaction.ts'
import { fetchTrail, type LogContext, TrailProblem } from '#request/audit-trail/fetch-trail.ts'
import { RestoredLogError, findRestoredSize } from '#request/audit-trail/check-restore.ts'
import { fetchTile, fetchTiles, findDifference } from '#request/audit-trail/log-tiles.ts'
import type { SessionGuard } from '#request/reads/read-context.ts'

/**
 * `pendingCount`: number of entries that are written but not in the log yet. `record`: null if the log is empty and the device has no
 * checkpoint of it.
 */
export interface LogCheckResult {
  record: LogCheckpoint | null
  checkpoint: Checkpoint | null
  pendingCount: number
}

/**
 * Reads the latest checkpoint and verifies it against the stored one. If it does not extend the stored one, the result is the stored one
 * with an alarm. The very first checkpoint is trusted with its key. Throws TrailProblem if the server cannot be reached or refuses,
 * LogError if the very first checkpoint is invalid.
 */
export async function checkLog(context: LogContext): Promise<LogCheckResult> {
  const { guard, companyId } = context
  const previous = (await guard.db.logCheckpoints.get(companyId)) ?? null
  // The alarm stays until its user has acknowledged it, even if the server's log looks correct again.
  if (previous?.alarm)
    return { record: previous, checkpoint: openCheckpoint(previous.note, previous.key), pendingCount: 0 }
  const query = { companyId, ...(previous && { known: previous.key }) }
  const { body, asOf } = await fetchTrail(context, trailCheckpoint, { query })
  const { note, key, pending: pendingCount } = body
  if (note === null && previous === null) return { record: null, checkpoint: null, pendingCount }
  try {
    if (note === null) throw new LogError('LOG_SHRANK', 'the log is empty')
    const checkpoint = openNewCheckpoint(previous, { note, key, handovers: body.handovers ?? [] })
    await compareCheckpoints(context, previous, checkpoint)
    if (body.alarm) return await storeServerAlarm(context, { previous, body: { ...body, note }, asOf })
    const record = { companyId, note, key, size: checkpoint.size, asOf, alarm: null }
    await storeCheckpoint(guard, record, previous)
    return { record, checkpoint, pendingCount }
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    if (!previous) throw error
    const alarm = await buildAlarm(context, { previous, error, note, asOf })
    const record = { ...previous, alarm }
    await storeCheckpoint(guard, record, previous)
    return { record, checkpoint: openCheckpoint(previous.note, previous.key), pendingCount }
  }
}

/** Called if the server reports that its log was changed. If the device has no checkpoint, the one of the response is stored. */
async function storeServerAlarm(
  { guard, companyId }: LogContext,
  input: {
    previous: LogCheckpoint | null
    body: Pick<OutputOf<typeof trailCheckpoint>, 'key' | 'pending' | 'alarm'> & { note: string }
    asOf: number
  },
): Promise<LogCheckResult> {
  const { previous, asOf } = input
  const { note, key, pending: pendingCount, alarm: serverAlarm } = input.body
  const checkpoint = previous ? openCheckpoint(previous.note, previous.key) : openCheckpoint(note, key)
  const knownRecord = previous ?? { companyId, note, key, size: checkpoint.size, asOf }
  const fault = logFaults.find((logFault) => logFault === serverAlarm?.fault) ?? 'ENTRY_DIFFERS'
  const alarm = { fault, from: serverAlarm?.from ?? 0, to: serverAlarm?.to ?? knownRecord.size, note, time: asOf }
  const record = { ...knownRecord, alarm }
  await storeCheckpoint(guard, record, previous)
  return { record, checkpoint, pendingCount }
}

/** Opens a checkpoint note. A new key is valid only if the previous key has signed it, in this note or in a handover note. */
function openNewCheckpoint(
  previous: LogCheckpoint | null,
  { note, key, handovers }: { note: string; key: string; handovers: readonly string[] },
): Checkpoint {
  if (!previous || previous.key === key) return openCheckpoint(note, key)
  if (handovers.length === 0) return openHandover(note, previous.key, key)
  if (followHandovers(handovers, previous.key) !== key)
    throw new LogError('NOT_SIGNED_BY_KEY', 'the handover notes name another key')
  return openCheckpoint(note, key)
}

async function compareCheckpoints(
  context: LogContext,
  previous: LogCheckpoint | null,
  checkpoint: Checkpoint,
): Promise<void> {
  if (!previous) return
  const oldCheckpoint = openCheckpoint(previous.note, previous.key)
  if (oldCheckpoint.origin !== checkpoint.origin)
    throw new LogError('OTHER_LOG', `the log is ${checkpoint.origin}, but it was ${oldCheckpoint.origin} before`)
  if (checkpoint.epoch < oldCheckpoint.epoch)
    throw new LogError('ROOT_DIFFERS', 'the checkpoint has an earlier epoch than the stored one')
  const [from, to] = [oldCheckpoint.size, checkpoint.size]
  if (checkpoint.epoch > oldCheckpoint.epoch) {
    const size = await findRestoredSize(context, { epoch: oldCheckpoint.epoch, checkpoint })
    if (size !== null && size < from) {
      const firstDifference = await findFirstDifference(context)
      // A restore only removes entries at the end and does not change earlier ones.
      if (firstDifference === null || firstDifference >= size) throw new RestoredLogError(size)
    }
  }
  if (from > to) throw new LogError('LOG_SHRANK', `the log has ${to} entries, but it had ${from} before`)
  const tileNames = listTilesRead((read) => buildConsistencyProof(from, to, read))
  const proof = buildConsistencyProof(from, to, createNodeReader(await fetchTiles(context, tileNames)))
  const fault = findConsistencyFault({ from, to, fromRoot: oldCheckpoint.root, toRoot: checkpoint.root, proof })
  if (fault) throw new LogError(fault, 'the log does not extend the checkpoint stored on this device')
}

/** Returns false if another page has stored a checkpoint meanwhile, or the session has changed. */
async function storeCheckpoint(
  guard: SessionGuard,
  record: LogCheckpoint,
  previous: LogCheckpoint | null,
): Promise<boolean> {
  const { db, generation } = guard
  return await transact(db, ['logCheckpoints', 'meta'], async () => {
    const storedCheckpoint = await db.logCheckpoints.get(record.companyId)
    if ((storedCheckpoint?.note ?? null) !== (previous?.note ?? null) || !(await canStore(db, generation))) return false
    await db.logCheckpoints.put(record)
    return true
  })
}

async function buildAlarm(
  context: LogContext,
  { previous, error, note, asOf }: { previous: LogCheckpoint; error: LogError; note: string | null; asOf: number },
): Promise<LogAlarm> {
  const isRestored = error instanceof RestoredLogError
  const alarmRange = isRestored
    ? { from: error.size, to: previous.size }
    : await findAlarmRange(context, previous, note)
  return { fault: error.code, ...alarmRange, note, time: asOf }
}

/**
 * Returns the range of an alarm: the missing entries, or else the first stored entry that differs. If no difference is found, it is the
 * range of the old checkpoint.
 */
async function findAlarmRange(
  context: LogContext,
  previous: LogCheckpoint,
  note: string | null,
): Promise<{ from: number; to: number }> {
  const size = parseSize(note, previous.key)
  if (size < previous.size) return { from: size, to: previous.size }
  const firstDifference = await findFirstDifference(context).catch((error: unknown) => {
    if (error instanceof TrailProblem || error instanceof LogError) return null
    throw error
  })
  return firstDifference === null ? { from: 0, to: previous.size } : { from: firstDifference, to: firstDifference + 1 }
}

function parseSize(note: string | null, key: string): number {
  try {
    return note === null ? 0 : openCheckpoint(note, key).size
  } catch {
    return Number.MAX_SAFE_INTEGER
  }
}

/**
 * Returns the log index of the first stored entry that differs, or null. Of full tiles only their hash in the parent tile is compared, so
 * that few tiles are fetched.
 */
async function findFirstDifference(context: LogContext): Promise<number | null> {
  const storedTiles = await getAllLeafTiles(context.guard.db, context.companyId)
  const parentTiles = new Map<number, Uint8Array>()
  for (const storedTile of storedTiles) {
    const { index, hashes, from, to } = storedTile
    const parentIndex = Math.floor(index / tileWidth)
    if (from === 0 && to === tileWidth) {
      const parentTile = parentTiles.get(parentIndex) ?? (await fetchTile(context, { level: 1, index: parentIndex }))
      parentTiles.set(parentIndex, parentTile)
      if (isEqualHash(getHash(parentTile, index % tileWidth), calculateSubtreeRoot(hashes))) continue
    }
    const serverHashes = await fetchTile(context, { level: 0, index })
    const firstDifference = findDifference(storedTile, serverHashes)
    if (firstDifference !== null) return firstDifference
  }
  return null
}
