/** A connection to the database of the copies, whose every error is a fault of the store. */
import type { PoolClient } from 'pg'
import { StoreError, type StoreFault } from '#server/drivers/backup-store/backup-store.ts'

/** Where connections come from. */
export interface CopyConnections {
  readonly name: 'postgres' | 'embedded'
  /** Waits for its turn. To be given back by `release`, with an error where it is of no more use. */
  acquire(): Promise<PoolClient>
  /** False: a disk that others need, too, is almost full. */
  hasRoom(): Promise<boolean>
  close(): Promise<void>
}

type Row = (string | null)[]

/** All values are text: how they are read is not left to the driver. */
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

  /** Whether it could be done; where not, it is as if it had not been tried. */
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

/** A connection, and how to give it back; one that cannot be rolled back is closed. */
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
    // No limit of the login's own ends what takes its time; numbers are told in full.
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    await session.query(`select set_config('extra_float_digits', '1', true),
      ${limits.map((name) => `set_config('${name}', '0', true)`).join(', ')}`)
    return { session, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** Done as a whole or not at all. */
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
    // After a commit there is nothing to roll back.
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
/** Of more say than their class. */
const faultsByCode: Record<string, StoreFault> = {
  // Too many connections.
  '53300': 'unreachable',
  // A table or a column of the copy is not there any more.
  '42P01': 'damaged',
  '42703': 'damaged',
}

async function withStoreFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw error
    const { code = '', message } = error as Error & { code?: string }
    throw new StoreError(toStoreFault(code), `The database of the copies says ${code || 'an error'}: ${message}`, {
      cause: error,
    })
  }
}

function toStoreFault(code: string): StoreFault {
  // A number of PostgreSQL has five signs; others are of the line.
  if (!/^[0-9A-Z]{5}$/.test(code)) return 'unreachable'
  return faultsByCode[code] ?? faultsByClass[code.slice(0, 2)] ?? 'refused'
}
