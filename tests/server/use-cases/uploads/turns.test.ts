import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTurns } from '#server/use-cases/uploads/turns.ts'

describe('fault 17f work in turn', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Notes who has begun; each piece of work ends when it is told to. */
  function start() {
    const takeTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })
    const begun: string[] = []
    const ends = new Map<string, () => void>()
    const add = (name: string) =>
      takeTurn(() => {
        begun.push(name)
        return new Promise<string>((end) => ends.set(name, () => end(name)))
      })
    const end = async (name: string) => {
      ends.get(name)?.()
      await vi.advanceTimersByTimeAsync(0)
    }
    return { begun, add, end }
  }

  test('is done one after the other, in the order in which it came', async () => {
    const { begun, add, end } = start()
    const all = [add('one'), add('two'), add('three')]
    await vi.advanceTimersByTimeAsync(4_999)
    expect(begun).toEqual(['one'])
    await end('one')
    expect(begun).toEqual(['one', 'two'])
    await end('two')
    await end('three')
    expect(await Promise.all(all)).toEqual(['one', 'two', 'three'])
  })

  test('what takes long holds the next up for five seconds and no longer', async () => {
    const { begun, add, end } = start()
    const all = [add('slow'), add('next'), add('last')]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(begun).toEqual(['slow', 'next'])
    await end('next')
    expect(begun).toEqual(['slow', 'next', 'last'])
    await end('last')
    await end('slow')
    expect(await Promise.all(all)).toEqual(['slow', 'next', 'last'])
  })

  test('no more than two go on beside the one whose turn it is, and the turn passes when one of them ends', async () => {
    const { begun, add, end } = start()
    const all = ['a', 'b', 'c', 'd'].map(add)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('a')
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    for (const name of ['b', 'c', 'd']) await end(name)
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
    const later = add('e')
    await end('e')
    expect(await later).toBe('e')
  })

  test('what fails gives its turn on', async () => {
    const takeTurn = createTurns({ slowAfterMs: 5_000, maxSlow: 2 })
    const failed = takeTurn(() => Promise.reject(new Error('no process')))
    const after = takeTurn(async () => 'after')
    await expect(failed).rejects.toThrow('no process')
    expect(await after).toBe('after')
  })
})
