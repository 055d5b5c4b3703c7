/**
 * Waiting writes. Every move of an entry is one transaction of this file: it is stored before it is sent, and leaves
 * only together with storing the server's answer or by its user's will.
 */
import { liveQuery } from 'dexie'
import { endpointNamed, type Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type Entry, type Frozen, rowTables, rowsOf, transact, type UserDatabase } from '#local/database.ts'
import { handDown } from '#local/lanes.ts'
import { idOf } from '#local/names.ts'
import { type Begun, jobFrom } from '#local/open-jobs.ts'
import { overlaid } from '#local/overlay.ts'
import { bury, putRow } from '#local/rows.ts'
import { readGate } from '#local/session.ts'
import type { WaitingState } from '#local/view.ts'

const goesByItself: readonly WaitingState[] = ['waiting', 'sending', 'dropping']

/** Whether anything may still go by itself; what waits for a decision does not. */
export async function hasSendable(db: UserDatabase): Promise<boolean> {
  const found = await db.outbox.filter(({ state }) => goesByItself.includes(state)).first()
  // Sealed ones come back to their user, and then go too.
  return found !== undefined || (await db.meta.where('name').startsWith('sealed:').count()) > 0
}

const parked: readonly WaitingState[] = ['refused', 'asks', 'conflict']
/** It waits for its user's decision, and holds its lane. */
export const isParked = ({ state }: Pick<Entry, 'state'>) => parked.includes(state)

export interface Claiming {
  now: number
  leaseMs: number
  /** Entries at once, and bytes of their bodies together. */
  most: number
  mostBytes?: number
  /** Several of one lane too, in their order: whoever sends them lets none overtake another (protocol 24). */
  chained?: boolean
  generation: number
  /** The lock was taken from a living holder: what it is still allowed to send is not ours. */
  stolen: boolean
  freeze: (entry: Entry) => Frozen
}

/** Takes the first entry of each lane that may go now. Its bytes are fixed here for good (protocol 2, 12). */
export async function claim(db: UserDatabase, claiming: Claiming): Promise<Entry[]> {
  const { now, leaseMs, most, freeze } = claiming
  return await transact(db, ['outbox', 'meta'], async () => {
    if ((await readGate(db)) !== claiming.generation || (await isPaused(db, now))) return []
    const entries = await db.outbox.orderBy('seq').toArray()
    const ready = inOrder(entries, claiming).slice(0, most)
    const frozen = ready.map((entry) => ({ ...entry, bytes: entry.bytes ?? freeze(entry) }))
    const claimed = together(frozen, claiming.mostBytes ?? Number.POSITIVE_INFINITY).map((entry) => ({
      ...entry,
      state: 'sending' as const,
      fence: entry.fence + 1,
      attempts: entry.attempts + 1,
      leaseUntil: now + leaseMs,
    }))
    await db.outbox.bulkPut(claimed)
    return claimed
  })
}

/** What may go now: of each lane the first, or, chained, as far as nothing in between has to stay. */
function inOrder(entries: readonly Entry[], claiming: Claiming): Entry[] {
  const open = new Map<string, boolean>()
  return entries.filter((entry) => {
    const goes = (open.get(entry.lane) ?? true) && mayGo(entry, entries, claiming)
    open.set(entry.lane, goes && claiming.chained === true)
    return goes
  })
}

const utf8 = new TextEncoder()

/** As many as fit; the first always. */
function together<E extends { bytes: Frozen }>(entries: readonly E[], mostBytes: number): E[] {
  let left = mostBytes
  return entries.filter(({ bytes: { path, body } }, at) => {
    left -= perItemBytes + path.length + (body === null ? 0 : utf8.encode(body).length)
    return at === 0 || left >= 0
  })
}

/** Key, intent, For-User, If-Match and the signs around them. */
const perItemBytes = 400

function mayGo(entry: Entry, all: readonly Entry[], { now, stolen, leaseMs }: Claiming): boolean {
  // Written by a newer build than this one: it waits for that build.
  if (!endpointNamed(entry.endpoint)) return false
  if (entry.dependsOn.some((intent) => all.some((other) => other.intent === intent))) return false
  // Found sending under our own lock: whoever sent it is gone. A lease further off than any lease is a turned clock.
  if (entry.state === 'sending') return !stolen || entry.leaseUntil <= now || entry.leaseUntil > now + leaseMs
  return entry.state === 'waiting' && isPast(entry.notBefore, now)
}

const isPast = (notBefore: number, now: number) => notBefore <= now || notBefore > now + longestWaitMs

/** Further off than this no entry is ever held: the clock was turned back. */
export const longestWaitMs = 3_600_000

async function isPaused(db: UserDatabase, now: number): Promise<boolean> {
  const pause = await db.meta.get('pause')
  return pause?.name === 'pause' && pause.until > now && pause.since <= now
}

/** The server asked the whole sender to wait (protocol 25). */
export async function pauseSending(db: UserDatabase, now: number, forMs: number): Promise<void> {
  await db.meta.put({ name: 'pause', since: now, until: now + Math.min(forMs, longestWaitMs) })
}

export interface Accepted {
  status: number
  /** Exactly as the server sent it. */
  body: string
  /** The row the answer holds or the version it tells, null where neither is in it. */
  row: { id: number; row_version: number } | null
  version: number | null
  now: number
  asOf: number
  generation: number
  /** It was no effect yet but the beginning of a long request (protocol 39). */
  begun?: Begun | null
}

/**
 * The server did it: row, name, receipt and the entry's end are one transaction (protocol 18). Counts whatever the
 * fence, because it is final (protocol 12). False when somebody else had recorded it before.
 */
export async function accept(db: UserDatabase, entry: Entry, accepted: Accepted): Promise<boolean> {
  const tables = ['outbox', 'jobs', 'names', 'receipts', 'meta', 'tombstones', 'fills', 'coverage', ...rowTables]
  return await transact(db, tables, async () => {
    const now = await db.outbox.get(entry.intent)
    if (now?.key !== entry.key) return false
    const { row, status, body, begun } = accepted
    await db.outbox.delete(entry.intent)
    if (begun) return Boolean(await db.jobs.put(jobFrom(entry, begun, accepted.now)))
    if (entry.makes === 'create' && row) {
      await db.names.put({ intent: entry.intent, kind: entry.kind, id: row.id })
    }
    await db.receipts.put({ intent: entry.intent, outcome: 'done', status, body, time: accepted.now })
    // After a sign-out the write still counts, but nothing of the row stays here.
    if ((await readGate(db)) === accepted.generation) await storeEffect(db, entry, accepted)
    return true
  })
}

async function storeEffect(db: UserDatabase, entry: Entry, { row, version, asOf }: Accepted): Promise<void> {
  if (row) return await putRow(db, entry.table, row, asOf)
  const id = entry.target === null ? null : await idOf(db, entry.target)
  const stored = id === null ? undefined : await rowsOf(db, entry.table).get(id)
  if (!stored || id === null) return
  // An answer without a body: the row is what the write makes of it, if the answer told its version.
  const left = version === null ? null : overlaid(stored.row, entry, 0)
  if (left && version !== null) await putRow(db, entry.table, { ...left, id, row_version: version }, asOf)
  else await bury(db, entry.table, id, asOf)
}

/** The server said no, or asks: kept with its problem for the user to decide. Final, so whatever the fence. */
export async function park(
  db: UserDatabase,
  entry: Entry,
  state: 'refused' | 'asks' | 'conflict',
  problem: Problem,
): Promise<boolean> {
  // Marked to be dropped meanwhile, it stays marked: the server is asked what became of it, and says the same.
  const isMeant = (now: Entry) => now.key === entry.key && now.state !== 'dropping'
  return await move(db, entry, isMeant, { state, problem, leaseUntil: 0 })
}

/** Nothing final came back: under our own fence it goes back to wait, with the same bytes and key. */
export async function giveBack(
  db: UserDatabase,
  entry: Entry,
  why: { state: 'waiting' | 'sign in'; notBefore: number; held: Entry['held']; problem: Problem | null },
): Promise<boolean> {
  const ours = (now: Entry) => now.key === entry.key && now.state === 'sending' && now.fence === entry.fence
  return await move(db, entry, ours, { ...why, leaseUntil: 0 })
}

async function move(
  db: UserDatabase,
  entry: Entry,
  when: (now: Entry) => boolean,
  changes: Partial<Entry>,
): Promise<boolean> {
  return await transact(db, ['outbox'], async () => {
    const now = await db.outbox.get(entry.intent)
    if (!now || !when(now)) return false
    await db.outbox.put({ ...now, ...changes })
    return true
  })
}

/** Writes to be taken back whose turn it is, in the order they were made. */
export async function findDropping(db: UserDatabase, now: number): Promise<Entry[]> {
  const isDue = ({ state, notBefore }: Entry) => state === 'dropping' && isPast(notBefore, now)
  return await db.outbox.filter(isDue).sortBy('seq')
}

/** The server could not be asked: again later, and a little later each time. */
export async function holdDropping(db: UserDatabase, entry: Entry, notBefore: number): Promise<void> {
  const isStill = (now: Entry) => now.state === 'dropping'
  await move(db, entry, isStill, { notBefore, held: 'line', attempts: entry.attempts + 1 })
}

/** The refusal reached its form, which keeps the wish from here on (protocol 20). */
export async function forgetRefused(db: UserDatabase, intent: Intent, now: number, newId: () => string): Promise<void> {
  await transact(db, ['outbox', 'receipts'], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'refused') return
    await db.outbox.delete(intent)
    // What follows a creation goes on naming it: its form sends it again under the same intent.
    if (entry.makes !== 'create') await handDown(db, entry, newId)
    const status = entry.problem?.status ?? 0
    await db.receipts.put({ intent, outcome: 'refused', status, body: '', time: now })
  })
}

/** A sign of life from the server: what waited only because of the line need not wait on. */
export async function hasten(db: UserDatabase): Promise<void> {
  await transact(db, ['outbox'], async () => {
    await db.outbox.filter((entry) => entry.held === 'line').modify({ notBefore: 0, held: null })
  })
}

/** Resolves once nothing of the write waits or is on its way any more; `stop` gives up waiting. */
export function whenSettled(db: UserDatabase, intent: Intent): { settled: Promise<void>; stop: () => void } {
  let stop = () => {}
  const settled = new Promise<void>((resolve) => {
    const subscription = liveQuery(() => db.outbox.get(intent)).subscribe((entry) => {
      if (!entry || isParked(entry)) resolve()
    })
    stop = () => subscription.unsubscribe()
  })
  return { settled, stop }
}

export interface Outcome {
  entry: Entry | null
  receipt: { status: number; body: string } | null
}

/** What became of a write, as far as this device knows. */
export async function lookUp(db: UserDatabase, intent: Intent): Promise<Outcome> {
  return await db.transaction('r', ['outbox', 'receipts'], async () => {
    const entry = (await db.outbox.get(intent)) ?? null
    const receipt = await db.receipts.get(intent)
    return { entry, receipt: receipt?.outcome === 'done' ? receipt : null }
  })
}
