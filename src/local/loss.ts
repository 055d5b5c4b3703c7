/**
 * The loss alarm (requirement 48). The database counts the writes that were ever recorded in it; a small text outside of
 * it, a cookie, repeats that count and says how many wait. A database that has counted less than the cookie is not the
 * one that the cookie speaks of: the browser took it away, or an older state of it came back.
 */
import { type Made, type Subject, transact, type UserDatabase } from '#local/database.ts'
import { type Device, thisDevice } from '#local/device.ts'
import { sealsIn } from '#local/seals.ts'
import { openGate, readSession } from '#local/session.ts'
import type { Asking } from '#local/asking.ts'
import type { Storing } from '#local/storing.ts'

/** Of one user: how many writes were ever recorded, and how many of them the server does not have. */
export interface Count {
  made: number
  waiting: number
}
/** By `{company}:{user}`. */
export type Counts = Record<string, Count>

/** Where the recording of writes stands. */
export interface Marks {
  /** How many were ever recorded here. */
  made: number
  /** The greatest number that any of them was given. */
  lastSeq: number
  /** The gate's generation; null: closed. */
  gate: number | null
}

/** Inside a transaction that gives writes their numbers. */
export function noteMarks(ask: Storing, db: UserDatabase, { made, lastSeq }: Omit<Marks, 'gate'>): void {
  ask.put(db.meta, { name: 'made', count: made, seq: lastSeq })
}

/** In one question: a write that is being recorded waits for it. */
export async function readMarks(ask: Asking, db: UserDatabase): Promise<Marks> {
  const marks = await ask.rowsBetween(db.meta, ['gate', 'made'])
  const { count = 0, seq } = marks.find((mark): mark is Made => mark.name === 'made') ?? {}
  const gate = openGate(marks.find(({ name }) => name === 'gate'))
  return { made: count, lastSeq: seq ?? (await greatestSeq(ask, db)), gate }
}

/** All are read once: a number that is told nowhere can be looked for only backwards, which takes Chromium long. */
const greatestSeq = async (ask: Asking, db: UserDatabase) =>
  (await ask.everyRow(db.outbox)).reduce((most, { seq }) => Math.max(most, seq), 0)

export async function madeIn(db: UserDatabase): Promise<number> {
  const made = await db.meta.get('made')
  return made?.name === 'made' ? made.count : 0
}

/** As the database has it now: sealed writes too, and calls of which nobody knows whether they happened. */
export async function countIn(db: UserDatabase): Promise<Count> {
  return await db.transaction('r', ['outbox', 'watched', 'meta'], async () => {
    const [seals, unknown, made, waiting] = await Promise.all([
      sealsIn(db),
      db.watched.filter(({ state }) => state === 'unknown').count(),
      madeIn(db),
      db.outbox.count(),
    ])
    return { made, waiting: seals.reduce((sum, { entries }) => sum + entries, waiting + unknown) }
  })
}

/** One figure pair a user, users whose writes are all delivered left out: `7-1.12.3_7-2.4.1`. */
export const writeCounts = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([, { waiting }]) => waiting > 0)
    .map(([subject, { made, waiting }]) => `${subject.replace(':', '-')}.${made}.${waiting}`)
    .join('_')

/** What is not of our making is left out. */
export function readCounts(text: string | null): Counts {
  const counts: Counts = {}
  for (const part of (text ?? '').split('_')) {
    const found = /^(\d{1,10})-(\d{1,10})\.(\d{1,9})\.(\d{1,9})$/.exec(part)
    if (found) counts[`${found[1]}:${found[2]}`] = { made: Number(found[3]), waiting: Number(found[4]) }
  }
  return counts
}

/**
 * Compares the two and keeps what it finds until the user has seen it. The writes that are missing; 0: none. Fewer may
 * be told than were lost, if the cookie was written before the last of them; never more than were once there.
 */
export async function compareCounts(db: UserDatabase, told: Count | undefined, now: number): Promise<number> {
  if (!told) return 0
  return await transact(db, ['outbox', 'watched', 'meta'], async () => {
    if ((await madeIn(db)) >= told.made) return 0
    const { waiting } = await countIn(db)
    const writes = Math.max(0, told.waiting - waiting)
    // From here on this database is the one that is counted.
    await db.meta.put({ name: 'made', count: told.made })
    if (writes > 0) await db.meta.put({ name: 'loss', writes, noticedAt: now })
    return writes
  })
}

/** How many unsent writes of the session's user are gone from this device, until they were acknowledged; null: none. */
export async function readLoss(device: Device = thisDevice()): Promise<{ writes: number; noticedAt: number } | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const loss = await device.of(session).meta.get('loss')
  return loss?.name === 'loss' ? { writes: loss.writes, noticedAt: loss.noticedAt } : null
}

/** The user has seen it. */
export async function forgetLoss(db: UserDatabase): Promise<void> {
  await db.meta.delete('loss')
}

export const subjectKey = ({ companyId, userId }: Subject) => `${companyId}:${userId}`
