import { Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolConfig, types } from 'pg'
import type { Logger } from 'pino'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

const INT8 = 20

// Times, counts and change numbers stay far below 2^53. Without this parser the driver would return them as strings.
export const typeParsers: PoolConfig['types'] = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** Creates a pool whose broken connections do not end the process. */
export function createPool(config: PoolConfig, log: Logger): Pool {
  const pool = new Pool({ ...config, types: typeParsers })
  // Handles errors of idle connections.
  pool.on('error', (error) => log.warn({ event: 'database_connection_lost', err: error }, 'lost a database connection'))
  // Handles errors of connections in use. The running statement fails with the error, but an unhandled error event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

export const createPoolKysely = (pool: Pool): Kysely<DatabaseTables> =>
  new Kysely<DatabaseTables>({ dialect: new PostgresDialect({ pool }) })
