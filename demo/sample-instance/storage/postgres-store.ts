/** The database of a sample instance in PostgreSQL. */
import { Pool, type PoolClient, types } from 'pg'
import { dataSchema, lockForWriting } from '#demo/sample-instance/storage/postgres-schema.ts'
import type {
  SampleStore,
  StoreDialect,
  StoreQueries,
  StoreRow,
  StoreValue,
} from '#demo/sample-instance/storage/store.ts'

const poolLimits = { max: 5, connectionTimeoutMillis: 5000, query_timeout: 30_000, idleTimeoutMillis: 60_000 }
const bigintType = 20

/** Returns 64-bit integers as numbers, or as bigint if a number is not exact. */
export const numberTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigintType ? parseInteger : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

function parseInteger(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

/** Opens no connection yet. */
export function openPool(url: string): Pool {
  const pool = new Pool({
    connectionString: url,
    types: numberTypes,
    application_name: 'sample-instance',
    ...poolLimits,
  })
  // The first query of a connection. Later queries wait for it.
  pool.on('connect', (client) => void client.query(`set search_path to ${dataSchema}`).catch(() => undefined))
  // Idle connections that are lost are opened again when they are needed.
  pool.on('error', () => undefined)
  return pool
}

const dialect: StoreDialect = {
  isSameText: (column) => `lower(${column}) = lower(?)`,
  like: 'ilike',
  orderByText: (column) => `lower(${column}), ${column}`,
}

export const createPostgresStore = (pool: Pool): SampleStore => ({
  ...createQueries(pool),
  runInTransaction: (work) => runTransaction(pool, (client) => work(createQueries(client))),
  close: () => pool.end(),
})

/** Runs `work` after the transactions of all other tasks that write. */
export async function runTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    await lockForWriting(client)
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    // If the transaction cannot be undone here, the connection is closed, and the server undoes it.
    await client.query('rollback').catch((cause: unknown) => void (failure = cause as Error))
    throw error
  } finally {
    client.release(failure)
  }
}

function createQueries(client: Pool | PoolClient): StoreQueries {
  const query = (statement: string, values: readonly StoreValue[]) => {
    let number = 0
    return client.query<StoreRow>(
      statement.replace(/\?/g, () => `$${++number}`),
      [...values],
    )
  }
  return {
    dialect,
    all: async (statement, ...values) => (await query(statement, values)).rows,
    get: async (statement, ...values) => (await query(statement, values)).rows[0],
    run: async (statement, ...values) => (await query(statement, values)).rowCount ?? 0,
  }
}
