import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTurns } from '#server/use-cases/uploads/turns.ts'

describe('createTurns (fault 17f)', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Records the started work by name. Each piece of work ends when `endWork` is called. */
  function start() {
    const takeTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })
    const startedNames: string[] = []
    const finishers = new Map<string, () => void>()
    const addWork = (name: string) =>
      takeTurn(() => {
        startedNames.push(name)
        return new Promise<string>((resolve) => finishers.set(name, () => resolve(name)))
      })
    const endWork = async (name: string) => {
      finishers.get(name)?.()
      await vi.advanceTimersByTimeAsync(0)
    }
    return { startedNames, addWork, endWork }
  }

  test('runs work one by one, in order of arrival', async () => {
    const { startedNames, addWork, endWork } = start()
    const results = [addWork('one'), addWork('two'), addWork('three')]
    await vi.advanceTimersByTimeAsync(4_999)
    expect(startedNames).toEqual(['one'])
    await endWork('one')
    expect(startedNames).toEqual(['one', 'two'])
    await endWork('two')
    await endWork('three')
    expect(await Promise.all(results)).toEqual(['one', 'two', 'three'])
  })

  test('lets slow work delay the next work for five seconds only', async () => {
    const { startedNames, addWork, endWork } = start()
    const results = [addWork('slow'), addWork('next'), addWork('last')]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(startedNames).toEqual(['slow', 'next'])
    await endWork('next')
    expect(startedNames).toEqual(['slow', 'next', 'last'])
    await endWork('last')
    await endWork('slow')
    expect(await Promise.all(results)).toEqual(['slow', 'next', 'last'])
  })

  test('runs at most two slow calls in addition, and continues when one ends', async () => {
    const { startedNames, addWork, endWork } = start()
    const results = ['a', 'b', 'c', 'd'].map(addWork)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(startedNames).toEqual(['a', 'b', 'c'])
    await endWork('a')
    expect(startedNames).toEqual(['a', 'b', 'c', 'd'])
    for (const name of ['b', 'c', 'd']) await endWork(name)
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
    const laterResult = addWork('e')
    await endWork('e')
    expect(await laterResult).toBe('e')
  })

  test('continues after failed work', async () => {
    const takeTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })
    const failedTurn = takeTurn(() => Promise.reject(new Error('no process')))
    const nextTurn = takeTurn(async () => 'after')
    await expect(failedTurn).rejects.toThrow('no process')
    expect(await nextTurn).toBe('after')
  })
})
