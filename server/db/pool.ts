import { Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { typeParsers } from '#server/db/postgres/type-parsers.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'

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
