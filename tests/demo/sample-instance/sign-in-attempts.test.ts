import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHashQueue } from '#demo/sample-instance/erp/hash-queue.ts'
import { forgiveAttempt, reserveAttempt, type SignInAttempt } from '#demo/sample-instance/erp/sign-in-attempts.ts'
import type { SampleStore } from '#demo/sample-instance/storage/store.ts'
import { openSqliteStore } from '#demo/sample-instance/storage/sqlite-store.ts'

const minuteMs = 60_000
let folder: string
let store: SampleStore
let now: number
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sign-in-'))
  now = Date.parse('2026-11-26T12:00:00Z')
  store = await openSqliteStore(folder, now)
  await store.run('pragma synchronous = off')
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const buildAttempt = (overrides: Partial<SignInAttempt> = {}): SignInAttempt => ({
  name: 'admin',
  address: '203.0.113.1',
  device: '',
  ...overrides,
})
/** Returns null if the password was checked and was wrong, otherwise the wait in ms. */
async function failAttempt(overrides: Partial<SignInAttempt> = {}): Promise<number | null> {
  const reservation = await reserveAttempt(store, buildAttempt(overrides), now)
  return typeof reservation === 'number' ? reservation : null
}
async function succeedAttempt(overrides: Partial<SignInAttempt>): Promise<boolean> {
  const reservation = await reserveAttempt(store, buildAttempt(overrides), now)
  if (typeof reservation === 'number') return false
  await forgiveAttempt(store, reservation, buildAttempt(overrides), now)
  return true
}
async function countCheckedFailures(count: number, buildOverrides: (index: number) => Partial<SignInAttempt>) {
  const waits: (number | null)[] = []
  for (let index = 0; index < count; index++) waits.push(await failAttempt(buildOverrides(index)))
  return waits.filter((wait) => wait === null).length
}
const countRows = async (condition = '1 = 1') =>
  Number((await store.get(`select count(*) as count from sign_in_attempts where ${condition}`))?.count)

it('An address waits longer after each wrong password, and refused attempts do not extend the wait (fault 15e)', async () => {
  expect(await countCheckedFailures(20, () => ({}))).toBe(5)
  const waits: (number | null)[] = []
  for (let round = 0; round < 7; round++) {
    const wait = await failAttempt()
    waits.push(wait)
    now += wait ?? 0
    expect(await failAttempt()).toBe(null)
  }
  expect(waits).toEqual([0.5, 1, 2, 4, 8, 15, 15].map((minutes) => minutes * minuteMs))
})

it('The owner can log in from a known device or address while strangers guess (fault 15e)', async () => {
  expect(await succeedAttempt({ address: '198.51.100.1', device: 'owner' })).toBe(true)
  expect(await countCheckedFailures(500, (index) => ({ address: `203.0.113.${index % 250}` }))).toBe(10)
  expect(await failAttempt({ address: '203.0.113.251' })).toBeGreaterThan(0)
  expect(await succeedAttempt({ address: '192.0.2.77', device: 'owner' })).toBe(true)
  expect(await succeedAttempt({ address: '198.51.100.1', device: 'new one' })).toBe(true)
  // Guesses from the owner's network delay strangers in that network, but not the known device.
  expect(await countCheckedFailures(50, () => ({ address: '198.51.100.1' }))).toBe(5)
  expect(await succeedAttempt({ address: '198.51.100.1', device: 'owner' })).toBe(true)
  // A known device of another user counts as a stranger here, and guesses from the known device are limited as well.
  await store.run('insert into users (name, is_admin, created) values (?, 0, ?)', 'clerk', now)
  expect(await countCheckedFailures(50, () => ({ name: 'clerk', device: 'owner' }))).toBe(5)
  expect(await countCheckedFailures(50, () => ({ device: 'owner' }))).toBe(5)
})

it('Attempts from an address are counted over all accounts, and IPv6 addresses by network (fault 15e)', async () => {
  expect(await countCheckedFailures(100, (index) => ({ name: `user${index}` }))).toBe(30)
  expect(await countCheckedFailures(20, (index) => ({ address: `2001:db8::${index + 1}` }))).toBe(5)
})

it('The number of counters stays limited for any number of names and addresses (fault 15e)', async () => {
  await store.run(
    `insert into sign_in_attempts
     with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 11999)
     select 'pair ' || n, '', 1, cast(? as integer) - n, 0 from numbers`,
    now,
  )
  expect(
    await countCheckedFailures(300, (index) => ({
      name: `made-up-${index}`,
      address: `10.1.${index >> 8}.${index & 255}`,
    })),
  ).toBe(300)
  expect(await countRows()).toBeLessThanOrEqual(10_300)
  expect(await countRows("subject like 'account %'")).toBeLessThan(300)
  now += 31 * minuteMs
  await failAttempt()
  expect(await countRows()).toBe(3)
})

it('The hash queue runs calls of known users immediately, and limits waiting calls of strangers (fault 15e)', async () => {
  const queue = createHashQueue()
  const finishers: (() => void)[] = []
  const startWork = () => new Promise<void>((resolve) => void finishers.push(resolve))
  const anonymousRuns = Array.from({ length: 30 }, () => queue.run(false, startWork))
  expect(anonymousRuns.filter((anonymousRun) => anonymousRun === null)).toHaveLength(12)
  expect(finishers).toHaveLength(2)
  await queue.run(true, async () => undefined)
  for (let index = 0; index < 18; index++) {
    finishers[index]?.()
    await anonymousRuns[index]
  }
  expect(finishers).toHaveLength(18)
  const lastRun = queue.run(false, async () => 'again')
  expect(await lastRun).toBe('again')
})
