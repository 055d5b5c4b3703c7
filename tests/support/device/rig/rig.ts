/**
 * A hand inside the page: the app's own pipeline, called from a test. Built beside the product and never into it, loaded
 * into a page of the portal that is signed in, where it does what a screen does (read the row, base the write on it, ask)
 * and says of each write when it was recorded and what the page was told.
 */
import { api, ports } from '#app/connection/api.ts'
import type { Id } from '#contract/endpoint.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { thisDevice } from '#local/storage/device.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import { readSession } from '#local/session/session.ts'
import { readRow } from '#local/lists/read-row.ts'
import { versionOf } from '#local/lists/list-view.ts'
import { countWaiting, readEntries } from '#local/outbox/read-entries.ts'
import { findOutcome } from '#request/writes/record-write.ts'
import { signOut } from '#request/session/sign-in.ts'

/** One write: makes a user (`target` null) or gives one another name. */
export interface Deed {
  intent: string
  target: Id | null
  name: string
  /** Of a user to be made. */
  email: string
}

export interface Told {
  intent: string
  /** `recorded`: it is on the device, and must take effect. All else: what the page got as the result. */
  what: 'recorded' | 'fresh' | 'kept' | 'queued' | 'started' | 'problem'
  problem?: string
}

const recordPollMs = 2

function ask({ intent, target, name, email }: Deed) {
  if (target === null) return api.call(createUser, { body: { title: 0, name, email } }, { intent })
  return changed(target, name, intent)
}

async function changed(target: Id, name: string, intent: string) {
  const shown = await readRow('users', target)
  // A form opens on a row that is there; where none is, the device decides what the write is based on.
  const base = shown && { rowVersion: versionOf(shown), values: { name: (shown.row as { name?: string }).name } }
  return await api.call(
    updateCompanyUser,
    { params: { id: target }, body: { name } },
    { intent, ...(base ? { base } : {}) },
  )
}

/** Resolves once it is recorded; what the page is told comes later, by `tell`. */
async function write(deed: Deed, tell: (told: Told) => void): Promise<void> {
  const { intent } = deed
  // A page that was loaded again begins its lanes anew.
  if (await isKnown(intent)) return tell({ intent, what: 'recorded' })
  let isTold = false
  const asked = ask(deed).then((result) => {
    isTold = true
    if (result.kind === 'problem')
      tell({
        intent,
        what: 'problem',
        problem: `${result.problem.status} ${result.problem.code} ${result.problem.message}`,
      })
    else tell({ intent, what: result.kind })
  })
  while (!isTold) {
    const { entry, receipt } = await findOutcome(ports, intent)
    if (entry || receipt) return tell({ intent, what: 'recorded' })
    await ports.wait(recordPollMs)
  }
  await asked
}

/** Lanes side by side, the writes of each one after the other, as fast as they can be recorded. */
export async function writeAll(lanes: Deed[][], tell: (told: Told) => void): Promise<void> {
  await Promise.all(
    lanes.map(async (queueKey) => {
      for (const deed of queueKey) await write(deed, tell)
    }),
  )
}

/** Waits on this device, or is known to have happened. */
export async function isKnown(intent: string): Promise<boolean> {
  const { entry, receipt } = await findOutcome(ports, intent)
  return entry !== null || receipt !== null
}

/** What is still sealed waits too: who comes back may be at work before it is opened. */
export async function waiting(): Promise<number> {
  const session = await readSession()
  if (!session || session.signedOut) return 0
  const sealed = await sealsIn(thisDevice().of(session))
  return sealed.length + (await countWaiting())
}

/** Whose session it is. */
export async function subject(): Promise<{ companyId: number; userId: number } | null> {
  const session = await readSession()
  return session && { companyId: session.companyId, userId: session.userId }
}

/** Signs out, and what is unsent stays here for its owner. */
export const leave = () => signOut(ports)

/** For the words of a failing test. */
export async function standing(): Promise<string[]> {
  return (await readEntries()).map(
    ({ intent, state, attempts, problem }) =>
      `${intent} ${state} after ${attempts} attempts${problem ? `: ${problem.status} ${problem.code}` : ''}`,
  )
}

/** Everything that any database of this origin holds, whoever made it, as text to be searched. */
export async function everything(): Promise<string> {
  const databases = await indexedDB.databases()
  const dumped = await Promise.all(databases.map(async ({ name = '' }) => [name, await dump(name)]))
  return JSON.stringify([dumped, { ...localStorage }, { ...sessionStorage }])
}

async function dump(name: string): Promise<unknown[]> {
  const db = await heard(indexedDB.open(name))
  const stores = [...db.objectStoreNames]
  const found = await Promise.all(
    stores.map(async (store) => [store, await heard(db.transaction(store).objectStore(store).getAll())]),
  )
  db.close()
  return found
}

const heard = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
