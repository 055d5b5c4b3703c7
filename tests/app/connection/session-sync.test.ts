import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { watchSession } from '#app/connection/session-sync.ts'
import { getUser } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import { thisDevice } from '#local/storage/device.ts'
import { storeReading } from '#local/lists/response-store.ts'
import { openSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { Api, Result } from '#request/results.ts'
import { tellChanged } from '#state/live-changes.ts'
import { makeStore } from '#state/store.ts'
import { noTrails } from '#tests/support/device/no-trails.ts'
import { aUser } from '#tests/support/device/device-database.ts'

const subject = { companyId: 1, userId: 1 }

async function keptUser(name: string) {
  const device = thisDevice()
  await openSession(device, subject)
  const db = device.of(subject)
  const body = JSON.stringify({ ...aUser(1), name })
  await storeReading(db, { path: toWire(getUser, {}).path, body, asOf: 1 }, (await readGate(db)) ?? 0)
}

function watched(ask: Api['call'], drawable = Promise.resolve()) {
  const never = () => new Promise<never>(() => {})
  const jobs = { again: never, dismiss: never, seen: never }
  const packages = { changeLog: never, send: never, forget: never }
  const store = makeStore({
    api: { call: ask },
    enter: never,
    leave: never,
    jobs,
    packages,
    trails: noTrails,
  })
  const stop = watchSession(store, { call: ask }, drawable)
  const shown = () => {
    const { session } = store.getState()
    return session.kind === 'signed in' ? session.user.name : session.kind
  }
  return { shown, stop }
}

test('who is signed in is shown from the device while the server says nothing (M10)', async () => {
  await keptUser('Kept')
  const { shown, stop } = watched(() => new Promise(() => {}))
  await expect.poll(shown).toBe('Kept')
  stop()
})

test("the server's later word on the user replaces the device's", async () => {
  await keptUser('Kept')
  const fresh: Result<unknown> = { kind: 'fresh', output: { ...aUser(1), name: 'Renamed' } }
  const { shown, stop } = watched(async () => fresh as Result<never>)
  await expect.poll(shown).toBe('Kept')
  await expect.poll(shown).toBe('Renamed')
  stop()
})

test('nobody is shown before the first page can be drawn', async () => {
  await keptUser('Kept')
  let here = () => {}
  const { shown, stop } = watched(() => new Promise(() => {}), new Promise((resolve) => (here = resolve)))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(shown()).toBe('unknown')
  here()
  await expect.poll(shown).toBe('Kept')
  stop()
})

test('fault 30a the user is read again when rights or names are said to have changed, once for many', async () => {
  await keptUser('Kept')
  let reads = 0
  const answer = async () => {
    reads += 1
    return { kind: 'fresh', output: { ...aUser(1), name: reads === 1 ? 'Kept' : 'Renamed' } } as Result<never>
  }
  const { shown, stop } = watched(answer)
  await expect.poll(() => reads).toBe(1)
  await expect.poll(shown).toBe('Kept')
  tellChanged('account')
  await expect.poll(shown).toBe('Renamed')
  for (let times = 0; times < 5; times++) tellChanged('account')
  expect(reads).toBe(2)
  stop()
})
