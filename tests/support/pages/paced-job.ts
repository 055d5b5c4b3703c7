/** Simulates a long request whose steps a test releases one by one. It is run by the server's own job runner. */
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { JobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import type { TestServer } from '#tests/support/server/server.ts'

const output = { companies: 3, rows: 42, broken: [] }

export interface PacedJob {
  output: typeof output
  /** Runs one step, or ends the job after its last step. Throws if there is no job. */
  step(): Promise<void>
  /** Like `step`. Returns false if there is no job. */
  stepIfAny(): Promise<boolean>
  /** Simulates a kill in the middle of a step: it never completes, and its lease stays until it expires. */
  cut(): Promise<void>
  /** Number of started steps. `cuts` returns the number of interrupted steps. */
  steps(): number
  cuts(): number
}

export function createPacedJob(server: TestServer, steps: number): PacedJob {
  const counts = { steps: 0, cuts: 0 }

  function createKinds(stop: AbortController, duringStep: () => Promise<void>): JobKinds {
    const kind: JobKind<unknown, number> = {
      isResumable: true,
      async step({ point }) {
        counts.steps += 1
        const nextPoint = (point ?? 0) + 1
        // The job runner stops after this step, so that the test decides when the next step runs.
        stop.abort()
        await duringStep()
        return nextPoint > steps
          ? { kind: 'done', output }
          : { kind: 'on', point: nextPoint, percent: Math.min(99, Math.round((nextPoint / steps) * 100)) }
      },
    }
    return { 'verify-trail': kind as JobKind }
  }

  function stepIfAny(): Promise<boolean> {
    const stop = new AbortController()
    return runOneJob(
      server.app,
      createKinds(stop, () => Promise.resolve()),
      stop.signal,
    )
  }

  return {
    output,
    stepIfAny,
    async step() {
      if (!(await stepIfAny())) throw new Error('there is nothing to work on')
    },
    async cut() {
      const stop = new AbortController()
      const reachedPromise = new Promise<void>((resolve) => {
        const kinds = createKinds(stop, () => {
          counts.cuts += 1
          resolve()
          return new Promise<never>(() => {})
        })
        void runOneJob(server.app, kinds, stop.signal).then(() => resolve())
      })
      await reachedPromise
    },
    steps: () => counts.steps,
    cuts: () => counts.cuts,
  }
}
