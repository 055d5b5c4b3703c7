/** Tests the outbox in Chromium with its worker, a real server and a faulty connection. The campaign tests all faults. */
import { expect, it, onTestFailed } from 'vitest'
import { toText, type FaultRound, runFaultCampaign, listFaults } from '#tests/campaigns/faults.ts'
import { suiteSeed as seed } from '#tests/support/runner/random.ts'

const minWrites = 60
const faults = ['cut before the answer', 'gateway error', 'twice', 'reset', 'login page'] as const
const rounds: FaultRound[] = [
  { faults, share: 0.35, disruption: 'worker stopped', queues: 3 },
  { faults, share: 0.35, disruption: 'server killed', queues: 3 },
]

it(`Over a faulty connection, every write arrives once, in order, for its author (R-03, R-04; seed ${seed})`, async () => {
  const startedAt = performance.now()
  const progressLines: string[] = []
  onTestFailed(() => console.log(`as far as it came:\n${progressLines.join('\n')}`))
  const report = await runFaultCampaign({
    seed,
    rounds,
    log: (line) => void progressLines.push(`${Math.round((performance.now() - startedAt) / 1000)} s  ${line}`),
  })
  console.log(toText(report))
  expect(listFaults(report), `npm run campaign -- faults 500 ${seed}`).toEqual([])
  expect(report.writes).toBeGreaterThanOrEqual(minWrites)
  expect(report.doneCount).toBeGreaterThanOrEqual(report.writes)
  // All faults must have occurred, otherwise the test proves nothing.
  expect(Object.keys(report.metFaults).toSorted()).toEqual(faults.toSorted())
  expect(Object.keys(report.disruptionCounts)).toHaveLength(rounds.length)
  expect(report.arrivals).toBeGreaterThan(report.writes)
}, 240_000)
