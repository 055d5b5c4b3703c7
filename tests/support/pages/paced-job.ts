/** A long request whose steps a test lets happen one by one, worked by the server's own runner. */
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { JobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import type { TestServer } from '#tests/support/server/server.ts'

const output = { companies: 3, rows: 42, broken: [] }

export interface PacedJob {
  output: typeof output
  /** One step and its record, or the end after the last one. */
  step(): Promise<void>
  /** The same, where there is a job to be had. */
  stepIfAny(): Promise<boolean>
  /** A kill in the middle of a step: it never comes back, and its lease stays until it has run out. */
  cut(): Promise<void>
  /** Steps begun so far, and how many of them were cut. */
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
        // Put down after this step, so that the next one is the test's to allow.
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
