import { expect, it } from 'vitest'
import { webLocks } from '#request/transport/web-locks.ts'
import * as turns from '#request/transport/lock-fallback.ts'
import { createClock } from '#tests/support/device/device.ts'

/** Something that is held until it is let go. */
function held() {
  let letGo = () => {}
  const until = new Promise<void>((resolve) => (letGo = resolve))
  return { until, letGo: () => letGo() }
}
const clock = createClock()
const locks = webLocks(turns, clock.wait)
const patient = { waitMs: 60_000 }

it('without Web Locks one comes after the other, under each name by itself (P-31)', async () => {
  const order: string[] = []
  const first = held()
  const one = locks.hold('a', patient, async () => void (order.push('one'), await first.until, order.push('one ends')))
  const two = locks.hold('a', patient, async () => void order.push('two'))
  await locks.hold('b', patient, async () => void order.push('beside'))
  expect(order).toEqual(['one', 'beside'])
  first.letGo()
  await Promise.all([one, two])
  expect(order).toEqual(['one', 'beside', 'one ends', 'two'])
})

it('whoever loses patience goes, and those behind still wait for those before (P-31)', async () => {
  const first = held()
  const order: string[] = []
  const one = locks.hold('c', patient, async () => void (await first.until, order.push('one')))
  const hasty = locks.hold('c', { waitMs: 1_000 }, async () => void order.push('hasty'))
  const last = locks.hold('c', patient, async () => void order.push('last'))
  await clock.turn(2_000)
  expect(await hasty).toBeNull()
  expect(order).toEqual([])
  first.letGo()
  await Promise.all([one, last])
  expect(order).toEqual(['one', 'last'])
})

it('a holder that sleeps is passed by, and one that failed holds nobody up (protocol 12, P-31)', async () => {
  const asleep = held()
  void locks.hold('d', patient, () => asleep.until)
  expect(await locks.hold('d', { waitMs: 0, steal: true }, async () => 'stolen')).toEqual({ value: 'stolen' })
  await expect(locks.hold('e', patient, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await locks.hold('e', patient, async () => 'next')).toEqual({ value: 'next' })
})

it('who waits for nothing has what is free at once, and goes away from what is held', async () => {
  const first = held()
  const now = { waitMs: 0 }
  expect(await locks.hold('g', now, async () => 'free')).toEqual({ value: 'free' })
  const one = locks.hold('g', now, () => first.until)
  expect(await locks.hold('g', now, async () => 'held')).toBeNull()
  first.letGo()
  await one
  expect(await locks.hold('g', now, async () => 'free again')).toEqual({ value: 'free again' })
})

it('and a browser is asked for what is free, as its own patience of nothing ends before it gives anything', async () => {
  const asked: LockOptions[] = []
  const browser = {
    request: async <T>(_name: string, options: LockOptions, act: (lock: unknown) => Promise<T>) => {
      asked.push(options)
      // As Chromium does: a lock comes in a later turn.
      await Promise.resolve()
      return act(options.ifAvailable ? null : {})
    },
  }
  expect(await webLocks(browser, clock.wait).hold('h', { waitMs: 0 }, async () => 'mine')).toBeNull()
  expect(asked).toEqual([{ ifAvailable: true }])
})

it('whoever has lost patience before the turns were here waits for nobody (P-31)', async () => {
  const first = held()
  const one = locks.hold('f', patient, () => first.until)
  const late = webLocks(
    clock.wait(5_000).then(() => turns),
    clock.wait,
  )
  const hasty = late.hold('f', { waitMs: 1_000 }, async () => 'in turn')
  await clock.turn(1_000)
  await clock.turn(5_000)
  expect(await hasty).toBeNull()
  first.letGo()
  await one
})

it('the work of one that waited for nothing goes on when its lock is stolen, as of any other (protocol 12)', async () => {
  const real = webLocks(navigator.locks, clock.wait)
  const work = held()
  const stolen = real.hold('stolen', { waitMs: 0 }, () => work.until.then(() => 'done'))
  expect(await real.hold('stolen', { waitMs: 0, steal: true }, async () => 'thief')).toEqual({ value: 'thief' })
  work.letGo()
  expect(await stolen).toEqual({ value: 'done' })
})
