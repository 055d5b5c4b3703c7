/** The outbox where it lives: Chromium, its worker, a real server, and bad weather between them (offline layer, 5.2). */
import { describe, expect, it } from 'vitest'
import { asText, planRounds, weather, wrongs } from '#tests/campaigns/faults.ts'
import { handOver } from '#tests/campaigns/handover.ts'
import { strikes } from '#tests/campaigns/strikes.ts'
import { suiteSeed } from '#tests/support/chance.ts'
import { faults } from '#tests/support/fault-proxy.ts'

const least = 500
/** A browser that is killed takes with it what it was about to record. */
const spare = 25
const seed = suiteSeed

describe('writes on a line that cuts, hangs and lies, with worker, browser and server struck meanwhile (R-03, R-04, R-05, R-07, R-43)', () => {
  it(`are all there: none lost, none twice, none out of order, nobody else's, none stuck a minute later (seed ${seed})`, async () => {
    const report = await weather({ seed, rounds: planRounds(seed, least + spare) })
    console.log(asText(report))
    expect(wrongs(report), `npm run campaign -- faults ${least} ${seed}`).toEqual([])
    expect(report.writes).toBeGreaterThanOrEqual(least)
    expect(report.done).toBeGreaterThanOrEqual(report.writes)
    // The weather was there: what is proved on a good line is not proved.
    expect(Object.keys(report.met).toSorted()).toEqual(Object.keys(faults).toSorted())
    expect(Object.keys(report.struck).toSorted()).toEqual(strikes.toSorted())
    expect(report.arrivals).toBeGreaterThan(report.writes)
  }, 360_000)
})

describe('a tablet that changes hands while writes wait on it (R-08)', () => {
  it(`shows and sends nothing of the first to the second, and sends all of it when the first is back (seed ${seed})`, async () => {
    const { first, second, ...between } = await handOver(seed)
    expect(between).toEqual({ leaks: [], sentByTheSecond: [], stuck: [] })
    const clean = { lost: [], doubled: [], disordered: [], foreign: [], torn: [] }
    expect(first).toEqual({ ...clean, writes: 40, done: 40 })
    expect(second).toEqual({ ...clean, writes: 40, done: 40 })
  }, 240_000)
})
