/** Opens PostgreSQL as a separate server. Several nodes can share it, it syncs commits to the disk, and it has its own backup tools. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client, escapeIdentifier, type Pool } from 'pg'
import type { Logger } from 'pino'
import { type Config, StartProblem } from '#server/config/config.ts'
import { Announcements } from '#server/db/announcements.ts'
import type { Database } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { createPool, createPoolKysely } from '#server/db/pool.ts'
import { transactionTimeoutsMs } from '#server/db/transaction.ts'

const maxConnections = 20

export async function openPostgres(config: Config, databaseUrl: string, log: Logger): Promise<Database> {
  const appliedMigrations = await migrateDatabase(config.migrateDatabaseUrl ?? databaseUrl, log)
  if (config.migrateDatabaseUrl === null)
    log.warn(
      { event: 'migration_login_missing' },
      'MIGRATE_DATABASE_URL is not set: the login that serves requests may also change the schema',
    )

  const startPool = createStartPool(databaseUrl, log)
  try {
    await checkLogin(startPool, log)
  } finally {
    await startPool.end()
  }
  const pool = createPool(createPoolConfig(databaseUrl), log)
  const channelListener = createChannelListener(databaseUrl, log)
  const kysely = createPoolKysely(pool)
  return {
    engine: 'postgres',
    appliedMigrations,
    kysely,
    hasFreeSpace: () => true,
    dumpTo: null,
    async announce(channel, message) {
      await pool.query('select pg_notify($1, $2)', [channel, message])
    },
    listen: channelListener.listen,
    async close() {
      await channelListener.close()
      await kysely.destroy()
      // If the pool was never used, Kysely has not ended it.
      if (!pool.ended) await pool.end()
    },
  }
}

const createPoolConfig = (connectionString: string) => ({
  connectionString,
  max: maxConnections,
  connectionTimeoutMillis: transactionTimeoutsMs.queue,
  application_name: 'portal',
})

/**
 * Maximum wait for a connection at the start, in ms. A database that is just starting may be slow, and no user waits. A refused connection
 * fails without a wait.
 */
const startTimeoutMs = 30_000

const createStartPool = (databaseUrl: string, log: Logger) =>
  createPool({ ...createPoolConfig(databaseUrl), max: 1, connectionTimeoutMillis: startTimeoutMs }, log)

async function migrateDatabase(databaseUrl: string, log: Logger): Promise<string[]> {
  const pool = createStartPool(databaseUrl, log)
  const kysely = createPoolKysely(pool)
  try {
    // Checks the connection first, so that a wrong address is not reported as a failed migration.
    await pool.query('select 1')
    const appliedMigrations = await migrate(kysely)
    if (appliedMigrations.length > 0)
      log.info({ event: 'database_migrated', migrations: appliedMigrations }, 'the database schema was migrated')
    return appliedMigrations
  } catch (error) {
    throw error instanceof StartProblem ? error : createUnreachableProblem(databaseUrl, error)
  } finally {
    await kysely.destroy()
  }
}

/** Returns a StartProblem that contains the address but never the password. */
function createUnreachableProblem(databaseUrl: string, error: unknown): StartProblem {
  const { host, pathname } = new URL(databaseUrl)
  // If a name resolves to several addresses, the error is an AggregateError without its own message.
  const firstError = error instanceof AggregateError ? error.errors[0] : error
  const reason = firstError instanceof Error ? firstError.message : String(firstError)
  return new StartProblem(`Could not use the database at ${host}${pathname}: ${reason}.`, { cause: error })
}

/** Throws StartProblem if the login is not a member of both roles. Logs a warning if the login has more rights (S-83). */
async function checkLogin(pool: Pool, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ login: string; member: boolean; mighty: boolean }>(`
    select current_user as login,
      pg_has_role(current_user, 'portal_app', 'member') and pg_has_role(current_user, 'portal_system', 'member') as member,
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

/** Listens for notifications on a separate connection, and reconnects in the background after an error. */
function createChannelListener(databaseUrl: string, log: Logger) {
  const announcements = new Announcements()
  const channels = new Set<string>()
  let client: Client | null = null
  let isClosed = false
  const closeSignal = Promise.withResolvers<void>()

  async function connect(): Promise<void> {
    while (!isClosed) {
      const newClient = new Client({
        connectionString: databaseUrl,
        application_name: 'portal-listen',
        keepAlive: true,
      })
      newClient.on('notification', ({ channel, payload }) => announcements.notify(channel, payload ?? ''))
      const connectionLostPromise = new Promise<void>((resolve) => {
        newClient.on('error', () => resolve())
        newClient.on('end', () => resolve())
      })
      try {
        await newClient.connect()
        client = newClient
        for (const channel of channels) await newClient.query(`listen ${escapeIdentifier(channel)}`)
        // `closeSignal` may be set while the connection is being opened. Without it, that connection would keep the process alive.
        await Promise.race([connectionLostPromise, closeSignal.promise])
      } catch (error) {
        log.warn(
          { event: 'notification_listener_failed', err: error },
          'could not connect to listen for database notifications; retrying',
        )
      }
      client = null
      await newClient.end().catch(() => undefined)
      if (!isClosed) await wait(1000, undefined, { ref: false })
    }
  }
  let connectionPromise: Promise<void> | null = null

  return {
    listen(channel: string, listener: (message: string) => void): () => void {
      const isNew = !channels.has(channel)
      channels.add(channel)
      if (!connectionPromise) connectionPromise = connect()
      else if (isNew && client) void client.query(`listen ${escapeIdentifier(channel)}`).catch(() => undefined)
      return announcements.subscribe(channel, listener)
    },
    async close(): Promise<void> {
      isClosed = true
      closeSignal.resolve()
      if (client) await connectionPromise
    },
  }
}
