/**
 * Tests slow and disconnected readers (decision 58). They hold no database connection, a user and a company can have only a few downloads
 * at a time, and each download frees its slot in the end.
 */
import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { onConnections, bypassPolicies } from '#tests/support/server/database.ts'
import { type Download, download, openDownload } from '#tests/support/server/download.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

const startAt = Date.parse('2026-03-10T04:00:00Z')
const dateRange = { dateFrom: '2026-03-10', dateTo: '2026-03-10' }

expectNothingUncaught()

onConnections('downloads with slow readers', (engine) => {
  let server: TestServer
  let origin: string
  const usersByName: Record<string, SignedIn> = {}
  const openedDownloads: Download[] = []
  beforeAll(async () => {
    server = await startServer({ engine })
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
    origin = `http://127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
    for (const userName of ['admin@alpha', 'second@alpha', 'admin@beta', 'admin@m18', 'second@m18', 'delete@m18'])
      usersByName[userName] = await server.signIn(userName)
    // This is much more than the network buffers hold, so a download that nobody reads stays open.
    await writeGeneratedEntries(server.app, {
      companyId: server.world.companies.alpha,
      count: 4_000,
      startAt,
      intervalMs: 1000,
    })
    await integrate(server.app)
    await bypassPolicies(server.app.database, (db) =>
      sql`update audit_entry set leaf = replace(leaf, '"info":{', '"info":{"filler":"' || repeat('x', 3500) || '",')
        where end_time >= ${startAt}`.execute(db),
    )
  })
  afterAll(() => server.close())

  const getUser = (userName: string): SignedIn => {
    const user = usersByName[userName]
    if (!user) throw new Error(`${userName} has not signed in`)
    return user
  }
  const createAuthorization = (userName: string) => ({ authorization: `Bearer ${getUser(userName).accessToken}` })
  const getAlphaId = () => server.world.companies.alpha
  const buildCsvUrl = (extraQuery: Record<string, string> = {}) =>
    `${origin}/api/systrail/export?${new URLSearchParams({ format: 'csv', ...dateRange, ...extraQuery })}`
  const buildSmallUrl = (extraQuery: Record<string, string> = {}) =>
    buildCsvUrl({ dateFrom: '2026-03-12', dateTo: '2026-03-12', ...extraQuery })
  const createAlphaQuery = () => ({ companyId: String(getAlphaId()) })

  async function startTrailStorage() {
    const payload = { companyId: null, ...dateRange }
    const response = await getUser('admin@alpha').send({ method: 'POST', url: '/api/systrail/keep', payload })
    const { keep, from, to } = response.json()
    return { format: 'ndjson', keep: String(keep), from: String(from), to: String(to) }
  }

  /** Counts the running and idle transactions of the server, except the transaction of this query. */
  async function countOpenTransactions(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        and backend_type = 'client backend'`.execute(server.app.database.kysely)
    return rows[0]?.count ?? 0
  }

  async function startDownload(userName: string, url: string): Promise<number> {
    const startedDownload = await openDownload(url, createAuthorization(userName))
    openedDownloads.push(startedDownload)
    return startedDownload.status
  }
  const abortAll = () => {
    for (const download of openedDownloads.splice(0)) download.abort()
  }
  /** Expects that an export can be downloaded completely as soon as it gets a slot. */
  const expectFree = (userName: string, url: string) =>
    expect.poll(async () => (await download(url, createAuthorization(userName))).status, { timeout: 10_000 }).toBe(200)

  it("are limited to two per user: the third gets 429 in the user's language (fault 1g)", async () => {
    expect([
      await startDownload('admin@alpha', buildCsvUrl()),
      await startDownload('admin@alpha', buildCsvUrl()),
    ]).toEqual([200, 200])
    const refusedDownload = await download(buildCsvUrl({ format: 'xlsx' }), createAuthorization('admin@alpha'))
    const { errorCode, errorMessage, data } = JSON.parse(refusedDownload.body.toString())
    expect([refusedDownload.status, errorCode, refusedDownload.headers['retry-after']]).toEqual([
      429,
      'RATE_LIMITED',
      '5',
    ])
    expect(data).toEqual({ exportsOf: 'user', most: 2, retry_after: 5 })
    expect(errorMessage).toBe(
      'You already have 2 exports running. Wait until one of them has finished, then try again.',
    )
    const chineseDownload = await download(buildCsvUrl(), {
      ...createAuthorization('admin@alpha'),
      'accept-language': 'zh-CN',
    })
    expect(JSON.parse(chineseDownload.body.toString()).errorMessage).toBe(
      '您已有 2 个导出任务正在进行。请等其中一个完成后再试。',
    )
    // Other users can download, and this user can send other requests.
    expect((await download(buildSmallUrl(), createAuthorization('admin@beta'))).status).toBe(200)
    expect((await getUser('admin@alpha').send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    abortAll()
    await expectFree('admin@alpha', buildSmallUrl())
  })

  it('are limited to four per company (fault 1g)', async () => {
    for (const userName of ['admin@m18', 'admin@m18', 'second@m18', 'second@m18'])
      expect(await startDownload(userName, buildCsvUrl(createAlphaQuery()))).toBe(200)
    const refusedDownload = await download(buildCsvUrl(createAlphaQuery()), createAuthorization('delete@m18'))
    expect([refusedDownload.status, JSON.parse(refusedDownload.body.toString()).errorMessage]).toEqual([
      429,
      'Your company already has 4 exports running. Wait until one of them has finished, then try again.',
    ])
    expect((await download(buildSmallUrl(), createAuthorization('admin@alpha'))).status).toBe(200)
    abortAll()
    await expectFree('delete@m18', buildSmallUrl(createAlphaQuery()))
  })

  describe('free their slots (fault 1h)', () => {
    it('after each complete download on one connection', async () => {
      for (let n = 0; n < 5; n++) await expectFree('admin@alpha', buildSmallUrl())
    })

    it('after a refused or failed download', async () => {
      for (let n = 0; n < 5; n++) {
        const query = new URLSearchParams({ format: 'ndjson', keep: 'nobodysaidso' })
        expect(
          (await download(`${origin}/api/systrail/export?${query}`, createAuthorization('admin@alpha'))).status,
        ).toBe(403)
        expect((await download(buildCsvUrl({ companyId: '99999' }), createAuthorization('admin@alpha'))).status).toBe(
          404,
        )
      }
    })

    it('after the reader disconnects, even if its response still waits behind another response', async () => {
      const { pathname, search, port } = new URL(buildCsvUrl())
      const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${createAuthorization('admin@alpha').authorization}\r\n\r\n`
      for (let n = 0; n < 2; n++) {
        const socket = connect(Number(port), '127.0.0.1')
        socket.write(request + request)
        await once(socket, 'readable')
        socket.destroy()
        await expectFree('admin@alpha', buildSmallUrl())
      }
      // Both slots are free again, not only one.
      await expect
        .poll(async () => {
          const statuses = await Promise.all([
            startDownload('admin@alpha', buildCsvUrl()),
            startDownload('admin@alpha', buildCsvUrl()),
          ])
          abortAll()
          return statuses
        })
        .toEqual([200, 200])
    })
  })

  it('are limited per kind: exports do not block downloads that devices start by themselves (fault 1g)', async () => {
    await expect.poll(() => startDownload('admin@alpha', buildCsvUrl())).toBe(200)
    await expect.poll(() => startDownload('admin@alpha', buildCsvUrl())).toBe(200)
    const storageQuery = await startTrailStorage()
    const query = new URLSearchParams({ ...storageQuery, to: String(Number(storageQuery.from) + 10) })
    expect((await download(`${origin}/api/systrail/export?${query}`, createAuthorization('admin@alpha'))).status).toBe(
      200,
    )
    const list = `${origin}/api/m18s/company/${getAlphaId()}/users?since=`
    const headers = { ...createAuthorization('admin@alpha'), accept: 'application/x-ndjson' }
    expect((await download(list, headers)).status).toBe(200)
    abortAll()
  })

  it.skipIf(engine === 'embedded')(
    'hold no transaction, and are cut off if the next piece cannot be read (fault 1f)',
    async () => {
      const query = new URLSearchParams(await startTrailStorage())
      const readers = await Promise.all(
        [buildCsvUrl(), `${origin}/api/systrail/export?${query}`].map((url) =>
          openDownload(url, createAuthorization('admin@alpha')),
        ),
      )
      expect(readers.map(({ status }) => status)).toEqual([200, 200])
      await expect.poll(countOpenTransactions).toBe(0)
      await server.app.database.kysely.transaction().execute(async (db) => {
        await sql`lock table audit_leaf in access exclusive mode`.execute(db)
        const [file, lines] = await Promise.all(readers.map((reader) => reader.readRest()))
        expect([file?.isComplete, lines?.isComplete]).toEqual([false, false])
        expect(lines?.body.toString()).not.toContain('"count"')
      })
      expect((await download(buildSmallUrl(), createAuthorization('admin@alpha'))).status).toBe(200)
    },
  )

  it('are cut off when the server closes, so that no partial file looks complete (fault 1i)', async () => {
    const reader = await openDownload(buildCsvUrl(), createAuthorization('admin@alpha'))
    const closePromise = server.fastify.close()
    const result = await reader.readRest()
    expect([result.status, result.isComplete]).toEqual([200, false])
    await closePromise
  })
})
