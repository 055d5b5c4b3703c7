/** Databases as they are before the first migration. */
import { inject } from 'vitest'
import { overEngine } from '#server/db/embedded/open.ts'
import type { Database } from '#server/db/handle.ts'
import { makePool, overPool } from '#server/db/pool.ts'
import { type Engine, silent, startBareEngine } from '#tests/support/server/database.ts'
import { asSuperuser } from '#tests/support/server/postgres.ts'

let made = 0

/** A database without a single table. */
export async function openBare(engine: Engine): Promise<Pick<Database, 'kysely' | 'close'>> {
  if (engine === 'embedded') {
    const running = await startBareEngine()
    return overEngine(
      running,
      () => true,
      async () => undefined,
    )
  }
  const url = inject('postgresUrl') ?? ''
  made += 1
  const name = `bare_${process.pid}_${made}`
  await asSuperuser(url, 'postgres', [`create database ${name}`])
  const kysely = overPool(makePool({ connectionString: `${url}/${name}` }, silent))
  return {
    kysely,
    async close() {
      await kysely.destroy()
      await asSuperuser(url, 'postgres', [`drop database ${name}`])
    },
  }
}
