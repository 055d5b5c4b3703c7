import { expect, it } from 'vitest'
import { RecentCounts } from '#server/db/recent-counts.ts'

it('counts once, until something changes', async () => {
  const counts = new RecentCounts()
  let asked = 0
  const ask = async () => (asked += 1) * 100
  expect(await counts.of('orders 1', 5, ask)).toBe(100)
  expect(await counts.of('orders 1', 5, ask)).toBe(100)
  expect(await counts.of('orders 2', 5, ask)).toBe(200)
  expect(await counts.of('orders 1', 6, ask)).toBe(300)
  expect(await counts.of('orders 1', 6, ask)).toBe(300)
  expect(asked).toBe(3)
})

it('forgets what was counted longest ago', async () => {
  const counts = new RecentCounts()
  for (let list = 0; list <= 1000; list++) await counts.of(`orders ${list}`, 1, async () => list)
  expect(await counts.of('orders 0', 1, async () => -1)).toBe(-1)
  expect(await counts.of('orders 1000', 1, async () => -1)).toBe(1000)
})
