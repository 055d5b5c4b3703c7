/** vitest's global set-up: one PostgreSQL for the whole run; its address reaches the tests as `postgresUrl`. */
import type { TestProject } from 'vitest/node'
import { postgresBin, startCluster } from '#tests/support/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Null where PostgreSQL is not installed: its tests are skipped, by name. */
    postgresUrl: string | null
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bin = postgresBin()
  const cluster = bin === null ? null : await startCluster(bin)
  project.provide('postgresUrl', cluster?.url ?? null)
  return async () => {
    await cluster?.stop()
  }
}
