/**
 * Watches a company's log. Each new checkpoint must go on from the newest one that this device has checked; one that does not is
 * an alarm that names the place, and takes nobody's place.
 */
import { trailCheckpoint } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { type Checkpoint, followHandovers, openCheckpoint, openHandover } from '#domain/audit-log/checkpoint.ts'
import { LogError, logFaults } from '#domain/audit-log/fault.ts'
import { equalHashes, hashBytes } from '#domain/audit-log/hash.ts'
import { consistencyFault, consistencyProof } from '#domain/audit-log/proofs.ts'
import { hashAt, nodesOf, tilesReadBy, tileWidth, wholeRoot } from '#domain/audit-log/tiles.ts'
import { allLeafTiles } from '#local/audit-trail/kept-tiles.ts'
import type { LogAlarm, LogCheckpoint } from '#local/storage/trail-records.ts'
import { mayStore } from '#local/session/session-generation.ts'
import { transact } from '#local/storage/transaction.ts'
import { ask, TrailProblem } from '#request/audit-trail/ask.ts'
import { RestoredLog, restoredSince } from '#request/audit-trail/check-restore.ts'
import { fetchTile, fetchTiles } from '#request/audit-trail/log-tiles.ts'
import type { Ports } from '#request/ports.ts'
import type { Guard } from '#request/reads/read-context.ts'

/** `pending`: entries that are written and not yet in the log. Record null: the log is empty, and always was here. */
export interface Checked {
  record: LogCheckpoint | null
  checkpoint: Checkpoint | null
  pending: number
}

/**
 * Reads the newest checkpoint and checks it against the one before. Where it does not go on from that, the answer is the old one
 * with an alarm. The first one of all is taken as it is, with its key. Throws TrailProblem where the server could not be asked.
 */
export async function checkLog(ports: Ports, guard: Guard, companyId: number): Promise<Checked> {
  const before = (await guard.db.logCheckpoints.get(companyId)) ?? null
  // It stands until its user has looked at it, whatever the server says by then: it has two stories, or had.
  if (before?.alarm) return { record: before, checkpoint: openCheckpoint(before.note, before.key), pending: 0 }
  const query = { companyId, ...(before && { known: before.key }) }
  const { body, asOf } = await ask(ports, guard, trailCheckpoint, { query })
  const { note, key, pending } = body
  if (note === null && before === null) return { record: null, checkpoint: null, pending }
  try {
    if (note === null) throw new LogError('LOG_SHRANK', 'the log is empty')
    const checkpoint = openedBy(before, { note, key, handovers: body.handovers ?? [] })
    await compare(ports, guard, { companyId, before, checkpoint })
    if (body.alarm) return await alarmedByServer(guard, { companyId, before, body: { ...body, note }, asOf })
    const record = { companyId, note, key, size: checkpoint.size, asOf, alarm: null }
    await store(guard, record, before)
    return { record, checkpoint, pending }
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    if (!before) throw error
    const alarm = await alarmOf(ports, guard, { before, error, note, asOf })
    const record = { ...before, alarm }
    await store(guard, record, before)
    return { record, checkpoint: openCheckpoint(before.note, before.key), pending }
  }
}

/** The server itself has found the log changed. What this device knows stays, or what it is told now where it knew nothing. */
async function alarmedByServer(
  guard: Guard,
  given: {
    companyId: number
    before: LogCheckpoint | null
    body: Pick<OutputOf<typeof trailCheckpoint>, 'key' | 'pending' | 'alarm'> & { note: string }
    asOf: number
  },
): Promise<Checked> {
  const { companyId, before, asOf } = given
  const { note, key, pending, alarm: said } = given.body
  const checkpoint = before ? openCheckpoint(before.note, before.key) : openCheckpoint(note, key)
  const known = before ?? { companyId, note, key, size: checkpoint.size, asOf }
  const fault = logFaults.find((one) => one === said?.fault) ?? 'ENTRY_DIFFERS'
  const alarm = { fault, from: said?.from ?? 0, to: said?.to ?? known.size, note, time: asOf }
  const record = { ...known, alarm }
  await store(guard, record, before)
  return { record, checkpoint, pending }
}

/** By the key that this device knows; a new key counts if the known one has named it, in this note or in one from when it was changed. */
function openedBy(
  before: LogCheckpoint | null,
  { note, key, handovers }: { note: string; key: string; handovers: readonly string[] },
): Checkpoint {
  if (!before || before.key === key) return openCheckpoint(note, key)
  if (handovers.length === 0) return openHandover(note, before.key, key)
  if (followHandovers(handovers, before.key) !== key) throw new LogError('NOT_SIGNED_BY_KEY', 'another key was named')
  return openCheckpoint(note, key)
}

async function compare(
  ports: Ports,
  guard: Guard,
  { companyId, before, checkpoint }: { companyId: number; before: LogCheckpoint | null; checkpoint: Checkpoint },
): Promise<void> {
  if (!before) return
  const old = openCheckpoint(before.note, before.key)
  if (old.origin !== checkpoint.origin) throw new LogError('OTHER_LOG', `${checkpoint.origin}, once ${old.origin}`)
  if (checkpoint.epoch < old.epoch) throw new LogError('ROOT_DIFFERS', 'an earlier epoch')
  const [from, to] = [old.size, checkpoint.size]
  if (checkpoint.epoch > old.epoch) {
    const size = await restoredSince(ports, guard, { companyId, epoch: old.epoch, checkpoint })
    if (size !== null && size < from) {
      const first = await firstDifference(ports, guard, companyId)
      // A restore takes entries from the end, and changes none of those before.
      if (first === null || first >= size) throw new RestoredLog(size)
    }
  }
  if (from > to) throw new LogError('LOG_SHRANK', `${to} entries, once ${from}`)
  const names = tilesReadBy((read) => consistencyProof(from, to, read))
  const proof = consistencyProof(from, to, nodesOf(await fetchTiles(ports, guard, companyId, names)))
  const fault = consistencyFault({ from, to, fromRoot: old.root, toRoot: checkpoint.root, proof })
  if (fault) throw new LogError(fault, 'the log does not go on from what this device has seen')
}

/** False: somebody was faster, or the session has moved on. */
async function store(guard: Guard, record: LogCheckpoint, before: LogCheckpoint | null): Promise<boolean> {
  const { db, generation } = guard
  return await transact(db, ['logCheckpoints', 'meta'], async () => {
    const there = await db.logCheckpoints.get(record.companyId)
    if ((there?.note ?? null) !== (before?.note ?? null) || !(await mayStore(db, generation))) return false
    await db.logCheckpoints.put(record)
    return true
  })
}

async function alarmOf(
  ports: Ports,
  guard: Guard,
  { before, error, note, asOf }: { before: LogCheckpoint; error: LogError; note: string | null; asOf: number },
): Promise<LogAlarm> {
  const isRestored = error instanceof RestoredLog
  const place = isRestored ? { from: error.size, to: before.size } : await placeOf(ports, guard, before, note)
  return { fault: error.code, ...place, note, time: asOf }
}

/**
 * Where the log is another one: what is missing at its end, or the first entry that differs from what is kept here. Nothing kept: all
 * that the old checkpoint speaks of.
 */
async function placeOf(
  ports: Ports,
  guard: Guard,
  before: LogCheckpoint,
  note: string | null,
): Promise<{ from: number; to: number }> {
  const size = sizeIn(note, before.key)
  if (size < before.size) return { from: size, to: before.size }
  const first = await firstDifference(ports, guard, before.companyId).catch((error: unknown) => {
    if (error instanceof TrailProblem || error instanceof LogError) return null
    throw error
  })
  return first === null ? { from: 0, to: before.size } : { from: first, to: first + 1 }
}

function sizeIn(note: string | null, key: string): number {
  try {
    return note === null ? 0 : openCheckpoint(note, key).size
  } catch {
    return Number.MAX_SAFE_INTEGER
  }
}

/** Full tiles are compared by the hash that the tile above has of each, so only the one that differs is fetched. */
async function firstDifference(ports: Ports, guard: Guard, companyId: number): Promise<number | null> {
  const own = await allLeafTiles(guard.db, companyId)
  const above = new Map<number, Uint8Array>()
  for (const { index, hashes, from, to } of own) {
    const parent = Math.floor(index / tileWidth)
    if (from === 0 && to === tileWidth) {
      const fetched = above.get(parent) ?? (await fetchTile(ports, guard, companyId, { level: 1, index: parent }))
      above.set(parent, fetched)
      if (equalHashes(hashAt(fetched, index % tileWidth), wholeRoot(hashes))) continue
    }
    const theirs = await fetchTile(ports, guard, companyId, { level: 0, index })
    for (let at = from; at < to; at += 1) {
      const isThere = (at + 1) * hashBytes <= theirs.length
      if (!isThere || !equalHashes(hashAt(theirs, at), hashAt(hashes, at))) return index * tileWidth + at
    }
  }
  return null
}

/** Its user has looked at the alarm: from now on this device goes by the log as it is. */
export async function acceptLog(guard: Guard, companyId: number): Promise<void> {
  await guard.db.logCheckpoints.delete(companyId)
}
