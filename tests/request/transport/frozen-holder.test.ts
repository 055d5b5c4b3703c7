import { expect, it } from 'vitest'
import { updateCompanyUser, listUsers } from '#contract/users.ts'
import { createLockHolders } from '#request/transport/lock-holders.ts'
import { createWebLocks } from '#request/transport/web-locks.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

/** Holds a lock as a frozen tab does. A frozen tab responds to no message. */
function freezeLock(name: string) {
  let releaseLock = () => {}
  const released = new Promise<void>((resolve) => (releaseLock = resolve))
  const lock = navigator.locks.request(name, () => released).catch(() => undefined)
  return { releaseLock, lock }
}

const createOwnHolders = () => createLockHolders(`locks ${crypto.randomUUID()}`)

const leaseMs = 45_000

/** Advances the clock until the promise is settled, but not up to the end of a lease. */
async function runBeforeLeaseEnd<T>(
  clock: ReturnType<typeof createClock>,
  promise: Promise<T>,
): Promise<T | 'not done'> {
  let isDone = false
  void promise.then(() => (isDone = true))
  for (let elapsedMs = 0; elapsedMs < leaseMs - 5_000 && !isDone; elapsedMs += 500) {
    await clock.advance(500)
    // Locks and messages between contexts take real time.
    await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 25))])
  }
  return isDone ? await promise : 'not done'
}

async function waitUntilSent(tablet: Tablet): Promise<void> {
  while ((await tablet.countWaiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
}

it('A lock that a frozen tab holds is taken over long before its lease ends (fault 41a)', async () => {
  const clock = createClock()
  const locks = createWebLocks(navigator.locks, clock.wait, createOwnHolders())
  const { releaseLock, lock } = freezeLock('41a')
  const holdPromise = locks.hold('41a', { waitMs: leaseMs, shouldTakeFromFrozen: true }, async () => 'taken')
  expect(await runBeforeLeaseEnd(clock, holdPromise)).toEqual({ value: 'taken' })
  releaseLock()
  await lock
})

it('A lock stays with a holder that is slow but active, as long as the caller can wait (fault 41b)', async () => {
  const clock = createClock()
  const locks = createWebLocks(navigator.locks, clock.wait, createOwnHolders())
  let releaseSlowHolder = () => {}
  const slowHolding = locks.hold(
    '41b',
    { waitMs: 0 },
    () => new Promise<void>((resolve) => (releaseSlowHolder = resolve)),
  )
  let isTaken = false
  const holdPromise = locks.hold(
    '41b',
    { waitMs: leaseMs, shouldTakeFromFrozen: true },
    async () => void (isTaken = true),
  )
  expect(await runBeforeLeaseEnd(clock, holdPromise)).toBe('not done')
  expect(isTaken).toBe(false)
  releaseSlowHolder()
  await Promise.all([slowHolding, holdPromise])
  expect(isTaken).toBe(true)
})

it('A write is sent before the lease ends if a frozen tab holds the sender and the renewal (fault 41c)', async () => {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  const { name } = tablet.device.getDatabase({ companyId, userId: 1 })
  // The tablet's own holders respond to messages, so these locks are held directly, under the lock names of the tablet.
  const frozenLocks = [freezeLock(tablet.lockName(`drain:${name}`)), freezeLock(tablet.lockName('portal-renew'))]
  tablet.cookies.delete('portal-access')
  const write = tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  expect(await runBeforeLeaseEnd(clock, write)).toMatchObject({ kind: expect.any(String) })
  await runBeforeLeaseEnd(clock, waitUntilSent(tablet))
  expect(await tablet.countWaiting()).toBe(0)
  const sentChanges = tablet.connection.log.filter(({ request: { method } }) => method === 'PUT')
  expect(sentChanges).toHaveLength(1)
  for (const { releaseLock } of frozenLocks) releaseLock()
  await Promise.all(frozenLocks.map(({ lock }) => lock))
})
