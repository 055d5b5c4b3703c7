import { expect, it } from 'vitest'
import { updateCompanyUser, listUsers } from '#contract/users.ts'
import { createLockHolders } from '#request/transport/lock-holders.ts'
import { webLocks } from '#request/transport/web-locks.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

/** Held as by a frozen tab, which answers nothing. */
function freeze(name: string) {
  let thaw = () => {}
  const until = new Promise<void>((resolve) => (thaw = resolve))
  const lock = navigator.locks.request(name, () => until).catch(() => undefined)
  return { thaw, lock }
}

const ownHolders = () => createLockHolders(`locks ${crypto.randomUUID()}`)

const leaseMs = 45_000

/** Turns the clock until something is done, but not as far as a lease goes. */
async function beforeTheLease<T>(clock: ReturnType<typeof createClock>, work: Promise<T>): Promise<T | 'not done'> {
  let isDone = false
  void work.then(() => (isDone = true))
  for (let passed = 0; passed < leaseMs - 5_000 && !isDone; passed += 500) {
    await clock.turn(500)
    // Locks and messages between contexts take real time.
    await Promise.race([work, new Promise((go) => setTimeout(go, 25))])
  }
  return isDone ? await work : 'not done'
}

async function untilSent(tablet: Tablet): Promise<void> {
  while ((await tablet.waiting()) > 0) await new Promise((go) => setTimeout(go, 5))
}

it('fault 41a a lock that a frozen tab holds is taken from it long before its lease ends', async () => {
  const clock = createClock()
  const locks = webLocks(navigator.locks, clock.wait, ownHolders())
  const { thaw, lock } = freeze('41a')
  const held = locks.hold('41a', { waitMs: leaseMs, takeFromFrozen: true }, async () => 'taken')
  expect(await beforeTheLease(clock, held)).toEqual({ value: 'taken' })
  thaw()
  await lock
})

it('fault 41b a lock is left to a holder that is slow and awake, for as long as was asked for', async () => {
  const clock = createClock()
  const locks = webLocks(navigator.locks, clock.wait, ownHolders())
  let end = () => {}
  const slow = locks.hold('41b', { waitMs: 0 }, () => new Promise<void>((resolve) => (end = resolve)))
  let isTaken = false
  const held = locks.hold('41b', { waitMs: leaseMs, takeFromFrozen: true }, async () => void (isTaken = true))
  expect(await beforeTheLease(clock, held)).toBe('not done')
  expect(isTaken).toBe(false)
  end()
  await Promise.all([slow, held])
  expect(isTaken).toBe(true)
})

it('fault 41c a write is sent before the lease ends though a frozen tab holds both the sending and the renewal', async () => {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  const { name } = tablet.device.of({ companyId: company, userId: 1 })
  // The tablet's locks have names of their own; a lock that is asked for through them is answered for.
  const frozen = [freeze(tablet.lockName(`drain:${name}`)), freeze(tablet.lockName('portal-renew'))]
  tablet.cookies.delete('portal-access')
  const write = tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  expect(await beforeTheLease(clock, write)).toMatchObject({ kind: expect.any(String) })
  await beforeTheLease(clock, untilSent(tablet))
  expect(await tablet.waiting()).toBe(0)
  const sent = tablet.line.log.filter(({ sent: { method } }) => method === 'PUT')
  expect(sent).toHaveLength(1)
  for (const { thaw } of frozen) thaw()
  await Promise.all(frozen.map(({ lock }) => lock))
})
