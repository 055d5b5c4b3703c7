/**
 * A hand inside the page: the app's own pipeline, called from a test. Built beside the product and never into it, loaded
 * into a page of the portal that is signed in, where it does what a screen does (read the row, base the write on it, ask)
 * and says of each write when it was recorded and what the page was told.
 */
import { api, ports } from '#app/connection/api.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { readSession } from '#local/session/session.ts'
import { readRow } from '#local/lists/read-row.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { countWaiting, readEntries } from '#local/outbox/read-entries.ts'
import { findOutcome } from '#request/writes/record-write.ts'
import { signOut } from '#request/session/sign-in.ts'

/** One write: makes a user (`target` null) or gives one another name. */
export interface PlannedWrite {
  intent: string
  target: RowRef | null
  name: string
  /** Of a user to be made. */
  email: string
}

export interface WriteProgress {
  intent: string
  /** `recorded`: it is on the device, and must take effect. All else: what the page got as the result. */
  outcome: 'recorded' | 'fresh' | 'cached' | 'queued' | 'started' | 'problem'
  problem?: string
}

const recordPollMs = 2

function sendWrite({ intent, target, name, email }: PlannedWrite) {
  if (target === null) return api.call(createUser, { body: { title: 0, name, email } }, { intent })
  return changeName(target, name, intent)
}

async function changeName(target: RowRef, name: string, intent: string) {
  const cachedRow = await readRow('users', target)
  // A form opens on a row that is there; where none is, the device decides what the write is based on.
  const base = cachedRow && {
    rowVersion: getBaseVersion(cachedRow),
    values: { name: (cachedRow.row as { name?: string }).name },
  }
  return await api.call(
    updateCompanyUser,
    { params: { id: target }, body: { name } },
    { intent, ...(base ? { base } : {}) },
  )
}

/** Resolves once it is recorded; what the page is told comes later, by `report`. */
async function performWrite(write: PlannedWrite, report: (progress: WriteProgress) => void): Promise<void> {
  const { intent } = write
  // A page that was loaded again begins its lanes anew.
  if (await isRecorded(intent)) return report({ intent, outcome: 'recorded' })
  let isReported = false
  const sending = sendWrite(write).then((result) => {
    isReported = true
    if (result.kind === 'problem')
      report({
        intent,
        outcome: 'problem',
        problem: `${result.problem.status} ${result.problem.code} ${result.problem.message}`,
      })
    else report({ intent, outcome: result.kind })
  })
  while (!isReported) {
    const { entry, receipt } = await findOutcome(ports, intent)
    if (entry || receipt) return report({ intent, outcome: 'recorded' })
    await ports.wait(recordPollMs)
  }
  await sending
}

/** Lanes side by side, the writes of each one after the other, as fast as they can be recorded. */
export async function writeAll(
  writesByQueue: PlannedWrite[][],
  report: (progress: WriteProgress) => void,
): Promise<void> {
  await Promise.all(
    writesByQueue.map(async (writes) => {
      for (const write of writes) await performWrite(write, report)
    }),
  )
}

/** Waits on this device, or is known to have happened. */
export async function isRecorded(intent: string): Promise<boolean> {
  const { entry, receipt } = await findOutcome(ports, intent)
  return entry !== null || receipt !== null
}

/** What is still sealed waits too: who comes back may be at work before it is opened. */
export async function countUnsent(): Promise<number> {
  const session = await readSession()
  if (!session || session.signedOut) return 0
  const sealed = await readSealedWrites(getThisDevice().getDatabase(session))
  return sealed.length + (await countWaiting())
}

/** Whose session it is. */
export async function readSubject(): Promise<{ companyId: number; userId: number } | null> {
  const session = await readSession()
  return session && { companyId: session.companyId, userId: session.userId }
}

/** Signs out, and what is unsent stays here for its owner. */
export const leave = () => signOut(ports)

/** For the words of a failing test. */
export async function describeEntries(): Promise<string[]> {
  return (await readEntries()).map(
    ({ intent, state, attempts, problem }) =>
      `${intent} ${state} after ${attempts} attempts${problem ? `: ${problem.status} ${problem.code}` : ''}`,
  )
}

/** Everything that any database of this origin holds, whoever made it, as text to be searched. */
export async function dumpStorage(): Promise<string> {
  const databases = await indexedDB.databases()
  const databaseDumps = await Promise.all(databases.map(async ({ name = '' }) => [name, await dumpDatabase(name)]))
  return JSON.stringify([databaseDumps, { ...localStorage }, { ...sessionStorage }])
}

async function dumpDatabase(name: string): Promise<unknown[]> {
  const db = await toPromise(indexedDB.open(name))
  const stores = [...db.objectStoreNames]
  const rowsByStore = await Promise.all(
    stores.map(async (store) => [store, await toPromise(db.transaction(store).objectStore(store).getAll())]),
  )
  db.close()
  return rowsByStore
}

const toPromise = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
