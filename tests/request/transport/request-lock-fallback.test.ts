import { expect, it } from 'vitest'
import { createWebLocks } from '#request/transport/web-locks.ts'
import * as turns from '#request/transport/request-lock-fallback.ts'
import { createClock } from '#tests/support/device/device.ts'

/** Creates work that holds its lock until `release` is called. */
function createBarrier() {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  return { released, release: () => release() }
}
const clock = createClock()
const locks = createWebLocks(turns, clock.wait)
const longWait = { waitMs: 60_000 }

it('Without Web Locks the holders of one name run one after the other (P-31)', async () => {
  const order: string[] = []
  const barrier = createBarrier()
  const firstHolder = locks.hold(
    'a',
    longWait,
    async () => void (order.push('one'), await barrier.released, order.push('one ends')),
  )
  const secondHolder = locks.hold('a', longWait, async () => void order.push('two'))
  await locks.hold('b', longWait, async () => void order.push('beside'))
  expect(order).toEqual(['one', 'beside'])
  barrier.release()
  await Promise.all([firstHolder, secondHolder])
  expect(order).toEqual(['one', 'beside', 'one ends', 'two'])
})

it('A caller leaves the queue when its wait time ends, and later callers still wait for earlier ones (P-31)', async () => {
  const barrier = createBarrier()
  const order: string[] = []
  const firstHolder = locks.hold('c', longWait, async () => void (await barrier.released, order.push('one')))
  const impatientHolder = locks.hold('c', { waitMs: 1_000 }, async () => void order.push('hasty'))
  const lastHolder = locks.hold('c', longWait, async () => void order.push('last'))
  await clock.advance(2_000)
  expect(await impatientHolder).toBeNull()
  expect(order).toEqual([])
  barrier.release()
  await Promise.all([firstHolder, lastHolder])
  expect(order).toEqual(['one', 'last'])
})

it('The lock of a sleeping holder can be stolen, and a holder that fails releases its lock (protocol 12, P-31)', async () => {
  const sleepingHolder = createBarrier()
  void locks.hold('d', longWait, () => sleepingHolder.released)
  expect(await locks.hold('d', { waitMs: 0, shouldSteal: true }, async () => 'stolen')).toEqual({ value: 'stolen' })
  await expect(locks.hold('e', longWait, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await locks.hold('e', longWait, async () => 'next')).toEqual({ value: 'next' })
})

it('A caller without a wait time gets a free lock at once, and null for a held lock', async () => {
  const barrier = createBarrier()
  const noWait = { waitMs: 0 }
  expect(await locks.hold('g', noWait, async () => 'free')).toEqual({ value: 'free' })
  const firstHolder = locks.hold('g', noWait, () => barrier.released)
  expect(await locks.hold('g', noWait, async () => 'held')).toBeNull()
  barrier.release()
  await firstHolder
  expect(await locks.hold('g', noWait, async () => 'free again')).toEqual({ value: 'free again' })
})

it("A caller without a wait time requests the browser's lock with ifAvailable", async () => {
  const requestOptions: LockOptions[] = []
  const browser = {
    request: async <T>(_name: string, options: LockOptions, runWithLock: (lock: unknown) => Promise<T>) => {
      requestOptions.push(options)
      // Chromium too grants a lock in a later turn of the event loop.
      await Promise.resolve()
      return runWithLock(options.ifAvailable ? null : {})
    },
  }
  expect(await createWebLocks(browser, clock.wait).hold('h', { waitMs: 0 }, async () => 'mine')).toBeNull()
  expect(requestOptions).toEqual([{ ifAvailable: true }])
})

it('A caller whose wait time ends before the fallback is loaded gets null (P-31)', async () => {
  const barrier = createBarrier()
  const firstHolder = locks.hold('f', longWait, () => barrier.released)
  const lateLocks = createWebLocks(
    clock.wait(5_000).then(() => turns),
    clock.wait,
  )
  const impatientHolder = lateLocks.hold('f', { waitMs: 1_000 }, async () => 'in turn')
  await clock.advance(1_000)
  await clock.advance(5_000)
  expect(await impatientHolder).toBeNull()
  barrier.release()
  await firstHolder
})

it('The work of a caller without a wait time continues when its lock is stolen (protocol 12)', async () => {
  const browserLocks = createWebLocks(navigator.locks, clock.wait)
  const barrier = createBarrier()
  const stolenHolder = browserLocks.hold('stolen', { waitMs: 0 }, () => barrier.released.then(() => 'done'))
  expect(await browserLocks.hold('stolen', { waitMs: 0, shouldSteal: true }, async () => 'thief')).toEqual({
    value: 'thief',
  })
  barrier.release()
  expect(await stolenHolder).toEqual({ value: 'done' })
})
