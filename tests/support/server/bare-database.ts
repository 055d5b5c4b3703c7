/** Opens databases before the first migration. */
import { inject } from 'vitest'
import { createEngineDatabase } from '#server/db/embedded/open.ts'
import type { Database } from '#server/db/database.ts'
import { createPool, createPoolKysely } from '#server/db/pool.ts'
import { type Engine, silent, startBareEngine } from '#tests/support/server/database.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'

let databaseCount = 0

export async function openBare(engine: Engine): Promise<Pick<Database, 'kysely' | 'close'>> {
  if (engine === 'embedded') {
    const engineProcess = await startBareEngine()
    return createEngineDatabase(
      engineProcess,
      () => true,
      async () => undefined,
    )
  }
  const url = inject('postgresUrl') ?? ''
  databaseCount += 1
  const name = `bare_${process.pid}_${databaseCount}`
  await runAsSuperuser(url, 'postgres', [`create database ${name}`])
  const kysely = createPoolKysely(createPool({ connectionString: `${url}/${name}` }, silent))
  return {
    kysely,
    async close() {
      await kysely.destroy()
      await runAsSuperuser(url, 'postgres', [`drop database ${name}`])
    },
  }
}
