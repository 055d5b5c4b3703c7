/** Tests a database host that disappears without closing its connections, and the connection that listens. */
import { sql } from 'kysely'
import { expect, inject, it } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { openPostgres } from '#server/db/postgres.ts'
import { listenTimingsMs } from '#server/db/channel-listener.ts'
import { silenceTimings } from '#server/db/postgres/silence-watch.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import { openTcpProxy, type TcpProxy } from '#tests/support/network/tcp-proxy.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { silent, testConfig, testContext } from '#tests/support/server/database.ts'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'

const postgresUrl = inject('postgresUrl') ?? ''

/** A tenth of the real times. */
const shortTimings = {
  silence: { checkMs: 100, silentChecks: 4, probeMs: 350 },
  listenMs: { check: 200, response: 500, retry: 100 },
}

/** Opens a database of its own through a proxy. */
async function useProxiedDatabase(
  name: string,
  env: Record<string, string>,
  work: (database: Database, proxy: TcpProxy) => Promise<void>,
  timings = shortTimings,
): Promise<void> {
  await runAsSuperuser(postgresUrl, 'postgres', [`create database ${name} template ${migratedDatabase}`])
  const proxy = await openTcpProxy(Number(new URL(postgresUrl).port))
  const url = `postgres://postgres@127.0.0.1:${proxy.port}/${name}`
  const database = await openPostgres(testConfig(env), url, silent, timings)
  try {
    await work(database, proxy)
  } finally {
    await database.close()
    await proxy.close()
    await runAsSuperuser(postgresUrl, 'postgres', [`drop database ${name} with (force)`])
  }
}

const getCode = (error: unknown) => (error as { code?: string }).code

/** Returns the times in ms until all requests fail, and until they work again. */
async function measureSilence(database: Database, proxy: TcpProxy): Promise<{ failedMs: number; recoveredMs: number }> {
  const app = testContext(database)
  const read = () => readAsSystem(app, (db) => sql`select 1`.execute(db))
  await Promise.all([read(), read(), read()])
  const startedAt = performance.now()
  // One transaction is in the middle of its work.
  const isFrozen = Promise.withResolvers<void>()
  const writing = writeAsSystem(app, async (db) => {
    proxy.freeze()
    isFrozen.resolve()
    await sql`update catalogue set change = change`.execute(db)
  }).catch(getCode)
  await isFrozen.promise
  const codes = await Promise.all([writing, ...Array.from({ length: 30 }, () => read().catch(getCode))])
  expect(new Set(codes)).toEqual(new Set(['UNAVAILABLE']))
  const failedMs = performance.now() - startedAt
  proxy.thaw()
  const thawedAt = performance.now()
  await expect.poll(() => read().then(() => 'read', getCode)).toBe('read')
  const recoveredMs = performance.now() - thawedAt
  // The connections of the silent time are not used any more.
  await Promise.all(Array.from({ length: 25 }, read))
  return { failedMs, recoveredMs }
}

it.skipIf(!postgresUrl)('requests get 503 soon after the host is silent, and work again when it is back', async () => {
  await useProxiedDatabase('silent_host', { DATABASE_CONNECT_TIMEOUT_SECONDS: '1' }, async (database, proxy) => {
    const { failedMs, recoveredMs } = await measureSilence(database, proxy)
    // Without the watch, a statement waits for its limit of 20 s and a margin.
    expect(failedMs).toBeLessThan(10_000)
    expect(recoveredMs).toBeLessThan(5000)
  })
})

nightly('requests get 503 within 10 s with the real times, and work again within 5 s', async () => {
  const measureRealTimes = async (database: Database, proxy: TcpProxy) => {
    const { failedMs, recoveredMs } = await measureSilence(database, proxy)
    expect(failedMs).toBeLessThan(10_000)
    expect(recoveredMs).toBeLessThan(5000)
  }
  await useProxiedDatabase('silent_night', {}, measureRealTimes, { silence: silenceTimings, listenMs: listenTimingsMs })
})

it.skipIf(!postgresUrl)('a slow statement is not taken for a silent host', async () => {
  await useProxiedDatabase('slow_statement', {}, async (database, proxy) => {
    await readAsSystem(testContext(database), (db) => sql`select pg_sleep(1)`.execute(db))
    const { rows } = await readAsSystem(testContext(database), (db) => sql`select 1 as one`.execute(db))
    expect(rows).toEqual([{ one: 1 }])
    // One connection for the start, one for the pool, and at least one probe.
    expect(proxy.count()).toBeGreaterThanOrEqual(3)
  })
})

nightly('a statement without a response is given up after its limit', async () => {
  const timings = { ...shortTimings, silence: { ...shortTimings.silence, silentChecks: 1_000_000 } }
  await runAsSuperuser(postgresUrl, 'postgres', [`create database lost_reply template ${migratedDatabase}`])
  const proxy = await openTcpProxy(Number(new URL(postgresUrl).port))
  const url = `postgres://postgres@127.0.0.1:${proxy.port}/lost_reply`
  const config = testConfig({ DATABASE_STATEMENT_TIMEOUT_SECONDS: '1' })
  const database = await openPostgres(config, url, silent, timings)
  const startedAt = performance.now()
  const reading = readAsSystem(testContext(database), async (db) => {
    proxy.freeze()
    await sql`select 1`.execute(db)
  }).catch(getCode)
  expect(await reading).toBe('UNAVAILABLE')
  // A second for the statement and five for its response.
  expect(performance.now() - startedAt).toBeGreaterThan(5900)
  await proxy.close()
  await database.close()
  await runAsSuperuser(postgresUrl, 'postgres', ['drop database lost_reply with (force)'])
})

it.skipIf(!postgresUrl)(
  'the listening connection is opened again when it is silent, and its users are notified',
  async () => {
    await useProxiedDatabase('silent_listener', {}, async (database, proxy) => {
      const received: string[] = []
      let missedCount = 0
      database.listen(
        'changes',
        (message) => received.push(message),
        () => (missedCount += 1),
      )
      const isReceived = async () => {
        await runAsSuperuser(postgresUrl, 'silent_listener', ["select pg_notify('changes', 'message')"])
        return received.length > 0
      }
      await expect.poll(isReceived).toBe(true)
      const countBefore = proxy.count()
      proxy.freeze()
      // A check and the attempts to connect again.
      await expect.poll(() => proxy.count()).toBeGreaterThan(countBefore)
      expect(missedCount).toBe(0)
      proxy.thaw()
      received.splice(0)
      await expect.poll(() => missedCount).toBeGreaterThan(0)
      await expect.poll(isReceived).toBe(true)
    })
  },
)
