/** Settings of the connections to PostgreSQL. The embedded database has one connection and does not use them. */
export interface DatabaseSettings {
  /** Maximum number of connections of one process, without the one that listens. */
  poolSize: number
  /** Limit in ms for opening a connection, and for waiting until one is free. */
  connectMs: number
  /** Limits in ms for a statement, and for waiting for a lock. */
  statementMs: number
  lockMs: number
}

type ReadInteger = (name: string, defaultValue: number, min: number, max: number) => number

export function readDatabaseSettings(readInteger: ReadInteger): DatabaseSettings {
  return {
    poolSize: readInteger('DATABASE_POOL_SIZE', 20, 2, 200),
    connectMs: readInteger('DATABASE_CONNECT_TIMEOUT_SECONDS', 5, 1, 60) * 1000,
    statementMs: readInteger('DATABASE_STATEMENT_TIMEOUT_SECONDS', 20, 1, 600) * 1000,
    lockMs: readInteger('DATABASE_LOCK_TIMEOUT_SECONDS', 2, 1, 60) * 1000,
  }
}
