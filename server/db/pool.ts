/** One way to read values from both engines, and one Kysely over either's pool. */
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { Pool, type PoolConfig, types } from 'pg'
import type { Logger } from 'pino'
import { Connection, type Own, Session } from '#server/db/client.ts'
import { Lanes } from '#server/db/lanes.ts'
import type { Tables } from '#server/db/tables.ts'

const INT8 = 20

// Instants, counts and change numbers stay far below 2^53; the driver would hand them over as strings.
const readTypes: PoolConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** A pool whose idle connections may break without ending the process. */
export function makePool(config: PoolConfig, log: Logger): Pool {
  const pool = new Pool({ ...config, types: readTypes, Client: Connection, pipeline: true } as PoolConfig)
  pool.on('error', (error) => log.warn({ err: error }, 'a database connection was lost'))
  return pool
}

/** `lanes`: where the pool has connections to spare. */
export function overPool(pool: Pool, { lanes: hasLanes = false } = {}): Kysely<Tables> {
  const lanes = hasLanes ? new Lanes(pool) : null
  const acquire = () => pool.connect() as unknown as Promise<Own>
  const sessions = {
    options: pool.options,
    connect: async () => new Session(acquire, lanes),
    async end() {
      lanes?.close()
      await pool.end()
    },
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sessions as unknown as PostgresPool }) })
}
