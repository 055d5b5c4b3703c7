import { expect, it } from 'vitest'
import { runLimited } from '#server/drivers/hosting/docker/logs/run-limited.ts'

it('Work with a limit returns the results in order, and begins no further item after the first error', async () => {
  const items = [1, 2, 3, 4, 5, 6]
  expect(await runLimited(items, 2, async (item) => item * 10)).toEqual([10, 20, 30, 40, 50, 60])
  const startedItems: number[] = []
  const last = Promise.withResolvers<void>()
  const run = runLimited(items, 2, async (item) => {
    startedItems.push(item)
    if (item === 1) throw new Error('broken')
    await last.promise
  })
  await expect(run).rejects.toThrow('broken')
  last.resolve()
  await last.promise
  await new Promise((resolve) => setImmediate(resolve))
  expect(startedItems).toEqual([1, 2])
})
