/** Long histories drawn at random, against the promise; a failing one prints its seed and path, which play it again. */
import * as fc from 'fast-check'
import { deed } from '#tests/models/deeds.ts'
import { live } from '#tests/models/live.ts'

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

const { RUNS = '500', SEED, REPLAY, SHRINK } = process.env

/**
 * One file's share in the suite, the same every time: other seeds are the campaign's. `RUNS` sets how many; `SEED` and
 * `REPLAY`, as a failure prints them, play one again, and `SHRINK=1` looks for the shortest that fails, which takes a while.
 */
export async function liveSome(share: number): Promise<void> {
  await liveMany({ seed: Number(SEED ?? share), runs: Number(RUNS), path: REPLAY })
}
