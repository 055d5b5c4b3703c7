/**
 * Waiting writes. Every move of an entry is one transaction of this file: it is stored before it is sent, and leaves
 * only together with storing the server's answer or by its user's will.
 */
import { liveQuery } from 'dexie'
import { endpointNamed, type Intent } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import {
  besideRows,
  type Entry,
  type Frozen,
  type Receipt,
  rowsOf,
  transact,
  type UserDatabase,
} from '#local/database.ts'
import { tidyFiles } from '#local/files.ts'
import { handDown } from '#local/lanes.ts'
import { idOf } from '#local/names.ts'
import { type Begun, jobFrom } from '#local/open-jobs.ts'
import { overlaid } from '#local/overlay.ts'
import { receiptFor, receiptTables } from '#local/receipts.ts'
import { bury, putRow } from '#local/rows.ts'
import { isSealedUp, sealsIn } from '#local/seals.ts'
import { readGate } from '#local/session.ts'
import type { WaitingState } from '#local/view.ts'

const goesByItself: readonly WaitingState[] = ['waiting', 'sending', 'dropping']

/** Whether anything may still go by itself; what waits for a decision does not. */
export async function hasSendable(db: UserDatabase): Promise<boolean> {
  if ((await db.outbox.where('state').anyOf(goesByItself).limit(1).count()) > 0) return true
  // Sealed ones come back to their user, and then go too.
  return (await sealsIn(db)).some(({ entries }) => entries > 0)
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
  const { now, leaseMs, freeze } = claiming
  return await transact(db, ['outbox', 'meta'], async () => {
    if ((await readGate(db)) !== claiming.generation || (await isPaused(db, now)) || (await isSealedUp(db))) return []
    const { ready, old } = await findReady(db, claiming)
    if (old.length > 0) await db.outbox.bulkPut(old.map(toAsk))
    const frozen = ready.map((entry) => ({ ...entry, bytes: entry.bytes ?? freeze(entry) }))
    const claimed = together(frozen, claiming).map((entry) => ({
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

/** Older than this it is shown to its user before it is sent (protocol 19). */
const oldMs = 30 * 86_400_000

const isTooOld = ({ since, allowedAt }: Entry, now: number) => allowedAt === undefined && since < now - oldMs

/** Shown to its user because it is old; what was sent of it may have arrived long ago. */
export const isOld = ({ problem }: Entry) => problem?.code === 'TOO_OLD'

/** Of a parked write with new bytes: none, unless former ones may have been done. Then only the server can take it back. */
export const attemptsLeft = (entry: Entry) => (isOld(entry) ? entry.attempts : 0)

const toAsk = (entry: Entry): Entry => ({ ...entry, state: 'asks', problem: localProblem('TOO_OLD'), leaseUntil: 0 })

/** Read at once, in the order they were made. */
const stretch = 64
/** Once something may go, so many stretches are enough: what is further back has its turn in the next step. */
const enoughStretches = 4

/** What may go now: of each lane the first, or, chained, as far as nothing in between has to stay. */
async function findReady(db: UserDatabase, claiming: Claiming): Promise<{ ready: Entry[]; old: Entry[] }> {
  const open = new Map<string, boolean>()
  const [ready, old]: [Entry[], Entry[]] = [[], []]
  for (let after = 0, read = 1; ; read++) {
    const entries = await db.outbox.where('seq').above(after).limit(stretch).toArray()
    const isThere = await findAwaited(db, entries)
    for (const entry of entries) {
      const isNext = (open.get(entry.lane) ?? true) && mayGo(entry, isThere, claiming)
      const goes = isNext && !isTooOld(entry, claiming.now)
      open.set(entry.lane, goes && claiming.chained === true)
      if (goes) ready.push(entry)
      else if (isNext) old.push(entry)
    }
    const isEnough = ready.length >= claiming.most || (ready.length > 0 && read >= enoughStretches)
    if (isEnough || entries.length < stretch) return { ready: ready.slice(0, claiming.most), old }
    after = entries.at(-1)?.seq ?? after
  }
}

/** Which of the writes that these wait for are still here. */
async function findAwaited(db: UserDatabase, entries: readonly Entry[]): Promise<Set<Intent>> {
  const awaited = [...new Set(entries.flatMap(({ dependsOn }) => dependsOn))]
  if (awaited.length === 0) return new Set()
  return new Set(await db.outbox.where('intent').anyOf(awaited).primaryKeys())
}

const utf8 = new TextEncoder()

/** As many as fit; the first always. A file goes by itself where others are sent in one piece (protocol 22). */
function together<E extends Entry & { bytes: Frozen }>(entries: readonly E[], { chained, mostBytes }: Claiming): E[] {
  const file = chained ? entries.findIndex(isUpload) : -1
  let left = mostBytes ?? Number.POSITIVE_INFINITY
  return entries.slice(0, file === -1 ? entries.length : Math.max(1, file)).filter(({ bytes: { path, body } }, at) => {
    left -= perItemBytes + path.length + (body === null ? 0 : utf8.encode(body).length)
    return at === 0 || left >= 0
  })
}

const isUpload = ({ endpoint }: Entry) => endpointNamed(endpoint)?.encoding === 'multipart'

/** Key, intent, For-User, If-Match and the signs around them. */
const perItemBytes = 400

function mayGo(entry: Entry, isThere: ReadonlySet<Intent>, { now, stolen, leaseMs }: Claiming): boolean {
  // Written by a newer build than this one: it waits for that build.
  if (!endpointNamed(entry.endpoint)) return false
  if (entry.dependsOn.some((intent) => isThere.has(intent))) return false
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
  /** Number of the server's own record of it. */
  ledgerId?: string | null
  /** What the server calls a file that was sent. */
  assetId?: string | null
}

/**
 * The server did it: row, name, receipt and the entry's end are one transaction (protocol 18). Counts whatever the
 * fence, because it is final (protocol 12). False when somebody else had recorded it before.
 */
export async function accept(db: UserDatabase, entry: Entry, accepted: Accepted): Promise<boolean> {
  return (await acceptAll(db, [{ entry, accepted }]))[0] ?? false
}

const acceptedTables = ['outbox', 'files', 'jobs', 'meta', ...besideRows, ...receiptTables]

/** Several answers that came together, in their order, in one transaction. */
export async function acceptAll(
  db: UserDatabase,
  heard: readonly { entry: Entry; accepted: Accepted }[],
): Promise<boolean[]> {
  return await transact(db, acceptedTables, async () => {
    const there = await db.outbox.bulkGet(heard.map(({ entry }) => entry.intent))
    const isOurs = heard.map(({ entry }, at) => there[at]?.key === entry.key)
    const ours = heard.filter((_, at) => isOurs[at])
    await db.outbox.bulkDelete(ours.map(({ entry }) => entry.intent))
    const gate = await readGate(db)
    const receipts: Receipt[] = []
    for (const { entry, accepted } of ours) {
      const { row, status, body, begun, ledgerId } = accepted
      if (begun) await db.jobs.put(jobFrom(entry, begun, accepted.now))
      else {
        if (entry.makes === 'create' && row) await db.names.put({ intent: entry.intent, kind: entry.kind, id: row.id })
        receipts.push(
          await receiptFor(
            db,
            entry,
            { outcome: 'done', status, body, time: accepted.now, ledgerId: ledgerId ?? null },
            row,
          ),
        )
        // After a sign-out the write still counts, but nothing of the row stays here.
        if (gate === accepted.generation) await storeEffect(db, entry, accepted)
      }
      await tidyFiles(db, entry, accepted.assetId ?? null)
    }
    await db.receipts.bulkPut(receipts)
    return isOurs
  })
}

async function storeEffect(db: UserDatabase, entry: Entry, { row, version, asOf }: Accepted): Promise<void> {
  // An upload makes no row that any list shows.
  if (entry.table === '') return
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

export type Waits = Pick<Entry, 'notBefore' | 'held' | 'problem' | 'lockedSince'> & { state: 'waiting' | 'sign in' }

/** Nothing final came back: under our own fence it goes back to wait, with the same bytes and key. */
export const giveBack = async (db: UserDatabase, entry: Entry, why: Waits): Promise<boolean> =>
  (await giveBackAll(db, [entry], () => why)) > 0

/** Several that went together, in one transaction: whoever tries again waits for it. How many were ours to give back. */
export async function giveBackAll(
  db: UserDatabase,
  entries: readonly Entry[],
  why: (entry: Entry) => Waits,
): Promise<number> {
  return await transact(db, ['outbox'], async () => {
    const there = await db.outbox.bulkGet(entries.map(({ intent }) => intent))
    const ours = entries.flatMap((entry, at) => {
      const now = there[at]
      const isOurs = now?.key === entry.key && now.state === 'sending' && now.fence === entry.fence
      return isOurs ? [{ ...now, ...why(entry), leaseUntil: 0 }] : []
    })
    await db.outbox.bulkPut(ours)
    return ours.length
  })
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
  const dropping = db.outbox.where('state').equals('dropping')
  return await dropping.filter(({ notBefore }) => isPast(notBefore, now)).sortBy('seq')
}

/** The server could not be asked: again later, and a little later each time. */
export async function holdDropping(db: UserDatabase, entry: Entry, notBefore: number): Promise<void> {
  const isStill = (now: Entry) => now.state === 'dropping'
  await move(db, entry, isStill, { notBefore, held: 'line', attempts: entry.attempts + 1 })
}

/** The refusal reached its form, which keeps the wish from here on (protocol 20). */
export async function forgetRefused(db: UserDatabase, intent: Intent, now: number, newId: () => string): Promise<void> {
  await transact(db, ['outbox', 'files', ...receiptTables], async () => {
    const entry = await db.outbox.get(intent)
    if (entry?.state !== 'refused') return
    await db.outbox.delete(intent)
    await tidyFiles(db, entry, null)
    // What follows a creation goes on naming it: its form sends it again under the same intent.
    if (entry.makes !== 'create') await handDown(db, entry, newId)
    const { status = 0, code = null } = entry.problem ?? {}
    await db.receipts.put(await receiptFor(db, entry, { outcome: 'refused', status, code, time: now }))
  })
}

/** A sign of life from the server: what waited only because of the line need not wait on. */
export async function hasten(db: UserDatabase): Promise<void> {
  await transact(db, ['outbox'], async () => {
    await db.outbox.where('held').equals('line').modify({ notBefore: 0, held: null })
  })
}

/**
 * What could be sent now if somebody tried. line: it waits only for one. turn: its time has come, or whoever was sending
 * it may be gone. Null: nothing, or the server asked for a pause.
 */
export async function findStalled(db: UserDatabase, now: number): Promise<'line' | 'turn' | null> {
  return await db.transaction('r', ['outbox', 'watched', 'meta'], async () => {
    if ((await readGate(db)) === null || (await isPaused(db, now))) return null
    // Whoever came back may have been cut off before they were opened: their turn is the next drain's.
    if (await isSealedUp(db)) return 'turn'
    if ((await db.watched.filter(({ state }) => state === 'unknown').count()) > 0) return 'line'
    if ((await db.outbox.where('held').equals('line').limit(1).count()) > 0) return 'line'
    const first = await db.outbox
      .where('state')
      .anyOf(goesByItself)
      .filter(({ notBefore, endpoint }) => isPast(notBefore, now) && endpointNamed(endpoint) !== undefined)
      .first()
    return first ? 'turn' : null
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

/** What became of a write, as far as this device knows; of one that went on in another, what became of that. */
export async function lookUp(db: UserDatabase, intent: Intent): Promise<Outcome> {
  return await db.transaction('r', ['outbox', 'receipts'], async () => {
    let entry = await db.outbox.get(intent)
    let receipt = await db.receipts.get(intent)
    while (!entry && receipt?.into !== undefined) {
      const { into } = receipt
      entry = await db.outbox.get(into)
      receipt = await db.receipts.get(into)
    }
    return { entry: entry ?? null, receipt: receipt?.outcome === 'done' ? receipt : null }
  })
}
