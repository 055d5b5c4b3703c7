import { describe, expect, it } from 'vitest'
import { handOver } from '#tests/campaigns/handover.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'

describe('a tablet that changes hands while writes wait on it (R-08)', () => {
  it(`shows and sends nothing of the first to the second, and sends all of it when the first is back (seed ${suiteSeed})`, async () => {
    const { first, second, ...between } = await handOver(suiteSeed)
    expect(between).toEqual({ leaks: [], sentByTheSecond: [], stuck: [] })
    const clean = { lostWrites: [], doubledWrites: [], misorderedWrites: [], foreignWrites: [], tornWrites: [] }
    expect(first).toEqual({ ...clean, writes: 40, doneCount: 40 })
    expect(second).toEqual({ ...clean, writes: 40, doneCount: 40 })
  }, 240_000)
})
