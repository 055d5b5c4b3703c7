/** The outbox where it lives: Chromium, its worker, a real server, and faults between them; the campaign has all of them. */
import { expect, it, onTestFailed } from 'vitest'
import { asText, type Round, weather, wrongs } from '#tests/campaigns/faults.ts'
import { suiteSeed as seed } from '#tests/support/runner/chance.ts'

const least = 60
const faults = ['cut before the answer', 'gateway error', 'twice', 'reset', 'login page'] as const
const rounds: Round[] = [
  { faults, share: 0.35, strike: 'worker stopped', lanes: 3 },
  { faults, share: 0.35, strike: 'server killed', lanes: 3 },
]

it(`writes on a line that cuts and lies are all there, once, in order and by their author, with worker and server struck (R-03, R-04; seed ${seed})`, async () => {
  const began = performance.now()
  const reached: string[] = []
  onTestFailed(() => console.log(`as far as it came:\n${reached.join('\n')}`))
  const report = await weather({
    seed,
    rounds,
    say: (line) => void reached.push(`${Math.round((performance.now() - began) / 1000)} s  ${line}`),
  })
  console.log(asText(report))
  expect(wrongs(report), `npm run campaign -- faults 500 ${seed}`).toEqual([])
  expect(report.writes).toBeGreaterThanOrEqual(least)
  expect(report.done).toBeGreaterThanOrEqual(report.writes)
  // The faults were there: what is proved on a good line is not proved.
  expect(Object.keys(report.met).toSorted()).toEqual(faults.toSorted())
  expect(Object.keys(report.struck)).toHaveLength(rounds.length)
  expect(report.arrivals).toBeGreaterThan(report.writes)
}, 240_000)
