/** A long request whose steps a test lets happen one by one, worked by the server's own runner. */
import type { JobKind } from '#server/jobs/job-kind.ts'
import type { Kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import type { TestServer } from '#tests/support/server/server.ts'

const output = { companies: 3, rows: 42, broken: [] }

export interface Paced {
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

export function paced(server: TestServer, steps: number): Paced {
  const counted = { steps: 0, cuts: 0 }

  function kindsFor(stop: AbortController, during: () => Promise<void>): Kinds {
    const kind: JobKind<unknown, number> = {
      resumes: true,
      async step({ point }) {
        counted.steps += 1
        const at = (point ?? 0) + 1
        // Put down after this step, so that the next one is the test's to allow.
        stop.abort()
        await during()
        return at > steps
          ? { kind: 'done', output }
          : { kind: 'on', point: at, percent: Math.min(99, Math.round((at / steps) * 100)) }
      },
    }
    return { 'verify-trail': kind as JobKind }
  }

  function stepIfAny(): Promise<boolean> {
    const stop = new AbortController()
    return workOne(
      server.app,
      kindsFor(stop, () => Promise.resolve()),
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
      const reached = new Promise<void>((there) => {
        const kinds = kindsFor(stop, () => {
          counted.cuts += 1
          there()
          return new Promise<never>(() => {})
        })
        void workOne(server.app, kinds, stop.signal).then(() => there())
      })
      await reached
    },
    steps: () => counted.steps,
    cuts: () => counted.cuts,
  }
}
