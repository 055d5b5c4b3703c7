import { describe, expect, it } from 'vitest'
import { handOver } from '#tests/campaigns/handover.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'

describe('a tablet that a second user takes over while writes are unsent (R-08)', () => {
  it(`hides the first user's writes from the second user and sends them on the first's return (seed ${suiteSeed})`, async () => {
    const { first, second, ...between } = await handOver(suiteSeed)
    expect(between).toEqual({ leaks: [], sentByTheSecond: [], stuck: [] })
    const clean = { lostWrites: [], doubledWrites: [], misorderedWrites: [], foreignWrites: [], tornWrites: [] }
    expect(first).toEqual({ ...clean, writes: 40, doneCount: 40 })
    expect(second).toEqual({ ...clean, writes: 40, doneCount: 40 })
  }, 240_000)
})
