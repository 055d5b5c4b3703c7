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

/** Databases whose count is being stored. The value is true if another call came meanwhile. */
const pendingUpdates = new WeakMap<UserDatabase, boolean>()

/** Stores the count. A call during another one makes that one count again, so the stored count is never older than the last call. */
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

/**
 * Stores the count after the last write of a series is stored, but after a second at the latest. It runs in the background, so no write
 * waits for it.
 */
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

/** Resolves in the next task. Code that records several writes starts the next one before that. */
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
  // The subject is not signed in now. The cookie keeps the count, and a loss is noticed when this user logs in next.
  if (isNew === 'not theirs') return false
  const storedCount = parseCounts((await ports.unsentCookie?.read()) ?? null)[toSubjectKey(subject)]
  await compareCounts(device.getDatabase(subject), storedCount, ports.clock())
  await storeUnsentCount(ports, subject)
  return isNew
}
