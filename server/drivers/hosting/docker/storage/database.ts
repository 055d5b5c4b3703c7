/**
 * A PostgreSQL database and a login of the same name for each hosted service, on the server of SERVICE_DATABASE_URL. The login of that
 * address needs CREATEDB and CREATEROLE, and need not be a superuser.
 */
import { type Client, escapeIdentifier, escapeLiteral } from 'pg'
import { describePostgresHost, parsePostgresAddress } from '#server/config/postgres-address.ts'
import { withAdminConnection } from '#server/drivers/hosting/docker/storage/admin-connection.ts'
import { buildPasswordVerifier } from '#server/drivers/hosting/docker/storage/password-verifier.ts'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'

export interface DatabaseLogin {
  /** Name of the database and of the login. */
  name: string
  password: string
}

const maxConnections = 50
/**
 * PostgreSQL silently cuts longer names, so that two of them would be the same. Clients differ in how they decode other characters of an
 * address.
 */
const namePattern = /^[a-z][\w-]{0,62}$/i
const systemNames = ['postgres', 'template0', 'template1']
/** Comment of the logins that this file creates. Others belong to somebody else, and are never changed. */
const loginComment = 'hosted service of the portal'

/**
 * Creates the database and its login, or sets the password of the existing one. Nobody but its login, and the owner of the server, may
 * connect to the database. Returns its address, with the hosts and TLS settings of `adminUrl`. Calls at the same time do not disturb each
 * other. Throws HostingError.
 */
export async function createServiceDatabase(adminUrl: string, login: DatabaseLogin): Promise<string> {
  const { name, password } = login
  requireSafeName(name)
  if (!/^[\x21-\x7e]{8,200}$/.test(password))
    throw new HostingError('bad_data', 'the password of a database must have 8 to 200 ASCII characters without spaces')
  return await withAdminConnection(adminUrl, async (client) => {
    await requireRights(client)
    await lockName(client, name)
    await createLogin(client, login)
    await createDatabase(client, name)
    return buildServiceUrl(adminUrl, login)
  })
}

/** Closes all connections to the database, and deletes it and its login. Does nothing if neither exists. Throws HostingError. */
export async function dropServiceDatabase(adminUrl: string, name: string): Promise<void> {
  requireSafeName(name)
  await withAdminConnection(adminUrl, async (client) => {
    await lockName(client, name)
    const hasLogin = await requireOwnLogin(client, name)
    await requireOwnDatabase(client, name)
    const escapedName = escapeIdentifier(name)
    // A database cannot be dropped by force while autovacuum works in it, unless by a superuser. Without force PostgreSQL ends autovacuum itself,
    // and waits some seconds for the connections that are being closed.
    if (hasLogin) await client.query(`alter role ${escapedName} nologin`)
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = $1 and pg_has_role(current_user, usesysid, 'usage')`,
      [name],
    )
    await client.query(`drop database if exists ${escapedName}`)
    await client.query(`drop role if exists ${escapedName}`)
  })
}

/** Throws HostingError. */
export async function hasServiceDatabase(adminUrl: string, name: string): Promise<boolean> {
  requireSafeName(name)
  return await withAdminConnection(adminUrl, async (client) => {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [name])
    return rows.length > 0
  })
}

function requireSafeName(name: string): void {
  if (namePattern.test(name) && !systemNames.includes(name) && !name.startsWith('pg_')) return
  throw new HostingError('bad_data', `${JSON.stringify(name)} cannot be the name of a service's database`)
}

async function requireRights(client: Client): Promise<void> {
  const { rows } = await client.query<{ login: string; mayCreate: boolean }>(
    `select rolname as login, rolsuper or (rolcreatedb and rolcreaterole) as "mayCreate"
      from pg_roles where rolname = current_user`,
  )
  const [{ login = '', mayCreate = false } = {}] = rows
  if (mayCreate) return
  const statement = `alter role ${escapeIdentifier(login)} createdb createrole`
  throw new HostingError(
    'unreachable',
    `the login of SERVICE_DATABASE_URL may not create databases and logins: execute ${statement}`,
  )
}

/** Two changes of one role or of one database at the same time would fail. The lock ends with the connection. */
async function lockName(client: Client, name: string): Promise<void> {
  await client.query("select pg_advisory_lock(hashtext('portal: databases of services'), hashtext($1))", [name])
}

async function createLogin(client: Client, { name, password }: DatabaseLogin): Promise<void> {
  const role = escapeIdentifier(name)
  // The server gets no readable password, which it could write to its log.
  const verifier = escapeLiteral(buildPasswordVerifier(password))
  const options = `login password ${verifier} connection limit ${maxConnections}`
  const isExisting = await requireOwnLogin(client, name)
  // Both statements are one transaction.
  await client.query(
    isExisting
      ? `alter role ${role} ${options}`
      : `create role ${role} ${options}; comment on role ${role} is ${escapeLiteral(loginComment)}`,
  )
  // Only a member may create a database that the login owns. Superusers are members of all.
  const { rows } = await client.query<{ isMember: boolean }>(
    `select pg_has_role(current_user, $1, 'usage') as "isMember"`,
    [name],
  )
  if (!rows[0]?.isMember) await client.query(`grant ${role} to current_user`)
}

/** Returns whether the login exists. Throws if it belongs to somebody else. */
async function requireOwnLogin(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ comment: string | null }>(
    `select shobj_description(oid, 'pg_authid') as comment from pg_roles where rolname = $1`,
    [name],
  )
  const [login] = rows
  if (login && login.comment !== loginComment)
    throw new HostingError('bad_data', `the login ${JSON.stringify(name)} exists and does not belong to a service`)
  return login !== undefined
}

async function createDatabase(client: Client, name: string): Promise<void> {
  const database = escapeIdentifier(name)
  if (!(await requireOwnDatabase(client, name)))
    await client.query(`create database ${database} owner ${database} template template0`)
  await client.query(`revoke all on database ${database} from public`)
}

/** Returns whether the database exists. Throws if it does not belong to the login of its name. */
async function requireOwnDatabase(client: Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ owner: string }>(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
    [name],
  )
  const [database] = rows
  if (database && database.owner !== name)
    throw new HostingError('bad_data', `the database ${JSON.stringify(name)} exists and does not belong to a service`)
  return database !== undefined
}

const inheritedParameters = ['ssl', 'sslmode', 'sslrootcert', 'target_session_attrs']

/**
 * Keeps what the service needs to reach and verify the server, as the operator wrote it. The client certificate stays here: it identifies
 * the login of the operator.
 */
function buildServiceUrl(adminUrl: string, { name, password }: DatabaseLogin): string {
  const { hosts } = parsePostgresAddress(adminUrl)
  const parameters = (adminUrl.trim().split('?')[1] ?? '')
    .split('&')
    .filter((pair) => inheritedParameters.includes(pair.split('=', 1)[0] ?? ''))
  const credentials = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`
  const authority = hosts.map(describePostgresHost).join(',')
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`
  return `postgres://${credentials}@${authority}/${encodeURIComponent(name)}${query}`
}
