/** Opens several connection pools on one PostgreSQL database, as several nodes of one portal do. */
import { randomUUID } from 'node:crypto'
import { describe, inject } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { openPostgres } from '#server/db/postgres.ts'
import { silent, testConfig } from '#tests/support/server/database.ts'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'

export interface TestNodes {
  url: string
  databases: Database[]
  close(): Promise<void>
}

/** Runs the tests only if PostgreSQL is installed, because the embedded database has one process. */
export const describeNodes = describe.skipIf((inject('postgresUrl') ?? null) === null)

export async function openTestNodes(count: number): Promise<TestNodes> {
  const clusterUrl = inject('postgresUrl') ?? ''
  const name = `nodes_${process.pid}_${randomUUID().slice(0, 8)}`
  await runAsSuperuser(clusterUrl, 'postgres', [`create database ${name} template ${migratedDatabase}`])
  const url = `${clusterUrl}/${name}`
  const databases = await Promise.all(Array.from({ length: count }, () => openPostgres(testConfig(), url, silent)))
  return {
    url,
    databases,
    async close() {
      await Promise.all(databases.map((database) => database.close()))
      await runAsSuperuser(clusterUrl, 'postgres', [`drop database ${name} with (force)`])
    },
  }
}
