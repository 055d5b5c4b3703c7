/**
 * Readers that are slow or leave: what waits for them holds no connection, and one user and one company have so many downloads at a
 * time, of which each frees its slot in the end (decision 58).
 */
import { connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import { onConnections, pastPolicies } from '#tests/support/server/database.ts'
import { type Download, download, openDownload } from '#tests/support/server/download.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

const at = Date.parse('2026-03-10T04:00:00Z')
const days = { dateFrom: '2026-03-10', dateTo: '2026-03-10' }

expectNothingUncaught()

onConnections('slow readers', (engine) => {
  let server: TestServer
  let origin: string
  const people: Record<string, SignedIn> = {}
  const opened: Download[] = []
  beforeAll(async () => {
    server = await startServer({ engine })
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
    origin = `http://127.0.0.1:${(server.fastify.server.address() as AddressInfo).port}`
    for (const who of ['admin@alpha', 'second@alpha', 'admin@beta', 'admin@m18', 'second@m18', 'delete@m18'])
      people[who] = await server.signIn(who)
    // Far more than fits between server and reader: what nobody reads stays open.
    await writeMany(server.app, { companyId: server.world.companies.alpha, count: 4_000, at, apart: 1000 })
    await integrate(server.app)
    await pastPolicies(server.app.database, (db) =>
      sql`update audit_entry set leaf = replace(leaf, '"info":{', '"info":{"filler":"' || repeat('x', 3500) || '",')
        where end_time >= ${at}`.execute(db),
    )
  })
  afterAll(() => server.close())

  const person = (who: string): SignedIn => {
    const found = people[who]
    if (!found) throw new Error(`${who} has not signed in`)
    return found
  }
  const signed = (who: string) => ({ authorization: `Bearer ${person(who).access}` })
  const alpha = () => server.world.companies.alpha
  const csv = (extra: Record<string, string> = {}) =>
    `${origin}/api/systrail/export?${new URLSearchParams({ format: 'csv', ...days, ...extra })}`
  const small = (extra: Record<string, string> = {}) => csv({ dateFrom: '2026-03-12', dateTo: '2026-03-12', ...extra })
  const ofAlpha = () => ({ companyId: String(alpha()) })

  async function keepQuery() {
    const payload = { companyId: null, ...days }
    const opened = await person('admin@alpha').send({ method: 'POST', url: '/api/systrail/keep', payload })
    const { keep, from, to } = opened.json()
    return { format: 'ndjson', keep: String(keep), from: String(from), to: String(to) }
  }

  /** What runs or waits in transactions of the server, but for the one that asks. */
  async function openTransactions(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        and backend_type = 'client backend'`.execute(server.app.database.kysely)
    return rows[0]?.count ?? 0
  }

  async function begin(who: string, url: string): Promise<number> {
    const one = await openDownload(url, signed(who))
    opened.push(one)
    return one.status
  }
  const leaveAll = () => {
    for (const one of opened.splice(0)) one.leave()
  }
  /** An export that is read to its end, as soon as there is a slot for it. */
  const isFree = (who: string, url: string) =>
    expect.poll(async () => (await download(url, signed(who))).status, { timeout: 10_000 }).toBe(200)

  it('fault 1g are two of one user: the third is told so, and when to try again, in their language', async () => {
    expect([await begin('admin@alpha', csv()), await begin('admin@alpha', csv())]).toEqual([200, 200])
    const refused = await download(csv({ format: 'xlsx' }), signed('admin@alpha'))
    const { errorCode, errorMessage, data } = JSON.parse(refused.body.toString())
    expect([refused.status, errorCode, refused.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '5'])
    expect(data).toEqual({ exportsOf: 'user', most: 2, retry_after: 5 })
    expect(errorMessage).toBe(
      'You already have 2 exports running. Wait until one of them has finished, then try again.',
    )
    const inChinese = await download(csv(), { ...signed('admin@alpha'), 'accept-language': 'zh-CN' })
    expect(JSON.parse(inChinese.body.toString()).errorMessage).toBe(
      '您已有 2 个导出任务正在进行。请等其中一个完成后再试。',
    )
    // Nobody else is kept from theirs, nor this user from anything else.
    expect((await download(small(), signed('admin@beta'))).status).toBe(200)
    expect((await person('admin@alpha').send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    leaveAll()
    await isFree('admin@alpha', small())
  })

  it('fault 1g are four of one company', async () => {
    for (const who of ['admin@m18', 'admin@m18', 'second@m18', 'second@m18'])
      expect(await begin(who, csv(ofAlpha()))).toBe(200)
    const refused = await download(csv(ofAlpha()), signed('delete@m18'))
    expect([refused.status, JSON.parse(refused.body.toString()).errorMessage]).toEqual([
      429,
      'Your company already has 4 exports running. Wait until one of them has finished, then try again.',
    ])
    expect((await download(small(), signed('admin@alpha'))).status).toBe(200)
    leaveAll()
    await isFree('delete@m18', small(ofAlpha()))
  })

  describe('fault 1h free their slots', () => {
    it('when they are read to the end, one after the other on one connection', async () => {
      for (let n = 0; n < 5; n++) await isFree('admin@alpha', small())
    })

    it('when they are refused or fail', async () => {
      for (let n = 0; n < 5; n++) {
        const query = new URLSearchParams({ format: 'ndjson', keep: 'nobodysaidso' })
        expect((await download(`${origin}/api/systrail/export?${query}`, signed('admin@alpha'))).status).toBe(403)
        expect((await download(csv({ companyId: '99999' }), signed('admin@alpha'))).status).toBe(404)
      }
    })

    it('when the reader leaves, also one whose response still waits behind another', async () => {
      const { pathname, search, port } = new URL(csv())
      const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${signed('admin@alpha').authorization}\r\n\r\n`
      for (let n = 0; n < 2; n++) {
        const socket = connect(Number(port), '127.0.0.1')
        socket.write(request + request)
        await once(socket, 'readable')
        socket.destroy()
        await isFree('admin@alpha', small())
      }
      // Both are free again, and not one of them.
      await expect
        .poll(async () => {
          const statuses = await Promise.all([begin('admin@alpha', csv()), begin('admin@alpha', csv())])
          leaveAll()
          return statuses
        })
        .toEqual([200, 200])
    })
  })

  it('fault 1g are counted by kind: an export keeps no device from what it fetches by itself', async () => {
    await expect.poll(() => begin('admin@alpha', csv())).toBe(200)
    await expect.poll(() => begin('admin@alpha', csv())).toBe(200)
    const kept = await keepQuery()
    const query = new URLSearchParams({ ...kept, to: String(Number(kept.from) + 10) })
    expect((await download(`${origin}/api/systrail/export?${query}`, signed('admin@alpha'))).status).toBe(200)
    const list = `${origin}/api/m18s/company/${alpha()}/users?since=`
    const headers = { ...signed('admin@alpha'), accept: 'application/x-ndjson' }
    expect((await download(list, headers)).status).toBe(200)
    leaveAll()
  })

  it.skipIf(engine === 'embedded')(
    'fault 1f hold no transaction, and are cut off where the next piece cannot be read',
    async () => {
      const query = new URLSearchParams(await keepQuery())
      const readers = await Promise.all(
        [csv(), `${origin}/api/systrail/export?${query}`].map((url) => openDownload(url, signed('admin@alpha'))),
      )
      expect(readers.map(({ status }) => status)).toEqual([200, 200])
      await expect.poll(openTransactions).toBe(0)
      await server.app.database.kysely.transaction().execute(async (db) => {
        await sql`lock table audit_leaf in access exclusive mode`.execute(db)
        const [file, lines] = await Promise.all(readers.map((reader) => reader.rest()))
        expect([file?.isComplete, lines?.isComplete]).toEqual([false, false])
        expect(lines?.body.toString()).not.toContain('"count"')
      })
      expect((await download(small(), signed('admin@alpha'))).status).toBe(200)
    },
  )

  it('fault 1i are cut off when the server closes: a file that ended there would be taken for the complete one', async () => {
    const reader = await openDownload(csv(), signed('admin@alpha'))
    const closed = server.fastify.close()
    const received = await reader.rest()
    expect([received.status, received.isComplete]).toEqual([200, false])
    await closed
  })
})
