/** Runs statements in the database of the copies. Errors of statements and connections become StoreErrors. */
import type { PoolClient } from 'pg'
import { StoreError, type StoreFault } from '#server/drivers/file-store/store-error.ts'

export interface CopyConnections {
  readonly name: 'postgres' | 'embedded'
  /** Waits until a connection is free. The caller must `release` it, with an error if it can no longer be used. */
  acquire(): Promise<PoolClient>
  /** Returns false if the disk, on which there is other data too, is almost full. */
  hasRoom(): Promise<boolean>
  close(): Promise<void>
}

type Row = (string | null)[]

/** Disables the driver's type parsers: every value is returned as text. */
const rawText = { getTypeParser: () => String } as never

export class CopySession {
  readonly #client: PoolClient

  constructor(client: PoolClient) {
    this.#client = client
  }

  async query(text: string, values: unknown[] = []): Promise<Row[]> {
    return withStoreFaults(async () => {
      const { rows } = await this.#client.query<Row>({ text, values, rowMode: 'array', types: rawText })
      return rows
    })
  }

  /** Returns false if the data does not allow the statement; its effects are rolled back. Throws if the connection fails. */
  async tryStatement(text: string): Promise<boolean> {
    await this.query('savepoint tried')
    try {
      await this.query(text)
    } catch (error) {
      const isDataFault = error instanceof StoreError && ['damaged', 'refused'].includes(error.fault)
      if (!isDataFault) throw error
      await this.query('rollback to savepoint tried')
      return false
    }
    await this.query('release savepoint tried')
    return true
  }
}

/** Returns a session and its release function. A connection that cannot be rolled back is closed. */
export async function openSession(connections: CopyConnections, beginStatement: string) {
  const client = await withStoreFaults(() => connections.acquire())
  const session = new CopySession(client)
  const release = async () => {
    await session.query('rollback').then(
      () => client.release(),
      (error: unknown) => client.release(error as Error),
    )
  }
  try {
    await session.query(beginStatement)
    // The timeouts of the database login must not end a long copy. `extra_float_digits` 1 returns floating-point numbers exactly.
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    await session.query(`select set_config('extra_float_digits', '1', true),
      ${limits.map((name) => `set_config('${name}', '0', true)`).join(', ')}`)
    return { session, release }
  } catch (error) {
    await release()
    throw error
  }
}

export async function withSession<T>(
  connections: CopyConnections,
  beginStatement: string,
  work: (session: CopySession) => Promise<T>,
): Promise<T> {
  const { session, release } = await openSession(connections, beginStatement)
  try {
    const result = await work(session)
    await session.query('commit')
    return result
  } finally {
    // Rolls back after an error. After a commit the rollback has no effect.
    await release()
  }
}

const faultsByClass: Record<string, StoreFault> = {
  '08': 'unreachable',
  '22': 'damaged',
  '23': 'damaged',
  '28': 'refused',
  '53': 'no_room',
  '57': 'unreachable',
  '58': 'unreachable',
  XX: 'damaged',
}
const faultsByCode: Record<string, StoreFault> = {
  // `53300` means too many connections.
  '53300': 'unreachable',
  // These codes mean that a table or a column of the copy is missing.
  '42P01': 'damaged',
  '42703': 'damaged',
}

async function withStoreFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw error
    const { code = '', message } = error as Error & { code?: string }
    throw new StoreError(toStoreFault(code), `The database of the copies returned ${code || 'an error'}: ${message}`, {
      cause: error,
    })
  }
}

function toStoreFault(code: string): StoreFault {
  // PostgreSQL's error codes have five characters. Other codes are errors of the connection.
  if (!/^[0-9A-Z]{5}$/.test(code)) return 'unreachable'
  return faultsByCode[code] ?? faultsByClass[code.slice(0, 2)] ?? 'refused'
}
