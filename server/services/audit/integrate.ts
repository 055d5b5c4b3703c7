/**
 * The integrator: gives entries their places in the log of their company, in batches, and signs what it comes to. It sees only what
 * is committed, so places follow each other without a gap; the order of places is not that of ids. Killed anywhere, a batch is done as a
 * whole or not at all. Two of them on one log: one works, the other leaves it alone.
 */
import { leafHash } from '#domain/audit-log/hash.ts'
import { namesNextKey, signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { appendLeaves } from '#domain/audit-log/tree.ts'
import { dateIn } from '#domain/time.ts'
import type { AppContext } from '#server/context.ts'
import {
  appendEntries,
  edgeOf,
  lockLog,
  newestCheckpoint,
  pendingEntries,
  type PendingLog,
  pendingLogs,
  putCheckpoint,
  sizeOf,
} from '#server/db/audit/audit-log.ts'
import { epochOf } from '#server/db/audit/audit-epochs.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { nextKeyOf, nextSeed, originOf, signingSeed } from '#server/services/audit/log-identity.ts'

const batch = 1_000
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
  let placed = 0
  for (const log of logs) {
    warnIfLate(app, log)
    try {
      for (let count = batch; count === batch && !stopped(); placed += count)
        count = await asSystem(app, (db) => integrateBatch(app, db, log.companyId))
    } catch (error) {
      if (isSaidNow(app, `failed ${log.companyId}`))
        app.log.error({ err: error, company: log.companyId }, 'entries could not be put into their audit log')
    }
  }
  return placed
}

/** What does not change from one look to the next is said once a minute; a clock that was put back does not silence it. */
const said = new WeakMap<AppContext, Map<string, number>>()

function isSaidNow(app: AppContext, what: string): boolean {
  const now = app.clock()
  const own = said.get(app) ?? new Map<string, number>()
  said.set(app, own)
  if (Math.abs(now - (own.get(what) ?? -Infinity)) < alarmMs) return false
  own.set(what, now)
  return true
}

/** Since when this process looks: what waited before, over a stop or in a new demo world, is no fault of it. */
const looksSince = new WeakMap<AppContext, number>()

function warnIfLate(app: AppContext, { companyId, oldest }: PendingLog): void {
  const lag = app.clock() - Math.max(oldest, looksSince.get(app) ?? 0)
  if (lag > alarmMs && isSaidNow(app, `late ${companyId}`))
    app.log.error({ company: companyId, lag }, 'the audit log is behind its entries')
}

/** Answers how many entries it placed: less than a batch at the end, 0 where somebody else is at work. */
async function integrateBatch(app: AppContext, db: Handle, companyId: number): Promise<number> {
  if (!(await lockLog(db, companyId))) return 0
  const entries = await pendingEntries(db, companyId, batch)
  if (entries.length === 0) return 0
  const from = await sizeOf(db, companyId)
  const hashes = entries.map(({ leaf }) => leafHash(leaf))
  const { edge, changed, root } = appendLeaves(await edgeOf(db, companyId, from), hashes)
  await appendEntries(db, companyId, { from, ids: entries.map(({ id }) => id), changed })
  const before = await newestCheckpoint(db, companyId)
  const zone = app.config.timeZone
  const time = app.clock()
  const origin = originOf(app, companyId)
  const [next, nextKey] = [nextSeed(app), nextKeyOf(app, companyId)]
  const note = signCheckpoint(
    { origin, size: edge.size, root, epoch: await epochOf(db), ...(nextKey === null ? {} : { nextKey }) },
    ...[signingSeed(app), next].flatMap((seed) => (seed ? [{ name: origin, seed }] : [])),
  )
  const isLastOfDay = before !== null && dateIn(zone, before.time) !== dateIn(zone, time)
  // A device that was away while the key was changed follows it by the last one that both keys signed.
  const isHandover = before !== null && namesNextKey(before.note) && nextKey === null
  const kept = before && { size: before.size, isKept: isLastOfDay || isHandover }
  await putCheckpoint(db, companyId, { size: edge.size, note, time }, kept)
  return entries.length
}
