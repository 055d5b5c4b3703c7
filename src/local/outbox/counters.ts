/** How many writes were ever recorded here and how many still wait: numbers that the cookie repeats, so that a loss shows. */
import type { UserDatabase } from '#local/storage/database.ts'
import { sealsIn } from '#local/outbox/sealed-records.ts'
import { openGate } from '#local/session/session-generation.ts'
import type { Subject } from '#local/storage/records.ts'

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
export async function noteMarks(db: UserDatabase, { made, lastSeq }: Pick<Marks, 'made' | 'lastSeq'>): Promise<void> {
  await db.meta.put({ name: 'write-counter', count: made, seq: lastSeq })
}

/** In one breath: a write that is being recorded waits for it. */
export async function readMarks(db: UserDatabase): Promise<Marks> {
  const [made, gate] = await db.meta.bulkGet(['write-counter', 'session-generation'])
  const { count = 0, seq } = made?.name === 'write-counter' ? made : {}
  return { made: count, lastSeq: seq ?? (await greatestSeq(db)), gate: openGate(gate) }
}

/** All are read once: a number that is told nowhere can be looked for only backwards, which takes Chromium long. */
const greatestSeq = async (db: UserDatabase) =>
  (await db.outbox.toArray()).reduce((most, { seq }) => Math.max(most, seq), 0)

export async function madeIn(db: UserDatabase): Promise<number> {
  const made = await db.meta.get('write-counter')
  return made?.name === 'write-counter' ? made.count : 0
}

/** As the database has it now: sealed writes too, and calls of which nobody knows whether they happened. */
export async function countIn(db: UserDatabase): Promise<Count> {
  return await db.transaction('r', ['outbox', 'directCalls', 'meta'], async () => {
    const [seals, unknown, made, waiting] = await Promise.all([
      sealsIn(db),
      db.directCalls.filter(({ state }) => state === 'unknown').count(),
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

export const subjectKey = ({ companyId, userId }: Subject) => `${companyId}:${userId}`
