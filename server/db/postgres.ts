/** The database as a server of its own: many nodes, fsync, backups by its own tools. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client, escapeIdentifier, type Pool } from 'pg'
import type { Logger } from 'pino'
import { type Config, StartProblem } from '#server/config/config.ts'
import { Announcements } from '#server/db/channels.ts'
import type { Database } from '#server/db/handle.ts'
import { migrate } from '#server/db/migrate.ts'
import { makePool, overPool } from '#server/db/pool.ts'
import { limits } from '#server/db/transaction.ts'

const connections = 20

export async function openPostgres(config: Config, databaseUrl: string, log: Logger): Promise<Database> {
  const migrated = await migrateAt(config.migrateDatabaseUrl ?? databaseUrl, log)
  if (config.migrateDatabaseUrl === null)
    log.warn('MIGRATE_DATABASE_URL is not set, so the login that serves requests may also change the schema')

  const first = firstPool(databaseUrl, log)
  try {
    await checkLogin(first, log)
  } finally {
    await first.end()
  }
  const pool = makePool(poolConfig(databaseUrl), log)
  const ears = listenOn(databaseUrl, log)
  const kysely = overPool(pool)
  return {
    engine: 'postgres',
    migrated,
    kysely,
    hasFreeSpace: () => true,
    dumpTo: null,
    async announce(channel, message) {
      await pool.query('select pg_notify($1, $2)', [channel, message])
    },
    listen: ears.listen,
    async close() {
      await ears.close()
      await kysely.destroy()
      // Where nothing was ever asked.
      if (!pool.ended) await pool.end()
    },
  }
}

const poolConfig = (connectionString: string) => ({
  connectionString,
  max: connections,
  connectionTimeoutMillis: limits.queue,
  application_name: 'portal',
})

/** A machine that has just come up may be slow: nobody waits for an answer yet, so that the start may. Refused is refused at once. */
const startPatience = 30_000

const firstPool = (databaseUrl: string, log: Logger) =>
  makePool({ ...poolConfig(databaseUrl), max: 1, connectionTimeoutMillis: startPatience }, log)

async function migrateAt(databaseUrl: string, log: Logger): Promise<string[]> {
  const pool = firstPool(databaseUrl, log)
  const kysely = overPool(pool)
  try {
    // Asked first, so that a wrong address is told as such and not as a failed migration.
    await pool.query('select 1')
    const ran = await migrate(kysely)
    if (ran.length > 0) log.info({ migrations: ran }, 'the database was brought up to date')
    return ran
  } catch (error) {
    throw error instanceof StartProblem ? error : unreachable(databaseUrl, error)
  } finally {
    await kysely.destroy()
  }
}

/** Names the place, never the password. */
function unreachable(databaseUrl: string, error: unknown): StartProblem {
  const { host, pathname } = new URL(databaseUrl)
  // A name that resolves to several addresses fails as a bundle without a message of its own.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const reason = first instanceof Error ? first.message : String(first)
  return new StartProblem(`The database at ${host}${pathname} cannot be used: ${reason}.`, { cause: error })
}

/** The login must be able to put on both roles; that it could do more is worth a warning (S-83). */
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
  if (login.mighty) log.warn('the login of DATABASE_URL is a superuser or bypasses row-level security; use a plain one')
}

/** One connection of its own that hears; it is made anew when it breaks, and nobody waits for it. */
function listenOn(databaseUrl: string, log: Logger) {
  const ears = new Announcements()
  const channels = new Set<string>()
  let client: Client | null = null
  let isClosed = false
  const closing = Promise.withResolvers<void>()

  async function connect(): Promise<void> {
    while (!isClosed) {
      const next = new Client({ connectionString: databaseUrl, application_name: 'portal-listen', keepAlive: true })
      next.on('notification', ({ channel, payload }) => ears.tell(channel, payload ?? ''))
      const isLost = new Promise<void>((lost) => {
        next.on('error', () => lost())
        next.on('end', () => lost())
      })
      try {
        await next.connect()
        client = next
        for (const channel of channels) await next.query(`listen ${escapeIdentifier(channel)}`)
        // One that was closed while it was being made would keep the process from its end.
        await Promise.race([isLost, closing.promise])
      } catch (error) {
        log.warn({ err: error }, 'the connection that hears announcements could not be made')
      }
      client = null
      await next.end().catch(() => undefined)
      if (!isClosed) await wait(1000, undefined, { ref: false })
    }
  }
  let running: Promise<void> | null = null

  return {
    listen(channel: string, hear: (message: string) => void): () => void {
      const isNew = !channels.has(channel)
      channels.add(channel)
      if (!running) running = connect()
      else if (isNew && client) void client.query(`listen ${escapeIdentifier(channel)}`).catch(() => undefined)
      return ears.hear(channel, hear)
    },
    async close(): Promise<void> {
      isClosed = true
      closing.resolve()
      if (client) await running
    },
  }
}
