/** Global set-up: starts one PostgreSQL for the whole run. Tests get its address as `postgresUrl`. */
import type { TestProject } from 'vitest/node'
import { pino } from 'pino'
import { readConfig } from '#server/config/config.ts'
import { openPostgres } from '#server/db/postgres.ts'
import { runAsSuperuser, migratedDatabase, postgresBin, startCluster } from '#tests/support/server/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Null if PostgreSQL is not installed. Its tests are then reported as skipped. */
    postgresUrl: string | null
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bin = postgresBin()
  const cluster = bin === null ? null : await startCluster(bin)
  if (cluster) await makeMigrated(cluster.url)
  project.provide('postgresUrl', cluster?.url ?? null)
  return async () => {
    await cluster?.stop()
  }
}

async function makeMigrated(url: string): Promise<void> {
  await runAsSuperuser(url, 'postgres', [`create database ${migratedDatabase}`])
  const config = readConfig({ TOKEN_KEY: '11'.repeat(32) })
  await (await openPostgres(config, `${url}/${migratedDatabase}`, pino({ level: 'silent' }))).close()
}
