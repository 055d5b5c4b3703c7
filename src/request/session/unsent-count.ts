/**
 * Stores the number of waiting writes where it survives the loss of a database: in a small cookie, and on the app's icon. A cookie that
 * counts more writes than the database ever recorded indicates a loss (requirement 48).
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { isStoring } from '#local/outbox/enqueue.ts'
import { compareCounts, reopenDeletedDatabase } from '#local/outbox/data-loss.ts'
import { countWrites, parseCounts, toSubjectKey, formatCounts } from '#local/outbox/counters.ts'
import type { Subject } from '#local/storage/records.ts'
import type { PipelinePorts } from '#request/ports.ts'

/** Databases whose count is being stored. True if something has changed since it was counted. */
const pendingUpdates = new WeakMap<UserDatabase, boolean>()

/** A call during another one makes that one count again, so the stored count is never older than the last call. */
export async function storeUnsentCount(ports: PipelinePorts, subject: Subject): Promise<void> {
  const db = (await ports.device()).getDatabase(subject)
  if (pendingUpdates.has(db)) return void pendingUpdates.set(db, true)
  try {
    do {
      pendingUpdates.set(db, false)
      await updateUnsentCount(ports, db, subject)
    } while (pendingUpdates.get(db) === true)
  } finally {
    pendingUpdates.delete(db)
  }
}

const maxWaitMs = 1_000

/** Runs after the last of many writes, or after a second, so that no write waits for it. */
export async function storeUnsentCountLater(ports: PipelinePorts, subject: Subject): Promise<void> {
  const db = (await ports.device()).getDatabase(subject)
  if (waitingDatabases.has(db)) return
  waitingDatabases.add(db)
  const startedAt = ports.clock()
  do await nextTask()
  while (isStoring(db) && Math.abs(ports.clock() - startedAt) < maxWaitMs)
  waitingDatabases.delete(db)
  await storeUnsentCount(ports, subject)
}

const waitingDatabases = new WeakSet<UserDatabase>()

/** Waits one task: code that records several writes starts the next one in the same task. */
const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

async function updateUnsentCount(ports: PipelinePorts, db: UserDatabase, subject: Subject): Promise<void> {
  const writeCount = await countWrites(db)
  ports.badge?.(writeCount.waitingCount)
  const { unsentCookie } = ports
  if (!unsentCookie) return
  const storedText = (await unsentCookie.read()) ?? ''
  const key = toSubjectKey(subject)
  const storedCount = parseCounts(storedText)[key]
  // The database has recorded fewer writes than the cookie counts, so it is another one. The loss must be checked first.
  if (storedCount && storedCount.recordedCount > writeCount.recordedCount) return
  const newText = formatCounts({ ...parseCounts(storedText), [key]: writeCount })
  if (newText !== storedText) await unsentCookie.write(newText)
}

/** Compares cookie and database, and stores a loss. Returns true if the database was deleted and is new. */
export async function checkCounts(ports: PipelinePorts, subject: Subject): Promise<boolean> {
  const device = await ports.device()
  const isNew = await reopenDeletedDatabase(device, subject)
  // The user who logs in next is notified then. Until that the cookie keeps the count.
  if (isNew === 'not theirs') return false
  const storedCount = parseCounts((await ports.unsentCookie?.read()) ?? null)[toSubjectKey(subject)]
  await compareCounts(device.getDatabase(subject), storedCount, ports.clock())
  await storeUnsentCount(ports, subject)
  return isNew
}
