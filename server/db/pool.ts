/** One way to read values from both engines, and one Kysely over either's pool. */
import { Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolConfig, types } from 'pg'
import type { Logger } from 'pino'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

const INT8 = 20

// Instants, counts and change numbers stay far below 2^53; the driver would hand them over as strings.
const typeParsers: PoolConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** A pool whose connections may break without ending the process. */
export function createPool(config: PoolConfig, log: Logger): Pool {
  const pool = new Pool({ ...config, types: typeParsers })
  // Of a connection that nobody uses.
  pool.on('error', (error) => log.warn({ event: 'database_connection_lost', err: error }, 'lost a database connection'))
  // Of one in use: the statement that waits on it fails with the error, but an event that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

export const createPoolKysely = (pool: Pool): Kysely<DatabaseTables> =>
  new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool }) })
