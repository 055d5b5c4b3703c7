import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { watchSession } from '#app/connection/session-sync.ts'
import { getUser } from '#contract/accounts.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { storeResponse } from '#local/lists/response-store.ts'
import { openSession, readSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { ApiClient, CallResult } from '#request/call-results.ts'
import { notifyChanged } from '#state/live-changes.ts'
import { createStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'
import { buildUser } from '#tests/support/device/device-database.ts'

const subject = { companyId: 1, userId: 1 }

async function storeUser(name: string) {
  const device = getThisDevice()
  await openSession(device, subject)
  const db = device.getDatabase(subject)
  const body = JSON.stringify({ ...buildUser(1), name })
  await storeResponse(
    db,
    { path: toHttpRequest(getUser, {}).path, body, asOf: 1 },
    (await readSessionGeneration(db)) ?? 0,
  )
}

function watchTestSession(call: ApiClient['call'], firstPageReady = Promise.resolve()) {
  const neverResolve = () => new Promise<never>(() => {})
  const jobActions = { retry: neverResolve, dismiss: neverResolve, markSeen: neverResolve }
  const packages = { fetchChangeLog: neverResolve, send: neverResolve, forget: neverResolve }
  const store = createStore({
    api: { call },
    signIn: neverResolve,
    signOut: neverResolve,
    jobActions,
    packages,
    loadTrailActions: noTrails,
  })
  const stop = watchSession(store, { call }, firstPageReady)
  const readUserName = () => {
    const { session } = store.getState()
    return session.kind === 'signed in' ? session.user.name : session.kind
  }
  return { readUserName, stop }
}

test('The stored user is shown while the server has not responded (M10)', async () => {
  await storeUser('Kept')
  const { readUserName, stop } = watchTestSession(() => new Promise(() => {}))
  await expect.poll(readUserName).toBe('Kept')
  stop()
})

test("The server's response replaces the stored user", async () => {
  await storeUser('Kept')
  const freshResult: CallResult<unknown> = { kind: 'fresh', output: { ...buildUser(1), name: 'Renamed' } }
  const { readUserName, stop } = watchTestSession(async () => freshResult as CallResult<never>)
  await expect.poll(readUserName).toBe('Kept')
  await expect.poll(readUserName).toBe('Renamed')
  stop()
})

test('When a consent is over, the server is asked to stop before the device does', async () => {
  await openSession(getThisDevice(), subject)
  await openSession(getThisDevice(), { companyId: 2, userId: 1 }, 1)
  const calls: [string, number | undefined][] = []
  const { readUserName, stop } = watchTestSession(async ({ name }) => {
    calls.push([name, (await readSession())?.companyId])
    return (
      name === 'stopActing'
        ? { kind: 'problem', problem: createLocalProblem('OFFLINE') }
        : { kind: 'fresh', output: { ...buildUser(1), name: 'Own' } }
    ) as CallResult<never>
  })
  await expect.poll(readUserName).toBe('Own')
  expect(calls.slice(0, 2)).toEqual([
    ['stopActing', 2],
    ['getUser', 1],
  ])
  stop()
})

test('No user is shown before the first page can be rendered', async () => {
  await storeUser('Kept')
  let resolveFirstPage = () => {}
  const { readUserName, stop } = watchTestSession(
    () => new Promise(() => {}),
    new Promise((resolve) => (resolveFirstPage = resolve)),
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(readUserName()).toBe('unknown')
  resolveFirstPage()
  await expect.poll(readUserName).toBe('Kept')
  stop()
})

test('Several notices of changed rights or names cause a single new read of the user (fault 30a)', async () => {
  await storeUser('Kept')
  let readCount = 0
  const respond = async () => {
    readCount += 1
    return {
      kind: 'fresh',
      output: { ...buildUser(1), name: readCount === 1 ? 'Kept' : 'Renamed' },
    } as CallResult<never>
  }
  const { readUserName, stop } = watchTestSession(respond)
  await expect.poll(() => readCount).toBe(1)
  await expect.poll(readUserName).toBe('Kept')
  notifyChanged('account')
  await expect.poll(readUserName).toBe('Renamed')
  for (let round = 0; round < 5; round++) notifyChanged('account')
  expect(readCount).toBe(2)
  stop()
})
