/**
 * Three queues in one page, over the same server and the same writes: ours; what the limit is, a loop by hand over
 * IndexedDB that sends one, waits, and deletes it after the answer; and Workbox's own. Built beside the product and loaded
 * into an empty page, so that nothing else sends.
 */
import { Queue } from 'workbox-background-sync'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { readSession } from '#local/session.ts'
import { drain, drainLock } from '#request/drain.ts'
import { record } from '#request/record.ts'
import { signIn } from '#request/sign-in.ts'
import { ports } from '#app/send.ts'

export interface Enqueued {
  ms: number
  /** Of single writes, each waited for. */
  p95Ms: number
}

export interface Drained {
  ms: number
  /** Still in the queue. */
  left: number
}

export interface Contender {
  /** Each waits for the one before. */
  enqueue(writes: number): Promise<Enqueued>
  /** All asked for in one breath, each with a promise of its own, and taken away again; ms until the last is stored. */
  together(writes: number): Promise<number>
  drain(): Promise<Drained>
}

let target = 0
let bearer = ''
let list = ''

/** Signs in, and finds the row that is written to. Answers its version. */
export async function enter(company: string, username: string, password: string): Promise<void> {
  const entered = await signIn(ports, { company, username, password, language: 'en' })
  if (entered.kind !== 'fresh') throw new Error(`not let in: ${JSON.stringify(entered)}`)
  bearer = `Bearer ${await ports.access.read()}`
  const { company_id: companyId, id } = entered.output.user
  list = `/api/m18s/company/${companyId}/users?results=50`
  target = (await users()).find((user) => user.id !== id && user.status === 1)?.id ?? 0
}

async function users(): Promise<{ id: number; status: number; row_version: number }[]> {
  const answer = await fetch(list, { headers: { authorization: bearer } })
  return ((await answer.json()) as { data: Awaited<ReturnType<typeof users>> }).data
}

/** How often the row was really changed. */
export const version = async () => (await users()).find(({ id }) => id === target)?.row_version ?? Number.NaN

async function eachTimed(writes: number, one: (at: number) => Promise<unknown>): Promise<Enqueued> {
  const times: number[] = []
  const began = performance.now()
  for (let at = 0; at < writes; at++) {
    const from = performance.now()
    await one(at)
    times.push(performance.now() - from)
  }
  const ms = performance.now() - began
  return { ms, p95Ms: times.toSorted((a, b) => a - b)[Math.ceil(writes * 0.95) - 1] ?? Number.NaN }
}

async function allTimed(writes: number, one: (at: number) => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await Promise.all(Array.from({ length: writes }, (_, at) => one(at)))
  return performance.now() - began
}

const changed = (at: number) => ({ alert: at % 2 === 0 })

async function database() {
  const device = await ports.device()
  const session = await readSession(device)
  if (!session) throw new Error('nobody is signed in')
  return device.of(session)
}

/** Nothing leaves meanwhile: whoever may send waits for the lock that is held here. */
async function keptHere<T>(record: () => Promise<T>): Promise<T> {
  const db = await database()
  const held = await ports.locks.hold(drainLock(db), { waitMs: 30_000 }, record)
  if (!held) throw new Error('something is being sent all the time')
  return held.value
}

async function recorded(at: number): Promise<void> {
  const told = await record(ports, updateCompanyUser, { params: { id: target }, body: changed(at) })
  if ('problem' in told) throw new Error(told.problem.code)
}

const ours: Contender = {
  async enqueue(writes) {
    // The row as it is now: what the others have written meanwhile would be a conflict, which only we would notice.
    await ports.corridor(new Request(ports.origin + list), listUsers)
    return await keptHere(() => eachTimed(writes, recorded))
  },
  async together(writes) {
    return await keptHere(async () => {
      const ms = await allTimed(writes, recorded)
      await (await database()).outbox.clear()
      return ms
    })
  },
  async drain() {
    const began = performance.now()
    await drain(ports, { hurry: true })
    return { ms: performance.now() - began, left: await (await database()).outbox.count() }
  },
}

const done = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
const committed = (transaction: IDBTransaction) =>
  new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onerror = () => reject(transaction.error)
  })

interface Kept {
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

const kept = (at: number): Kept => ({
  method: 'PUT',
  url: `/api/m18s/company-user/${target}`,
  headers: { 'content-type': 'application/json', authorization: bearer },
  body: JSON.stringify(changed(at)),
})

let opened: Promise<IDBDatabase> | undefined
const bare = () =>
  (opened ??= (() => {
    const request = indexedDB.open('bench-limit', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('queue', { autoIncrement: true })
    return done(request)
  })())

function stored(db: IDBDatabase, at: number): Promise<void> {
  const transaction = db.transaction('queue', 'readwrite', { durability: 'strict' })
  transaction.objectStore('queue').add(kept(at))
  return committed(transaction)
}

const limit: Contender = {
  async enqueue(writes) {
    const db = await bare()
    return await eachTimed(writes, (at) => stored(db, at))
  },
  async together(writes) {
    const db = await bare()
    const ms = await allTimed(writes, (at) => stored(db, at))
    await done(db.transaction('queue', 'readwrite').objectStore('queue').clear())
    return ms
  },
  async drain() {
    const db = await bare()
    const began = performance.now()
    for (;;) {
      const cursor = await done(db.transaction('queue').objectStore('queue').openCursor())
      if (!cursor) return { ms: performance.now() - began, left: 0 }
      const { url, ...init } = cursor.value as Kept
      const answer = await fetch(url, init)
      await answer.text()
      if (!answer.ok) throw new Error(`the limit was told ${answer.status}`)
      const transaction = db.transaction('queue', 'readwrite', { durability: 'strict' })
      transaction.objectStore('queue').delete(cursor.primaryKey)
      await committed(transaction)
    }
  },
}

let queue: Queue | undefined
/** It looks for a registration even where it is told not to use it. */
function workboxQueue(): Queue {
  Object.assign(self, { registration: {} })
  return (queue ??= new Queue('bench', { forceSyncFallback: true }))
}

function pushed(at: number): Promise<void> {
  const { url, ...init } = kept(at)
  return workboxQueue().pushRequest({ request: new Request(url, init) })
}

const workbox: Contender = {
  enqueue: (writes) => eachTimed(writes, pushed),
  async together(writes) {
    const ms = await allTimed(writes, pushed)
    while (await workboxQueue().shiftRequest());
    return ms
  },
  async drain() {
    const began = performance.now()
    // It stops at the first failure; here it is asked again as long as there is something to send.
    for (let tries = 0; tries < 2_000 && (await workboxQueue().size()) > 0; tries++)
      await workboxQueue()
        .replayRequests()
        .catch(() => undefined)
    return { ms: performance.now() - began, left: await workboxQueue().size() }
  },
}

export const contenders = { ours, limit, workbox }
