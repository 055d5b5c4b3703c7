/** Runs long random histories and checks the guarantees. A failure prints its seed and path, with which it can be repeated. */
import * as fc from 'fast-check'
import { actionArbitrary } from '#tests/outbox-model/model-actions.ts'
import { runSimulation } from '#tests/outbox-model/run-simulation.ts'

export interface RandomRunOptions {
  seed: number
  runs: number
  /** Path of a failing history, to repeat only this one. */
  path?: string | undefined
}

export interface SimulationTotals {
  histories: number
  /** Number of commits, of requests that were sent, and of responses that were ready. */
  steps: number
  effects: number
  writes: number
}

/** With `SHRINK=1`, a failure is reduced to a shorter history, which takes a while. */
const { SHRINK } = process.env

/** Throws at the first history that breaks a guarantee. */
export async function runRandomSimulations({ seed, runs, path }: RandomRunOptions): Promise<SimulationTotals> {
  const totals: SimulationTotals = { histories: 0, steps: 0, effects: 0, writes: 0 }
  const histories = fc.array(actionArbitrary, { minLength: 8, maxLength: 30, size: 'max' })
  await fc.assert(
    fc.asyncProperty(histories, async (actions) => {
      const { steps, effects, writes } = await runSimulation(actions)
      totals.histories += 1
      totals.steps += steps
      totals.effects += effects
      totals.writes += writes
    }),
    { numRuns: runs, seed, endOnFailure: SHRINK === undefined, ...(path === undefined ? {} : { path }) },
  )
  return totals
}
