/** How many writes were ever recorded here and how many still wait: numbers that the cookie repeats, so that a loss shows. */
import type { UserDatabase } from '#local/storage/database.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import { openGate } from '#local/session/session-generation.ts'
import type { Subject } from '#local/storage/records.ts'

/** Tables of rows that writes are about, each by a letter in the cookie. `files`: uploads. `calls`: of unknown outcome. */
const letters = {
  users: 'u',
  companies: 'c',
  orders: 'o',
  price_lists: 'p',
  modules: 'm',
  files: 'f',
  calls: 'x',
} as const
export type WriteKind = keyof typeof letters
export type KindCounts = Partial<Record<WriteKind, number>>
export const writeKinds = Object.keys(letters) as WriteKind[]

/** Of one user: how many writes were ever recorded, and how many of them the server does not have. */
export interface Count {
  made: number
  waiting: number
  /** What the waiting ones are about. Of sealed writes nobody can tell; absent: an older build counted. */
  kinds?: KindCounts
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
    const [seals, calls, made, waiting] = await Promise.all([
      sealsIn(db),
      db.directCalls.filter(({ state }) => state === 'unknown').count(),
      madeIn(db),
      db.outbox.count(),
    ])
    const kinds = waiting + calls > 0 ? await countKinds(db, calls) : {}
    return { made, waiting: seals.reduce((sum, { entries }) => sum + entries, waiting + calls), kinds }
  })
}

async function countKinds(db: UserDatabase, calls: number): Promise<KindCounts> {
  const counted = await Promise.all(
    writeKinds.map(async (kind) => {
      if (kind === 'calls') return [kind, calls] as const
      const table = kind === 'files' ? '' : kind
      return [kind, await db.outbox.where('table').equals(table).count()] as const
    }),
  )
  return Object.fromEntries(counted.filter(([, count]) => count > 0))
}

/**
 * One figure pair a user, users whose writes are all delivered left out: `7-1.12.3_7-2.4.1`. What they are about stands behind it in a
 * part of its own, which older builds pass over: `7-1.m2u1`.
 */
export const writeCounts = (counts: Counts): string =>
  Object.entries(counts)
    .filter(([, { waiting }]) => waiting > 0)
    .flatMap(([subject, { made, waiting, kinds = {} }]) => {
      const user = subject.replace(':', '-')
      const about = writeKinds.map((kind) => (kinds[kind] ? `${letters[kind]}${kinds[kind]}` : '')).join('')
      return [`${user}.${made}.${waiting}`, ...(about === '' ? [] : [`${user}.${about}`])]
    })
    .join('_')

/** What is not of our making is left out. */
export function readCounts(text: string | null): Counts {
  const counts: Counts = {}
  for (const part of (text ?? '').split('_')) {
    const found = /^(\d{1,10})-(\d{1,10})\.(\d{1,9})\.(\d{1,9})$/.exec(part)
    if (found) counts[`${found[1]}:${found[2]}`] = { made: Number(found[3]), waiting: Number(found[4]) }
    const [, company, user, about = ''] = /^(\d{1,10})-(\d{1,10})\.((?:[a-z]\d{1,9})+)$/.exec(part) ?? []
    const count = counts[`${company}:${user}`]
    if (count) count.kinds = readKinds(about)
  }
  return counts
}

function readKinds(text: string): KindCounts {
  const kinds: KindCounts = {}
  for (const [, letter, count] of text.matchAll(/([a-z])(\d+)/g)) {
    const kind = writeKinds.find((one) => letters[one] === letter)
    if (kind) kinds[kind] = Number(count)
  }
  return kinds
}

/** What of these is not among those. */
export const missingKinds = (kinds: KindCounts, there: KindCounts): KindCounts =>
  Object.fromEntries(
    writeKinds.flatMap((kind) => {
      const count = (kinds[kind] ?? 0) - (there[kind] ?? 0)
      return count > 0 ? [[kind, count]] : []
    }),
  )

export const subjectKey = ({ companyId, userId }: Subject) => `${companyId}:${userId}`
