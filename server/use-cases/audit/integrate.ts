/**
 * The integrator gives entries their indexes in the log of their company, in batches, and signs the result. It reads committed entries
 * only, so the indexes have no gaps; their order is not that of the ids. A batch is completed or rolled back, also after a kill.
 */
import { extendChain, hasNextKey, signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { appendLeaves } from '#domain/audit-log/tree-edge.ts'
import { toPlainDate } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  appendEntries,
  tryLockLog,
  listPendingEntries,
  type PendingLog,
  listPendingLogs,
  storeCheckpoint,
} from '#server/db/audit/audit-log.ts'
import { readEpoch } from '#server/db/audit/audit-epochs.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { checkCompleteLog } from '#server/use-cases/audit/check-complete-logs.ts'
import { requireSealedEntries } from '#server/use-cases/audit/check-waiting-entries.ts'
import { isDueToLog } from '#server/use-cases/audit/due-to-log.ts'
import { getLogAlarm, mailLogAlarms, raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { getNextVerifierKey, getNextSeed, getLogOrigin, getSigningSeed } from '#server/use-cases/audit/log-identity.ts'
import { readStoredNotes, writeStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

const entriesPerBatch = 1_000
/** Number of older entries that are hashed again with each batch, in turn. */
const maxEntries = 256
/** Time in ms that an entry may wait for its log index. A longer delay is logged as an error. */
const alarmMs = 60_000

const runAsSystem = <T>(app: AppContext, work: (db: DatabaseHandle) => Promise<T>) =>
  runInTransaction(app, { role: 'portal_system' }, work)

/** Returns the number of entries that got an index. A manipulated log does not delay the others. */
export async function integrate(app: AppContext, isStopped: () => boolean = () => false): Promise<number> {
  const logs = await runInTransaction(app, { role: 'portal_system' }, listPendingLogs, 'reading')
  if (!firstLookTimes.has(app)) firstLookTimes.set(app, app.clock())
  await mailLogAlarms(app)
  if (logs.length === 0) return 0
  // The stored notes are read before the logs: a log may be newer than its stored note, but never older.
  const storedNotes = await readStoredNotes(app)
  const signedNotes = new Map<number, string>()
  let placedCount = 0
  // The complete check of a changed log takes long, so the other logs come first.
  const sortedLogs = logs.toSorted((log, otherLog) => Number(isChanged(app, log)) - Number(isChanged(app, otherLog)))
  for (const log of sortedLogs) {
    warnIfLate(app, log)
    // Nothing is signed before the store was read once, because each log must be compared with its stored note.
    if (!storedNotes) continue
    const storedNote = storedNotes.get(log.companyId)
    try {
      if (!(await isInOrder(app, log.companyId, storedNote))) continue
      for (
        let batchCount = entriesPerBatch;
        batchCount === entriesPerBatch && !isStopped();
        placedCount += batchCount
      ) {
        const result = await runAsSystem(app, (db) => integrateBatch(app, db, log.companyId, storedNote))
        if (result.note !== null) signedNotes.set(log.companyId, result.note)
        batchCount = result.count
      }
    } catch (error) {
      if (error instanceof ChangedLogError) {
        raiseLogAlarm(app, log.companyId, error)
        continue
      }
      if (isDueToLog(app, `failed ${log.companyId}`))
        app.log.error(
          { event: 'audit_integration_failed', err: error, company: log.companyId },
          'could not add entries to an audit log',
        )
    }
  }
  // Written after the transactions. After a crash in between, a stored note is older than its log, which is allowed.
  await writeStoredNotes(app, signedNotes)
  await mailLogAlarms(app)
  return placedCount
}

const isChanged = (app: AppContext, { companyId }: PendingLog) => getLogAlarm(app, companyId) !== null

/**
 * Times from which a changed log may be checked completely again, by company, in ms of `performance.now()`. The delay exists because the
 * check takes long.
 */
const nextCheckTimes = new WeakMap<AppContext, Map<number, number>>()

/** Whether the log may be signed. If this process has found the log changed, a complete check must find no fault first. */
async function isInOrder(app: AppContext, companyId: number, storedNote: string | undefined): Promise<boolean> {
  if (!getLogAlarm(app, companyId)) return true
  const times = nextCheckTimes.get(app) ?? new Map<number, number>()
  nextCheckTimes.set(app, times)
  const startedAt = performance.now()
  if (startedAt < (times.get(companyId) ?? 0)) return false
  const note = await checkCompleteLog(app, companyId, storedNote)
  times.set(companyId, startedAt + 20 * (performance.now() - startedAt))
  return note !== null || !getLogAlarm(app, companyId)
}

/**
 * Time of this process's first run. Entries that have waited since before (a stop of the server, new demo data) are not reported as late.
 */
const firstLookTimes = new WeakMap<AppContext, number>()

function warnIfLate(app: AppContext, { companyId, oldest }: PendingLog): void {
  const lag = app.clock() - Math.max(oldest, firstLookTimes.get(app) ?? 0)
  if (lag > alarmMs && isDueToLog(app, `late ${companyId}`))
    app.log.error({ event: 'audit_log_delayed', company: companyId, lag }, 'an audit log is behind its entries')
}

interface BatchResult {
  /** Number of entries that got a log index: less than a batch at the end of the log, and 0 if another process works on the log. */
  count: number
  /** Null if nothing was signed. */
  note: string | null
}

/** Throws ChangedLogError, without signing anything, if the log or a waiting entry was changed. */
async function integrateBatch(
  app: AppContext,
  db: DatabaseHandle,
  companyId: number,
  storedNote: string | undefined,
): Promise<BatchResult> {
  if (!(await tryLockLog(db, companyId))) return { count: 0, note: null }
  const entries = await listPendingEntries(db, companyId, entriesPerBatch)
  if (entries.length === 0) return { count: 0, note: null }
  const { edge: signedEdge, latestCheckpoint } = await checkSignedEdge(app, db, companyId, { storedNote, maxEntries })
  const { size } = signedEdge
  const sealedEntries = requireSealedEntries(app, companyId, { size, entries })
  const hashes = sealedEntries.map(({ leaf }) => hashLeaf(leaf))
  const { edge, changedTiles, root } = appendLeaves(signedEdge, hashes)
  await appendEntries(db, companyId, { from: size, ids: sealedEntries.map(({ id }) => id), changedTiles })
  const zone = app.config.timeZone
  const time = app.clock()
  const origin = getLogOrigin(app, companyId)
  const [nextKeySeed, nextKey] = [getNextSeed(app), getNextVerifierKey(app, companyId)]
  const isLastOfDay =
    latestCheckpoint !== null && toPlainDate(zone, latestCheckpoint.row.time) !== toPlainDate(zone, time)
  // The last checkpoint that both keys signed becomes permanent: with it, a device that was offline during the key change can accept the
  // new key.
  const isHandover = latestCheckpoint !== null && hasNextKey(latestCheckpoint.row.note) && nextKey === null
  const isPermanent = latestCheckpoint !== null && (latestCheckpoint.row.is_permanent || isLastOfDay || isHandover)
  const storedChain = isPermanent
    ? extendChain(latestCheckpoint.chain, latestCheckpoint.row.note)
    : latestCheckpoint?.chain
  const note = signCheckpoint(
    {
      origin,
      size: edge.size,
      root,
      epoch: await readEpoch(db),
      ...(nextKey === null ? {} : { nextKey }),
      ...(storedChain === undefined ? {} : { storedChain }),
    },
    ...[getSigningSeed(app), nextKeySeed].flatMap((seed) => (seed ? [{ name: origin, seed }] : [])),
  )
  await storeCheckpoint(
    db,
    companyId,
    { size: edge.size, note, time },
    latestCheckpoint && { size: latestCheckpoint.row.size, isRetained: isPermanent },
  )
  return { count: sealedEntries.length, note }
}
