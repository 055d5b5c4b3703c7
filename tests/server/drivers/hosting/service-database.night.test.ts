/** Tests what takes a PostgreSQL of its own: the database of a service is dropped while autovacuum works in it. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createServiceDatabase,
  dropServiceDatabase,
  hasServiceDatabase,
} from '#server/drivers/hosting/docker/storage/database.ts'
import { postgresBin, runAsSuperuser, startCluster } from '#tests/support/server/postgres.ts'

const bin = postgresBin()
if (bin === null) throw new Error('PostgreSQL is not installed')

let cluster: Awaited<ReturnType<typeof startCluster>>
beforeAll(async () => {
  cluster = await startCluster(bin)
  await runAsSuperuser(cluster.url, 'postgres', [
    "create role service_admin login createdb createrole password 'admin'",
    "alter system set autovacuum_naptime = '1s'",
    'select pg_reload_conf()',
  ])
})
afterAll(async () => await cluster.stop())

it('The database of a service is dropped while autovacuum works in it, and while a client is connected', async () => {
  const adminUrl = cluster.url.replace('postgres@', 'service_admin:admin@')
  const login = { name: 'vacuumed', password: 'a-password' }
  const client = new Client({ connectionString: await createServiceDatabase(adminUrl, login) })
  const endPromise = new Promise<void>((resolve) => client.on('error', () => resolve()))
  await client.connect()
  // The costs let autovacuum work for minutes.
  await client.query(`create table items (id integer) with (
    autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`)
  await client.query('insert into items select generate_series(1, 200000)')
  await client.query('delete from items where id % 2 = 0')
  const countWorkers = async () => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
        where datname = 'vacuumed' and backend_type = 'autovacuum worker' and query like '%items%'`,
    )
    return rows[0]?.count
  }
  await runAsSuperuser(cluster.url, 'postgres', ['grant pg_read_all_stats to vacuumed'])
  await expect.poll(countWorkers, { timeout: 60_000 }).toBe(1)
  await dropServiceDatabase(adminUrl, login.name)
  await endPromise
  expect(await hasServiceDatabase(adminUrl, login.name)).toBe(false)
}, 120_000)
