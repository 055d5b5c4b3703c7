/** Opens PostgreSQL as a separate server. Several nodes can share it, it syncs commits to the disk, and it has its own backup tools. */
import type { Logger } from 'pino'
import type { Config } from '#server/config/config.ts'
import type { Database } from '#server/db/database.ts'
import { createPoolKysely } from '#server/db/pool.ts'
import { createChannelListener, listenTimingsMs } from '#server/db/channel-listener.ts'
import { connectToServer } from '#server/db/postgres/connect.ts'
import { prepareSchema, startLimits } from '#server/db/postgres-schema.ts'
import { ServerPool, type ServerPoolReports } from '#server/db/postgres/server-pool.ts'
import { silenceTimings } from '#server/db/postgres/silence-watch.ts'
import { createServerTarget, type ServerTarget } from '#server/config/postgres-target.ts'
import { checkNotifications, checkServer, toStartProblem } from '#server/db/postgres/start-checks.ts'
import { transactionTimeoutsMs } from '#server/db/timeouts.ts'

/** Time in ms after the limit of a statement within which its error must arrive. */
const responseMarginMs = 5000

type PostgresConfig = Pick<Config, 'database' | 'listenDatabaseUrl' | 'migrateDatabaseUrl' | 'migrateAtStart'>

const defaultTimings = { silence: silenceTimings, listenMs: listenTimingsMs }

/** Throws StartProblem if the database cannot be used. Tests use shorter timings. */
export async function openPostgres(
  config: PostgresConfig,
  databaseUrl: string,
  log: Logger,
  { silence, listenMs } = defaultTimings,
): Promise<Database> {
  const { poolSize, connectMs, statementMs, lockMs } = config.database
  const target = createServerTarget(databaseUrl, 'portal')
  const listenTarget = createServerTarget(config.listenDatabaseUrl ?? databaseUrl, 'portal-listen')
  const appliedMigrations = await prepareServer(config, databaseUrl, { target, listenTarget }, log)
  const pool = new ServerPool(
    target,
    { max: poolSize, connectMs, maxQueryMs: statementMs + responseMarginMs, silence },
    createPoolReports(log),
  )
  const channelListener = createChannelListener(listenTarget, log, listenMs)
  const kysely = createPoolKysely(pool)
  return {
    engine: 'postgres',
    appliedMigrations,
    poolSize,
    timeoutsMs: { ...transactionTimeoutsMs, queue: connectMs, statement: statementMs, lock: lockMs },
    kysely,
    hasFreeSpace: () => true,
    dumpTo: null,
    async announce(channel, message) {
      await pool.query('select pg_notify($1, $2)', [channel, message])
    },
    listen: channelListener.listen,
    discardConnections: () => pool.discardConnections(),
    async close() {
      await channelListener.close()
      await kysely.destroy()
      // If the pool was never used, Kysely has not ended it.
      if (!pool.ended) await pool.end()
    },
  }
}

const createPoolReports = (log: Logger): ServerPoolReports => ({
  onLost: (error) => log.warn({ event: 'database_connection_lost', err: error }, 'lost a database connection'),
  onSilent: (connectionCount) =>
    log.warn(
      { event: 'database_silent', connections: connectionCount },
      'the database does not respond; its connections were closed',
    ),
  onUnavailable: (error) =>
    log.warn({ event: 'database_unavailable', err: error }, 'could not get a database connection'),
})

interface StartTargets {
  target: ServerTarget
  listenTarget: ServerTarget
}

/** Checks server, schema and login on one connection. Returns the names of the migrations that it ran. Throws StartProblem. */
async function prepareServer(
  config: PostgresConfig,
  databaseUrl: string,
  { target, listenTarget }: StartTargets,
  log: Logger,
): Promise<string[]> {
  try {
    const client = await connectToServer(target, startLimits)
    try {
      await checkServer(client)
      const appliedMigrations = await prepareSchema(config, databaseUrl, { client, target }, log)
      await checkNotifications(
        client,
        listenTarget,
        { isSameAddress: config.listenDatabaseUrl === null, limits: startLimits },
        log,
      ).catch((error: unknown) => {
        throw toStartProblem(error, listenTarget)
      })
      return appliedMigrations
    } finally {
      await client.end().catch(() => undefined)
    }
  } catch (error) {
    throw toStartProblem(error, target)
  }
}
