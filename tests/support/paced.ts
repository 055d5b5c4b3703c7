/** A long request whose steps a test lets happen one by one, worked by the server's own runner. */
import type { JobKind, Kinds } from '#server/jobs/kinds.ts'
import { workOne } from '#server/jobs/runner.ts'
import type { TestServer } from '#tests/support/server.ts'

const output = { companies: 3, rows: 42, broken: [] }

export interface Paced {
  output: typeof output
  /** One step and its record, or the end after the last one. */
  step(): Promise<void>
}

export function paced(server: TestServer, steps: number): Paced {
  const stop = { now: new AbortController() }
  const kind: JobKind<unknown, number> = {
    resumes: true,
    async step({ point }) {
      const at = (point ?? 0) + 1
      // Put down after this step, so that the next one is the test's to allow.
      stop.now.abort()
      return at > steps
        ? { is: 'done', output }
        : { is: 'on', point: at, percent: Math.min(99, Math.round((at / steps) * 100)) }
    },
  }
  const kinds: Kinds = { 'verify-trail': kind as JobKind }
  return {
    output,
    async step() {
      stop.now = new AbortController()
      if (!(await workOne(server.house, kinds, stop.now.signal))) throw new Error('there is nothing to work on')
    },
  }
}
