import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTurns } from '#server/use-cases/uploads/turns.ts'

describe('fault 17f work in turn', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Notes who has begun; each piece of work ends when it is told to. */
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

  test('is done one after the other, in the order in which it came', async () => {
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

  test('what takes long holds the next up for five seconds and no longer', async () => {
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

  test('no more than two go on beside the one whose turn it is, and the turn passes when one of them ends', async () => {
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

  test('what fails gives its turn on', async () => {
    const takeTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })
    const failedTurn = takeTurn(() => Promise.reject(new Error('no process')))
    const nextTurn = takeTurn(async () => 'after')
    await expect(failedTurn).rejects.toThrow('no process')
    expect(await nextTurn).toBe('after')
  })
})
