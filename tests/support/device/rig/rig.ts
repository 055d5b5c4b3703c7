/**
 * Calls the app's own request pipeline in the page for a test. This file is built separately and loaded into a page of a logged-in user. It
 * does what a screen does (reads the row, bases the write on it, sends it) and reports for each write when it was recorded and what result
 * the page got.
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

/** One write: creates a user (`target` null) or renames one. */
export interface PlannedWrite {
  intent: string
  target: RowRef | null
  name: string
  email: string
}

export interface WriteProgress {
  intent: string
  /** `recorded` means that the write is stored on the device and must take effect. The other values are results that the page got. */
  outcome: 'recorded' | 'fresh' | 'cached' | 'queued' | 'started' | 'problem'
  problem?: string
}

const recordPollMs = 2
/** Maximum time in ms until sealed writes are opened after a login. */
const unsealMs = 30_000

function sendWrite({ intent, target, name, email }: PlannedWrite) {
  if (target === null) return api.call(createUser, { body: { title: 0, name, email } }, { intent })
  return changeName(target, name, intent)
}

async function changeName(target: RowRef, name: string, intent: string) {
  const cachedRow = await readRow('users', target)
  // A form is opened on a cached row. Without one, the device chooses the base of the write.
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

/** Resolves when the write is recorded. Its result is reported later through `report`. */
async function performWrite(write: PlannedWrite, report: (progress: WriteProgress) => void): Promise<void> {
  const { intent } = write
  // The write may already be recorded, because a reloaded page starts its queues again.
  if (await hasOutcome(intent)) return report({ intent, outcome: 'recorded' })
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
    if (await hasOutcome(intent)) return report({ intent, outcome: 'recorded' })
    await ports.wait(recordPollMs)
  }
  await sending
}

/** Writes the queues in parallel, and the writes of a queue one after the other, as fast as they can be recorded. */
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

/**
 * Returns whether the write waits on this device or has taken effect. After a login, sealed writes are opened first: until then their intents
 * cannot be read.
 */
export async function isRecorded(intent: string): Promise<boolean> {
  for (const deadline = performance.now() + unsealMs; (await readSealed())?.length; await ports.wait(recordPollMs))
    if (performance.now() > deadline) break
  return await hasOutcome(intent)
}

async function hasOutcome(intent: string): Promise<boolean> {
  const { entry, receipt } = await findOutcome(ports, intent)
  return entry !== null || receipt !== null
}

/** Returns null if nobody is signed in. */
async function readSealed() {
  const session = await readSession()
  return !session || session.signedOut ? null : await readSealedWrites(getThisDevice().getDatabase(session))
}

/** Counts the writes that are not sent yet. Includes sealed writes, because a returning user may work before they are opened. */
export async function countUnsent(): Promise<number> {
  const sealed = await readSealed()
  return sealed ? sealed.length + (await countWaiting()) : 0
}

export async function readSubject(): Promise<{ companyId: number; userId: number } | null> {
  const session = await readSession()
  return session && { companyId: session.companyId, userId: session.userId }
}

/** Signs out. Unsent writes stay on the device for their user. */
export const leave = () => signOut(ports)

export async function describeEntries(): Promise<string[]> {
  return (await readEntries()).map(
    ({ intent, state, attempts, problem }) =>
      `${intent} ${state} after ${attempts} attempts${problem ? `: ${problem.status} ${problem.code}` : ''}`,
  )
}

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
