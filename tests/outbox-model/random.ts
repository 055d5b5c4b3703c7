/** Long histories drawn at random, against the promise; a failing one prints its seed and path, which play it again. */
import * as fc from 'fast-check'
import { deed } from '#tests/outbox-model/operations.ts'
import { live } from '#tests/outbox-model/live.ts'

export interface Drawn {
  seed: number
  runs: number
  /** As a failure prints it. */
  path?: string | undefined
}

export interface Sum {
  histories: number
  /** Commits, and both ends of every request. */
  steps: number
  effects: number
  wishes: number
}

/** `SHRINK=1` looks for the shortest history that fails, which takes a while. */
const { SHRINK } = process.env

/** Throws at the first history that breaks a promise. */
export async function liveMany({ seed, runs, path }: Drawn): Promise<Sum> {
  const sum: Sum = { histories: 0, steps: 0, effects: 0, wishes: 0 }
  const histories = fc.array(deed, { minLength: 8, maxLength: 30, size: 'max' })
  await fc.assert(
    fc.asyncProperty(histories, async (deeds) => {
      const { steps, effects, wishes } = await live(deeds)
      sum.histories += 1
      sum.steps += steps
      sum.effects += effects
      sum.wishes += wishes
    }),
    { numRuns: runs, seed, endOnFailure: SHRINK === undefined, ...(path === undefined ? {} : { path }) },
  )
  return sum
}
