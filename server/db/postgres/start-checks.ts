/** Checks at the start that the server, the login and the connections are usable. Each problem is one sentence. */
import { randomUUID } from 'node:crypto'
import { type ClientBase, escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { StartProblem } from '#server/config/config.ts'
import { describePostgresAddress } from '#server/config/postgres-address.ts'
import { type ConnectLimits, connectToServer, getReason, readServerState } from '#server/db/postgres/connect.ts'
import type { ServerClient } from '#server/db/postgres/server-client.ts'
import type { ServerTarget } from '#server/config/postgres-target.ts'

const minVersion = 15

/** Time in ms within which a notification must arrive. */
const notificationMs = 2000

/** Returns a StartProblem that contains the address but never the password. Returns a StartProblem as it is. */
export function toStartProblem(error: unknown, { address }: Pick<ServerTarget, 'address'>): StartProblem {
  if (error instanceof StartProblem) return error
  const reason = describeReason(error).replaceAll(/\s+/g, ' ').replace(/\.$/, '')
  return new StartProblem(`Could not use the database at ${describePostgresAddress(address)}: ${reason}.`, {
    cause: error,
  })
}

function describeReason(error: unknown): string {
  const { code: errorCode } = error as { code?: unknown }
  const code = typeof errorCode === 'string' ? errorCode : ''
  const reason = getReason(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its host name cannot be resolved (${reason})`
  if (/client password must be a string/.test(reason)) return 'it needs a password, but the address has none'
  if (/does not support SSL connections/.test(reason))
    return 'it does not offer TLS: turn on ssl in PostgreSQL, or set sslmode=disable'
  if (isCertificateCode(code))
    return `its certificate was not accepted (${reason}): check sslrootcert and the host name, or sslmode`
  if (/timeout expired|timeout exceeded|connection timeout|Query read timeout/.test(reason))
    return 'it does not respond'
  return reason
}

/** Returns whether the code is one of those with which Node refuses a certificate. */
const isCertificateCode = (code: string) => /CERT|ISSUER|LEAF_SIGNATURE|CRL|CA_/.test(code)

/** Throws an error, for `toStartProblem`, if the server is too old, a standby, or read-only. */
export async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number; text: string }>(
    "select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_version') as text",
  )
  const [server] = rows
  if (server && server.version < minVersion)
    throw new Error(`it is PostgreSQL ${server.text}, but version ${minVersion} or newer is needed`)
  const state = await readServerState(client)
  if (state === 'standby') throw new Error('it is a standby, which accepts no writes: use the address of the primary')
  if (state === 'read-only') throw new Error('it accepts no writes (default_transaction_read_only is on)')
}

/** Throws StartProblem if the login is not a member of both roles. Logs a warning if the login has more rights (S-83). */
export async function checkLogin(client: ClientBase, log: Logger): Promise<void> {
  const { rows } = await client.query<{ login: string; member: boolean; mighty: boolean }>(`
    select current_user as login,
      coalesce((select bool_and(pg_has_role(current_user, oid, 'member')) and count(*) = 2 from pg_roles
        where rolname in ('portal_app', 'portal_system')), false) as member,
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as mighty`)
  const [login] = rows
  if (!login?.member)
    throw new StartProblem(
      `The login ${login?.login} of DATABASE_URL must be a member of portal_app and portal_system: ` +
        `grant portal_app, portal_system to ${escapeIdentifier(login?.login ?? '')}.`,
    )
  if (login.mighty)
    log.warn(
      { event: 'database_login_too_powerful' },
      'the login of DATABASE_URL is a superuser or bypasses row-level security; use an ordinary login',
    )
}

/**
 * Logs a warning if notifications do not arrive, because a pooler gives each transaction another connection, or because the listening
 * address is another database. `client` is connected to the address of the transactions.
 */
export async function checkNotifications(
  client: ServerClient,
  listenTarget: ServerTarget,
  { isSameAddress, limits }: { isSameAddress: boolean; limits: ConnectLimits },
  log: Logger,
): Promise<void> {
  // Without a pooler, both ends agree on the id of the server process, and a connection stays the same.
  if (isSameAddress && (await isDirect(client))) return
  const listener = await connectToServer(listenTarget, limits)
  try {
    if (await receivesNotification(client, listener)) return
  } finally {
    listener.connection.stream.destroy()
  }
  log.warn(
    { event: 'transaction_pooler_detected' },
    'notifications do not arrive; set LISTEN_DATABASE_URL to an address of the same database without a transaction pooler',
  )
}

async function isDirect(client: ServerClient): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid === (client as unknown as { processID: number | null }).processID
}

async function receivesNotification(client: ServerClient, listener: ServerClient): Promise<boolean> {
  const channel = `portal_start_${randomUUID()}`
  const received = new Promise<boolean>((resolve) => {
    listener.on('notification', (notification) => notification.channel === channel && resolve(true))
    setTimeout(() => resolve(false), notificationMs).unref()
  })
  await listener.query(`listen ${escapeIdentifier(channel)}`)
  await client.query('select pg_notify($1, $2)', [channel, ''])
  return received
}
