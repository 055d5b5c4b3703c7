/** Counts recorded and waiting writes. A cookie repeats these numbers, so that a loss is detected. */
import type { UserDatabase } from '#local/storage/database.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { getOpenGeneration } from '#local/session/session-generation.ts'
import type { Subject } from '#local/storage/records.ts'

/** Tables that writes change, each with its letter in the cookie. `files` are uploads, `calls` are calls with an unknown outcome. */
const kindLetters = {
  users: 'u',
  companies: 'c',
  orders: 'o',
  price_lists: 'p',
  modules: 'm',
  files: 'f',
  calls: 'x',
} as const
export type WriteKind = keyof typeof kindLetters
export type KindCounts = Partial<Record<WriteKind, number>>
export const writeKinds = Object.keys(kindLetters) as WriteKind[]

export interface WriteCount {
  recordedCount: number
  waitingCount: number
  /** Number of waiting writes by kind, without sealed writes, whose kind is unknown. Absent if an older build counted. */
  kinds?: KindCounts
}

/** Keys have the form `{company}:{user}`. */
export type WriteCounts = Record<string, WriteCount>

export interface WriteMarks {
  recordedCount: number
  lastSeq: number
  /** Open session generation, or null if the session is closed. */
  sessionGeneration: number | null
}

/** Must run inside the transaction that assigns sequence numbers. */
export async function storeMarks(
  db: UserDatabase,
  { recordedCount, lastSeq }: Pick<WriteMarks, 'recordedCount' | 'lastSeq'>,
): Promise<void> {
  await db.meta.put({ name: 'write-counter', count: recordedCount, seq: lastSeq })
}

/** Reads both records in one bulk read, because a write that is being recorded waits for the result. */
export async function readMarks(db: UserDatabase): Promise<WriteMarks> {
  const [counter, generationRecord] = await db.meta.bulkGet(['write-counter', 'session-generation'])
  const { count = 0, seq } = counter?.name === 'write-counter' ? counter : {}
  return {
    recordedCount: count,
    lastSeq: seq ?? (await findMaxSeq(db)),
    sessionGeneration: getOpenGeneration(generationRecord),
  }
}

/** Reads all entries once, because a backward search of the index is slow in Chromium. */
const findMaxSeq = async (db: UserDatabase) =>
  (await db.outbox.toArray()).reduce((max, { seq }) => Math.max(max, seq), 0)

export async function readRecordedCount(db: UserDatabase): Promise<number> {
  const counter = await db.meta.get('write-counter')
  return counter?.name === 'write-counter' ? counter.count : 0
}

/** Counts the writes in the database, including sealed writes and calls with an unknown outcome. */
export async function countWrites(db: UserDatabase): Promise<WriteCount> {
  return await db.transaction('r', ['outbox', 'directCalls', 'meta'], async () => {
    const [sealedWrites, calls, recordedCount, outboxCount] = await Promise.all([
      readSealedWrites(db),
      db.directCalls.filter(({ state }) => state === 'unknown').count(),
      readRecordedCount(db),
      db.outbox.count(),
    ])
    const kinds = outboxCount + calls > 0 ? await countKinds(db, calls) : {}
    return {
      recordedCount,
      waitingCount: sealedWrites.reduce((sum, { entries }) => sum + entries, outboxCount + calls),
      kinds,
    }
  })
}

async function countKinds(db: UserDatabase, calls: number): Promise<KindCounts> {
  const kindCounts = await Promise.all(
    writeKinds.map(async (kind) => {
      if (kind === 'calls') return [kind, calls] as const
      const table = kind === 'files' ? '' : kind
      return [kind, await db.outbox.where('table').equals(table).count()] as const
    }),
  )
  return Object.fromEntries(kindCounts.filter(([, count]) => count > 0))
}

/** Formats users with waiting writes: `7-1.12.3_7-2.4.1`. Older builds ignore the part with kinds: `7-1.m2u1`. */
export const formatCounts = (counts: WriteCounts): string =>
  Object.entries(counts)
    .filter(([, { waitingCount }]) => waitingCount > 0)
    .flatMap(([subject, { recordedCount, waitingCount, kinds = {} }]) => {
      const user = subject.replace(':', '-')
      const kindText = writeKinds.map((kind) => (kinds[kind] ? `${kindLetters[kind]}${kinds[kind]}` : '')).join('')
      return [`${user}.${recordedCount}.${waitingCount}`, ...(kindText === '' ? [] : [`${user}.${kindText}`])]
    })
    .join('_')

export function parseCounts(text: string | null): WriteCounts {
  const counts: WriteCounts = {}
  for (const kindCountText of (text ?? '').split('_')) {
    const match = /^(\d{1,10})-(\d{1,10})\.(\d{1,9})\.(\d{1,9})$/.exec(kindCountText)
    if (match) counts[`${match[1]}:${match[2]}`] = { recordedCount: Number(match[3]), waitingCount: Number(match[4]) }
    const [, company, user, kindText = ''] = /^(\d{1,10})-(\d{1,10})\.((?:[a-z]\d{1,9})+)$/.exec(kindCountText) ?? []
    const count = counts[`${company}:${user}`]
    if (count) count.kinds = parseKinds(kindText)
  }
  return counts
}

function parseKinds(text: string): KindCounts {
  const kinds: KindCounts = {}
  for (const [, kindLetter, count] of text.matchAll(/([a-z])(\d+)/g)) {
    const kind = writeKinds.find((writeKind) => kindLetters[writeKind] === kindLetter)
    if (kind) kinds[kind] = Number(count)
  }
  return kinds
}

export const findMissingKinds = (kinds: KindCounts, presentKinds: KindCounts): KindCounts =>
  Object.fromEntries(
    writeKinds.flatMap((kind) => {
      const count = (kinds[kind] ?? 0) - (presentKinds[kind] ?? 0)
      return count > 0 ? [[kind, count]] : []
    }),
  )

export const toSubjectKey = ({ companyId, userId }: Subject) => `${companyId}:${userId}`
