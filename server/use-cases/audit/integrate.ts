/**
 * The integrator: gives entries their places in the log of their company, in batches, and signs what it comes to. It sees only what
 * is committed, so places follow each other without a gap; the order of places is not that of ids. Killed anywhere, a batch is done as a
 * whole or not at all. Two of them on one log: one works, the other leaves it alone.
 */
import { extendChain, namesNextKey, signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { appendLeaves } from '#domain/audit-log/tree.ts'
import { dateIn } from '#domain/time.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  appendEntries,
  lockLog,
  pendingEntries,
  type PendingLog,
  pendingLogs,
  putCheckpoint,
} from '#server/db/audit/audit-log.ts'
import { epochOf } from '#server/db/audit/audit-epochs.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { ChangedLogError, checkSignedEdge } from '#server/use-cases/audit/check-signed-edge.ts'
import { checkWholeLog } from '#server/use-cases/audit/check-whole-logs.ts'
import { checkWaiting } from '#server/use-cases/audit/check-waiting.ts'
import { isDueToLog } from '#server/use-cases/audit/due-to-log.ts'
import { getLogAlarm, mailLogAlarms, raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { nextKeyOf, nextSeed, originOf, signingSeed } from '#server/use-cases/audit/log-identity.ts'
import { readStoredNotes, writeStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

const batch = 1_000
/** Older entries that are hashed anew with each batch, in turn. */
const maxEntries = 256
/** In ms: an entry that waited longer is a fault that somebody must look at. */
const alarmMs = 60_000

const asSystem = <T>(app: AppContext, work: (db: Handle) => Promise<T>) =>
  inTransaction(app, { role: 'portal_system' }, work)

/**
 * Brings every log up to what is committed. Answers how many entries found their places. A log that does not take its entries, because
 * somebody changed it, keeps none of the others from theirs.
 */
export async function integrate(app: AppContext, stopped: () => boolean = () => false): Promise<number> {
  const logs = await inTransaction(app, { role: 'portal_system' }, pendingLogs, 'reading')
  if (!looksSince.has(app)) looksSince.set(app, app.clock())
  await mailLogAlarms(app)
  if (logs.length === 0) return 0
  // Before the logs are read: a log goes on from what the store has, and never the other way round.
  const storedNotes = await readStoredNotes(app)
  const signed = new Map<number, string>()
  let placed = 0
  // To check all of a changed log takes long, and the others must not wait for it.
  const inOrder = logs.toSorted((one, other) => Number(isChanged(app, one)) - Number(isChanged(app, other)))
  for (const log of inOrder) {
    warnIfLate(app, log)
    // Nothing is signed that could not be compared with the store once.
    if (!storedNotes) continue
    const storedNote = storedNotes.get(log.companyId)
    try {
      if (!(await isInOrder(app, log.companyId, storedNote))) continue
      for (let count = batch; count === batch && !stopped(); placed += count) {
        const result = await asSystem(app, (db) => integrateBatch(app, db, log.companyId, storedNote))
        if (result.note !== null) signed.set(log.companyId, result.note)
        count = result.count
      }
    } catch (error) {
      if (error instanceof ChangedLogError) {
        raiseLogAlarm(app, log.companyId, error)
        continue
      }
      if (isDueToLog(app, `failed ${log.companyId}`))
        app.log.error({ err: error, company: log.companyId }, 'entries could not be put into their audit log')
    }
  }
  // Not in the transactions: a crash in between leaves the store behind its log, which it may be.
  await writeStoredNotes(app, signed)
  await mailLogAlarms(app)
  return placed
}

const isChanged = (app: AppContext, { companyId }: PendingLog) => getLogAlarm(app, companyId) !== null

/** When all of a changed log may be checked again, in ms of this process: that takes long. */
const nextChecks = new WeakMap<AppContext, Map<number, number>>()

/** A log that this process knows to be changed is signed again once all of it was found in order. */
async function isInOrder(app: AppContext, companyId: number, storedNote: string | undefined): Promise<boolean> {
  if (!getLogAlarm(app, companyId)) return true
  const times = nextChecks.get(app) ?? new Map<number, number>()
  nextChecks.set(app, times)
  const start = performance.now()
  if (start < (times.get(companyId) ?? 0)) return false
  const note = await checkWholeLog(app, companyId, storedNote)
  times.set(companyId, start + 20 * (performance.now() - start))
  return note !== null || !getLogAlarm(app, companyId)
}

/** Since when this process looks: what waited before, over a stop or in a new demo world, is no fault of it. */
const looksSince = new WeakMap<AppContext, number>()

function warnIfLate(app: AppContext, { companyId, oldest }: PendingLog): void {
  const lag = app.clock() - Math.max(oldest, looksSince.get(app) ?? 0)
  if (lag > alarmMs && isDueToLog(app, `late ${companyId}`))
    app.log.error({ company: companyId, lag }, 'the audit log is behind its entries')
}

interface BatchResult {
  /** Less than a batch at the end, 0 where somebody else is at work. */
  count: number
  /** Null: nothing was signed. */
  note: string | null
}

/** Throws ChangedLogError, and has signed nothing then. */
async function integrateBatch(
  app: AppContext,
  db: Handle,
  companyId: number,
  storedNote: string | undefined,
): Promise<BatchResult> {
  if (!(await lockLog(db, companyId))) return { count: 0, note: null }
  const entries = await pendingEntries(db, companyId, batch)
  if (entries.length === 0) return { count: 0, note: null }
  const { edge: signedEdge, newest } = await checkSignedEdge(app, db, companyId, { storedNote, maxEntries })
  const { size } = signedEdge
  const sealed = checkWaiting(app, companyId, { size, entries })
  const hashes = sealed.map(({ leaf }) => leafHash(leaf))
  const { edge, changed, root } = appendLeaves(signedEdge, hashes)
  await appendEntries(db, companyId, { from: size, ids: sealed.map(({ id }) => id), changed })
  const zone = app.config.timeZone
  const time = app.clock()
  const origin = originOf(app, companyId)
  const [next, nextKey] = [nextSeed(app), nextKeyOf(app, companyId)]
  const isLastOfDay = newest !== null && dateIn(zone, newest.row.time) !== dateIn(zone, time)
  // A device that was away while the key was changed follows it by the last one that both keys signed.
  const isHandover = newest !== null && namesNextKey(newest.row.note) && nextKey === null
  const isKept = newest !== null && (newest.row.kept || isLastOfDay || isHandover)
  const stored = isKept ? extendChain(newest.chain, newest.row.note) : newest?.chain
  const note = signCheckpoint(
    {
      origin,
      size: edge.size,
      root,
      epoch: await epochOf(db),
      ...(nextKey === null ? {} : { nextKey }),
      ...(stored === undefined ? {} : { stored }),
    },
    ...[signingSeed(app), next].flatMap((seed) => (seed ? [{ name: origin, seed }] : [])),
  )
  await putCheckpoint(db, companyId, { size: edge.size, note, time }, newest && { size: newest.row.size, isKept })
  return { count: sealed.length, note }
}
