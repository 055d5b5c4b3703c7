import { Client, DatabaseError } from 'pg'
import { StartProblem } from '#server/config/config.ts'
import { describePostgresAddress, PostgresAddressError } from '#server/config/postgres-address.ts'
import { createServerTarget, type ServerHost, type ServerTarget } from '#server/config/postgres-target.ts'
import { HostingError, type HostingFault, toHostingError } from '#server/drivers/hosting/hosting-driver.ts'

/** In ms. Creating a database copies a template of several MB. */
const limits = { connectMs: 5_000, queryMs: 120_000, lockMs: 90_000 }

/** Runs the work with a connection to the first host that accepts writes. Throws HostingError, whose message never has the password. */
export async function withAdminConnection<T>(adminUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const target = createTarget(adminUrl)
  const client = await connect(target)
  try {
    return await work(client)
  } catch (error) {
    throw describeError(error, target)
  } finally {
    await client.end().catch(() => undefined)
  }
}

function createTarget(adminUrl: string): ServerTarget {
  try {
    return createServerTarget(adminUrl, 'portal-hosting')
  } catch (error) {
    if (error instanceof PostgresAddressError)
      throw new HostingError('unreachable', `SERVICE_DATABASE_URL ${error.message}`, { cause: error })
    if (error instanceof StartProblem) throw new HostingError('unreachable', error.message, { cause: error })
    throw error
  }
}

async function connect(target: ServerTarget): Promise<Client> {
  let lastError: unknown = null
  for (const host of target.hosts) {
    try {
      return await connectToHost(target, host)
    } catch (error) {
      lastError = error
    }
  }
  throw describeError(lastError, target)
}

async function connectToHost(target: ServerTarget, host: ServerHost): Promise<Client> {
  try {
    return await openClient(target, host, false)
  } catch (error) {
    const isWithoutTls = error instanceof Error && /does not support SSL connections/.test(error.message)
    if (target.address.tls.mode !== 'prefer' || !isWithoutTls) throw error
    return await openClient(target, host, true)
  }
}

async function openClient(target: ServerTarget, host: ServerHost, isPlain: boolean): Promise<Client> {
  const client = new Client({
    database: 'postgres',
    ...target.createConfig(host, isPlain),
    connectionTimeoutMillis: limits.connectMs,
    query_timeout: limits.queryMs,
    lock_timeout: limits.lockMs,
  })
  // Without a listener, an error of an idle connection would end the process. The next query reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ isReadOnly: boolean }>(
      `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "isReadOnly"`,
    )
    if (rows[0]?.isReadOnly) throw new Error('the server accepts no writes: use the address of the primary')
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

const faults: Readonly<Record<string, HostingFault>> = {
  /** too_many_connections */
  '53300': 'throttled',
  /** disk_full */
  '53100': 'no_room',
}

function describeError(error: unknown, { address }: ServerTarget): HostingError {
  const fault = (error instanceof DatabaseError && faults[error.code ?? '']) || 'unreachable'
  const message = `the server of SERVICE_DATABASE_URL at ${describePostgresAddress(address)}: ${getReason(error)}`
  return toHostingError(error, message, fault)
}

function getReason(error: unknown): string {
  const firstError = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const reason = firstError instanceof Error ? firstError.message : String(firstError)
  return /client password must be a string/.test(reason) ? 'it needs a password, but the address has none' : reason
}
