/** Long requests over restarts, strikes and dropped websockets: a few of each; the campaign has hundreds. */
import { expect, it } from 'vitest'
import { asText, live, wrongs } from '#tests/campaigns/worker-life.ts'
import { suiteSeed } from '#tests/support/chance.ts'

const seed = suiteSeed

it(`come to their end, once, asked about by one at a time, whatever is struck meanwhile (R-24, R-25, R-26; seed ${seed})`, async () => {
  const report = await live(5, seed)
  console.log(asText(report))
  expect(wrongs(report), `npm run campaign -- worker-life 5 ${seed}`).toEqual([])
  expect(report.restarts.runs).toBe(5)
  expect(report.polls.recovered.length).toBeGreaterThan(0)
  expect(report.sockets.drops).toBeGreaterThanOrEqual(5)
}, 360_000)
