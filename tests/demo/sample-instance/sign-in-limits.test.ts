/** How often a password of a sample instance may be tried, and by whom. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHashQueue } from '#demo/sample-instance/hash-queue.ts'
import { forgiveAttempt, reserveAttempt, type SignInAttempt } from '#demo/sample-instance/sign-in-limits.ts'
import { openStore, type Store } from '#demo/sample-instance/store.ts'

const minute = 60_000
let folder: string
let store: Store
let now: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sign-in-'))
  now = Date.parse('2026-11-26T12:00:00Z')
  store = openStore(folder, now)
  store.exec('pragma synchronous = off')
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const attempt = (over: Partial<SignInAttempt> = {}): SignInAttempt => ({
  name: 'admin',
  address: '203.0.113.1',
  device: '',
  ...over,
})
/** Null: the password was looked at, and was wrong. Otherwise the wait in ms. */
function fail(over: Partial<SignInAttempt> = {}): number | null {
  const counted = reserveAttempt(store, attempt(over), now)
  return typeof counted === 'number' ? counted : null
}
function succeed(over: Partial<SignInAttempt>): boolean {
  const counted = reserveAttempt(store, attempt(over), now)
  if (typeof counted === 'number') return false
  forgiveAttempt(store, counted, attempt(over), now)
  return true
}
const fails = (count: number, make: (at: number) => Partial<SignInAttempt>) =>
  Array.from({ length: count }, (_, at) => fail(make(at))).filter((wait) => wait === null).length
const rowCount = () => Number(store.prepare('select count(*) as count from sign_in_attempts').get()?.count)

it('fault 15e makes an address wait longer with each wrong password of an account, and a refusal moves no wait', () => {
  expect(fails(20, () => ({}))).toBe(5)
  const waits: (number | null)[] = []
  for (let time = 0; time < 7; time++) {
    const wait = fail()
    waits.push(wait)
    now += wait ?? 0
    expect(fail()).toBe(null)
  }
  expect(waits).toEqual([0.5, 1, 2, 4, 8, 15, 15].map((minutes) => minutes * minute))
})

it('fault 15e locks the owner out neither of a known device nor of a known address, whoever guesses', () => {
  expect(succeed({ address: '198.51.100.1', device: 'owner' })).toBe(true)
  expect(fails(500, (at) => ({ address: `203.0.113.${at % 250}` }))).toBe(10)
  expect(fail({ address: '203.0.113.251' })).toBeGreaterThan(0)
  expect(succeed({ address: '192.0.2.77', device: 'owner' })).toBe(true)
  expect(succeed({ address: '198.51.100.1', device: 'new one' })).toBe(true)
  // Strangers in the network of the owner make strangers there wait, and not the device.
  expect(fails(50, () => ({ address: '198.51.100.1' }))).toBe(5)
  expect(succeed({ address: '198.51.100.1', device: 'owner' })).toBe(true)
  // A device of another user is a stranger here, and the device itself does not guess without end.
  store.prepare('insert into users (name, is_admin, created) values (?, 0, ?)').run('clerk', now)
  expect(fails(50, () => ({ name: 'clerk', device: 'owner' }))).toBe(5)
  expect(fails(50, () => ({ device: 'owner' }))).toBe(5)
})

it('fault 15e counts an address over all accounts, and IPv6 by its network', () => {
  expect(fails(100, (at) => ({ name: `user${at}` }))).toBe(30)
  expect(fails(20, (at) => ({ address: `2001:db8::${at + 1}` }))).toBe(5)
})

it('fault 15e keeps few counters, however many names and addresses are made up', () => {
  store.exec('begin')
  const insert = store.prepare("insert into sign_in_attempts values (?, '', 1, ?, 0)")
  for (let at = 0; at < 12_000; at++) insert.run(`pair ${at}`, now - at)
  store.exec('commit')
  expect(fails(300, (at) => ({ name: `made-up-${at}`, address: `10.1.${at >> 8}.${at & 255}` }))).toBe(300)
  expect(rowCount()).toBeLessThanOrEqual(10_300)
  const accounts = store.prepare("select count(*) as count from sign_in_attempts where subject like 'account %'").get()
  expect(Number(accounts?.count)).toBeLessThan(300)
  now += 31 * minute
  fail()
  expect(rowCount()).toBe(3)
})

it('fault 15e looks at the password of a known user at once, and lets few strangers wait', async () => {
  const queue = createHashQueue()
  const ends: (() => void)[] = []
  const work = () => new Promise<void>((done) => void ends.push(done))
  const strangers = Array.from({ length: 30 }, () => queue.run(false, work))
  expect(strangers.filter((one) => one === null)).toHaveLength(12)
  expect(ends).toHaveLength(2)
  await queue.run(true, async () => undefined)
  for (let at = 0; at < 18; at++) {
    ends[at]?.()
    await strangers[at]
  }
  expect(ends).toHaveLength(18)
  const after = queue.run(false, async () => 'again')
  expect(await after).toBe('again')
})
