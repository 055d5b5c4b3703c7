/**
 * How many writes wait, told where a lost database does not take it along: in a small cookie, and on the app's icon. A
 * cookie that speaks of more than the database ever recorded is the loss alarm (requirement 48).
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { isStoring } from '#local/outbox/enqueue.ts'
import { compareCounts, reopenDeletedDatabase } from '#local/outbox/data-loss.ts'
import { countWrites, parseCounts, toSubjectKey, formatCounts } from '#local/outbox/counters.ts'
import type { Subject } from '#local/storage/records.ts'
import type { PipelinePorts } from '#request/ports.ts'

/** Being told now; true: something has changed since it was counted. */
const pendingUpdates = new WeakMap<UserDatabase, boolean>()

/** Whoever comes while it is being told is told along: the last word is never older than the last call. */
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
 * The same beside writes that were recorded: told when no more of them are being stored, so that none waits for a figure,
 * or after a second.
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

/** Whoever records one write after the other begins the next in the same task. */
const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

async function updateUnsentCount(ports: PipelinePorts, db: UserDatabase, subject: Subject): Promise<void> {
  const writeCount = await countWrites(db)
  ports.badge?.(writeCount.waitingCount)
  const { unsentCookie } = ports
  if (!unsentCookie) return
  const storedText = (await unsentCookie.read()) ?? ''
  const key = toSubjectKey(subject)
  const storedCount = parseCounts(storedText)[key]
  // A database that has recorded less is not the one that was told of: first that is looked into.
  if (storedCount && storedCount.recordedCount > writeCount.recordedCount) return
  const newText = formatCounts({ ...parseCounts(storedText), [key]: writeCount })
  if (newText !== storedText) await unsentCookie.write(newText)
}

/**
 * Compares what was told with what is here; what is missing stands in the device until its user has seen it. True where the database had
 * been deleted and is a new one.
 */
export async function checkCounts(ports: PipelinePorts, subject: Subject): Promise<boolean> {
  const device = await ports.device()
  const isNew = await reopenDeletedDatabase(device, subject)
  // Whoever logs in next is told then; until that the cookie goes on saying it.
  if (isNew === 'not theirs') return false
  const storedCount = parseCounts((await ports.unsentCookie?.read()) ?? null)[toSubjectKey(subject)]
  await compareCounts(device.getDatabase(subject), storedCount, ports.clock())
  await storeUnsentCount(ports, subject)
  return isNew
}
