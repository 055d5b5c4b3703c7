/**
 * How many writes wait, told where a lost database does not take it along: in a small cookie, and on the app's icon. A
 * cookie that speaks of more than the database ever recorded is the loss alarm (requirement 48).
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { isStoring } from '#local/outbox/enqueue.ts'
import { compareCounts, reopenDeleted } from '#local/outbox/data-loss.ts'
import { countIn, readCounts, subjectKey, writeCounts } from '#local/outbox/counters.ts'
import type { Subject } from '#local/storage/records.ts'
import type { Ports } from '#request/ports.ts'

/** Being told now; true: something has changed since it was counted. */
const telling = new WeakMap<UserDatabase, boolean>()

/** Whoever comes while it is being told is told along: the last word is never older than the last call. */
export async function storeUnsentCount(ports: Ports, subject: Subject): Promise<void> {
  const db = (await ports.device()).of(subject)
  if (telling.has(db)) return void telling.set(db, true)
  try {
    do {
      telling.set(db, false)
      await tellOnce(ports, db, subject)
    } while (telling.get(db) === true)
  } finally {
    telling.delete(db)
  }
}

const patienceMs = 1_000

/**
 * The same beside writes that were recorded: told when no more of them are being stored, so that none waits for a figure,
 * or after a second.
 */
export async function tellAfterwards(ports: Ports, subject: Subject): Promise<void> {
  const db = (await ports.device()).of(subject)
  if (waiting.has(db)) return
  waiting.add(db)
  const from = ports.clock()
  do await nextTask()
  while (isStoring(db) && Math.abs(ports.clock() - from) < patienceMs)
  waiting.delete(db)
  await storeUnsentCount(ports, subject)
}

const waiting = new WeakSet<UserDatabase>()

/** Whoever records one write after the other begins the next in the same task. */
const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

async function tellOnce(ports: Ports, db: UserDatabase, subject: Subject): Promise<void> {
  const count = await countIn(db)
  ports.badge?.(count.waiting)
  const { tally } = ports
  if (!tally) return
  const before = (await tally.read()) ?? ''
  const key = subjectKey(subject)
  const told = readCounts(before)[key]
  // A database that has recorded less is not the one that was told of: first that is looked into.
  if (told && told.made > count.made) return
  const now = writeCounts({ ...readCounts(before), [key]: count })
  if (now !== before) await tally.write(now)
}

/**
 * Compares what was told with what is here; what is missing stands in the device until its user has seen it. True where the database had
 * been deleted and is a new one.
 */
export async function checkCounts(ports: Ports, subject: Subject): Promise<boolean> {
  const device = await ports.device()
  const isNew = await reopenDeleted(device, subject)
  // Whoever logs in next is told then; until that the cookie goes on saying it.
  if (isNew === 'not theirs') return false
  const told = readCounts((await ports.tally?.read()) ?? null)[subjectKey(subject)]
  await compareCounts(device.of(subject), told, ports.clock())
  await storeUnsentCount(ports, subject)
  return isNew
}
