/** Opens a connection to the first host of a server that can be used. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { describePostgresHost } from '#server/config/postgres-address.ts'
import { ServerClient, ServerConnectionError } from '#server/db/postgres/server-client.ts'
import type { ServerHost, ServerTarget } from '#server/config/postgres-target.ts'

/** Time in ms after which the next host is tried too, while the previous ones have not responded. */
const nextHostMs = 1000

/** The hosts in the order in which they are tried: the one that was usable last comes first. */
const listHosts = ({ hosts, currentHost }: ServerTarget): ServerHost[] => [
  currentHost,
  ...hosts.filter((host) => host !== currentHost),
]

export interface ConnectLimits {
  /** Limit in ms for the connection to one host. */
  connectMs: number
  /** Limit in ms for each query. 0 for none. */
  queryMs: number
}

/**
 * Returns a connected client, whose host becomes the current one. Throws the error of the only host, or a ServerConnectionError with the
 * reasons of all hosts.
 */
export async function connectToServer(target: ServerTarget, limits: ConnectLimits): Promise<ServerClient> {
  const attempts: Promise<ServerClient>[] = []
  let winner: ServerClient | null = null
  for (const host of listHosts(target)) {
    const attempt = openClient(target, host, limits)
    attempts.push(attempt)
    // A connection that is opened after another one was chosen is closed again.
    attempt.then(
      (client) => winner && winner !== client && void client.end().catch(() => undefined),
      () => undefined,
    )
    const isLast = attempts.length === target.hosts.length
    const result = await Promise.race([
      Promise.any(attempts).catch(() => null),
      ...(isLast ? [] : [wait(nextHostMs, null, { ref: false })]),
    ])
    if (result === null) continue
    winner = result
    target.currentHost = result.serverHost
    target.isUncertain = false
    return result
  }
  throw await describeFailures(target, attempts)
}

async function describeFailures(target: ServerTarget, attempts: Promise<ServerClient>[]): Promise<unknown> {
  const results = await Promise.allSettled(attempts)
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const [firstError] = errors
  if (errors.length === 1) return firstError
  const hosts = listHosts(target)
  const reasons = errors.map(
    (error, index) => `${describePostgresHost(hosts[index] as ServerHost)}: ${getReason(error)}`,
  )
  return new ServerConnectionError(`no host can be used (${reasons.join('; ')})`, { cause: firstError })
}

/** Returns the message of an error. If a name resolves to several addresses, Node throws an AggregateError without its own message. */
export function getReason(error: unknown): string {
  const firstError = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return firstError instanceof Error ? firstError.message : String(firstError)
}

/** Opens a client for one host. With `sslmode=prefer` the connection is not encrypted if the server does not offer TLS. */
async function openClient(target: ServerTarget, host: ServerHost, limits: ConnectLimits): Promise<ServerClient> {
  if (target.address.tls.mode !== 'prefer') return openOnce(target, host, limits, false)
  try {
    const client = await openOnce(target, host, limits, false)
    host.isPlain = false
    return client
  } catch (error) {
    if (!isWithoutTls(error)) throw error
    const client = await openOnce(target, host, limits, true)
    host.isPlain = true
    return client
  }
}

const isWithoutTls = (error: unknown) =>
  error instanceof Error && /does not support SSL connections/.test(error.message)

async function openOnce(
  target: ServerTarget,
  host: ServerHost,
  { connectMs, queryMs }: ConnectLimits,
  isPlain: boolean,
): Promise<ServerClient> {
  const config = { ...target.createConfig(host, isPlain), connectionTimeoutMillis: connectMs, query_timeout: queryMs }
  const client = new ServerClient(config, host)
  // Without a listener, an error of an idle connection would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await requireUsable(target, client)
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
}

/** Throws ServerConnectionError if the target needs a server that accepts writes and this one does not. */
export async function requireUsable({ address }: ServerTarget, client: ClientBase): Promise<void> {
  if (!address.requiresWritable) return
  const state = await readServerState(client)
  if (state !== 'writable')
    throw new ServerConnectionError(state === 'standby' ? 'the server is a standby' : 'the server is read-only')
}

export async function readServerState(client: ClientBase): Promise<'writable' | 'standby' | 'read-only'> {
  const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(serverStateQuery)
  return rows[0]?.isStandby ? 'standby' : rows[0]?.isReadOnly ? 'read-only' : 'writable'
}

const serverStateQuery = `select pg_is_in_recovery() as "isStandby",
  current_setting('default_transaction_read_only')::boolean as "isReadOnly"`
