/** Tests that two nodes on one PostgreSQL count requests together (decision 96). */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { buildApp } from '#server/composition/app.ts'
import type { HttpSettings } from '#server/http/http-context.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const minuteMs = 60_000
const hasPostgres = (inject('postgresUrl') ?? null) !== null

describe.skipIf(!hasPostgres)('two nodes on one PostgreSQL', () => {
  // A busy machine must not end the wait for the database.
  const countTimes = { timeoutMs: 60_000, pauseMs: 600_000 }
  const settings = { anonymousPerMinute: 6, writesPerMinute: 4, costlyPerMinute: 3, queriesPerMinute: 3, countTimes }
  let server: TestServer
  let nodes: FastifyInstance[] = []
  beforeAll(async () => {
    server = await startServer({ engine: 'postgres', env: { TRUST_PROXY: '1' } })
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    await sql`truncate request_count`.execute(server.app.database.kysely)
    await openNodes()
  })
  afterEach(closeNodes)

  /** Replaces the nodes, so that nothing is left in their memory. */
  async function openNodes(changes: Partial<HttpSettings> = {}): Promise<void> {
    await closeNodes()
    nodes = [0, 1].map(() => buildApp(server.app, { ...settings, ...changes }))
    await Promise.all(nodes.map((node) => node.ready()))
  }
  async function closeNodes(): Promise<void> {
    await Promise.all(nodes.map((node) => node.close()))
    nodes = []
  }

  const sendFrom = (node: number, address: string, url = '/api/nothing') =>
    getNode(node).inject({ url, headers: { 'x-forwarded-for': address } })
  const getNode = (index: number) => nodes[index] as FastifyInstance
  const readCounts = async () => {
    const { rows } = await sql<{ key: string; count: number }>`select key, count from request_count`.execute(
      server.app.database.kysely,
    )
    return rows
  }
  const countAll = async () => (await readCounts()).reduce((sum, { count }) => sum + count, 0)
  const sendWrite = (node: number, user: SignedIn) =>
    getNode(node).inject({
      method: 'PUT',
      url: `/api/m18s/user/${user.userId}`,
      payload: { title: 1 },
      headers: { authorization: `Bearer ${user.accessToken}`, 'idempotency-key': randomUUID() },
    })

  test('share the limit of an address, and refuse it from memory afterwards', async () => {
    for (let index = 0; index < 6; index++) expect((await sendFrom(index % 2, '203.0.113.1')).statusCode).toBe(404)
    for (const node of [0, 1]) {
      const response = await sendFrom(node, '203.0.113.1')
      expect([response.statusCode, response.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
      expect(Number(response.headers['retry-after'])).toBe(60)
    }
    // Each node has counted one request beyond the limit. A flood reaches the database no more.
    expect(await countAll()).toBe(8)
    for (let index = 0; index < 40; index++) expect((await sendFrom(index % 2, '203.0.113.1')).statusCode).toBe(429)
    expect(await countAll()).toBe(8)
    expect((await sendFrom(1, '203.0.113.2')).statusCode).toBe(404)
  })

  test('share the lower limit of code queries, which are anonymous requests too', async () => {
    const url = '/api/query/code?resource=company&code=x'
    const statuses = []
    for (let index = 0; index < 5; index++) statuses.push((await sendFrom(index % 2, '203.0.113.9', url)).statusCode)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    // A query that is refused does not count as another request.
    for (let index = 0; index < 3; index++) expect((await sendFrom(index % 2, '203.0.113.9')).statusCode).toBe(404)
    expect((await sendFrom(0, '203.0.113.9')).statusCode).toBe(429)
  })

  test('accept the address again when the minute is over, also a node that refused it', async () => {
    for (let index = 0; index < 8; index++) await sendFrom(index % 2, '203.0.113.3')
    server.clock.now += 45_500
    const response = await sendFrom(0, '203.0.113.3')
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '15'])
    server.clock.now += 14_500
    for (let index = 0; index < 6; index++) expect((await sendFrom(index % 2, '203.0.113.3')).statusCode).toBe(404)
    expect((await sendFrom(0, '203.0.113.3')).statusCode).toBe(429)
    // A clock that was set back by an hour does not lengthen the wait.
    server.clock.now -= 60 * minuteMs
    await openNodes()
    expect((await sendFrom(0, '203.0.113.3')).statusCode).toBe(404)
    server.clock.now += 60 * minuteMs
  })

  test('accept exactly the maximum of many requests at the same time', async () => {
    const responses = await Promise.all(
      Array.from({ length: 300 }, (_, index) => sendFrom(index % 2, `203.0.113.${4 + (index % 3)}`)),
    )
    const statuses = responses.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 404)).toHaveLength(3 * 6)
    expect(statuses.filter((status) => status === 429)).toHaveLength(300 - 3 * 6)
  })

  test('count the writes of a user and of a company, and no refused write for the company', async () => {
    const [firstUser, secondUser, orderUser] = await Promise.all(
      ['user@alpha', 'second@alpha', 'order@alpha'].map((name) => server.signIn(name)),
    )
    if (!firstUser || !secondUser || !orderUser) throw new Error('the test data lacks users')
    for (let index = 0; index < 4; index++) expect((await sendWrite(index % 2, firstUser)).statusCode).toBe(200)
    for (const node of [0, 1, 0, 1]) expect((await sendWrite(node, firstUser)).statusCode).toBe(429)
    for (let index = 0; index < 4; index++) expect((await sendWrite(index % 2, secondUser)).statusCode).toBe(200)
    const response = await sendWrite(1, orderUser)
    expect([response.statusCode, response.json().errorCode]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('count costly calls of a user together, with and without the permission for them', async () => {
    const { accessToken } = await server.signIn('order@beta')
    const calculate = (node: number) =>
      getNode(node).inject({
        method: 'POST',
        url: '/api/calculate',
        payload: {},
        headers: { authorization: `Bearer ${accessToken}` },
      })
    const statuses = []
    for (let index = 0; index < 5; index++) statuses.push((await calculate(index % 2)).statusCode)
    expect(statuses).toEqual([400, 400, 400, 429, 429])
  })

  test('count an IPv6 network as one, and store any text that a proxy passes on as a short key', async () => {
    const spellings = ['2001:db8::1', '2001:0DB8:0:0::2', '[2001:db8::3]:4567', '2001:db8:0:0:ffff::4%eth0']
    for (let index = 0; index < 7; index++) {
      const response = await sendFrom(index % 2, spellings[index % spellings.length] ?? '')
      expect(response.statusCode).toBe(index < 6 ? 404 : 429)
    }
    const texts = [
      'x'.repeat(10_000),
      'ü\u00ff\u0080',
      "'); drop table request_count; --",
      '\\x00\\u0000',
      ' ',
      '*'.repeat(500),
    ]
    for (const text of texts) expect((await sendFrom(0, text)).statusCode).toBe(404)
    for (const { key } of await readCounts()) expect(key).toMatch(/^[\w-]{43}$/)
  })

  test('count in memory while the database cannot count, without failing or delaying a request for long', async () => {
    await openNodes({ countTimes: { timeoutMs: 300, pauseMs: 0 } })
    const { kysely } = server.app.database
    await kysely.transaction().execute(async (db) => {
      await sql`lock table request_count in access exclusive mode`.execute(db)
      const responses = await Promise.all(Array.from({ length: 7 }, () => sendFrom(0, '203.0.113.20')))
      expect(responses.map(({ statusCode }) => statusCode).toSorted()).toEqual([...Array(6).fill(404), 429])
    })
    expect(server.readLog()).toContain('"event":"request_count_failed"')
    await expect.poll(async () => (await sendFrom(0, '203.0.113.21')).statusCode).toBe(404)
    await expect.poll(countAll).toBeGreaterThan(0)
  })

  test('use the database no more for some seconds after a failure', async () => {
    const { kysely } = server.app.database
    await sql`alter table request_count rename to renamed`.execute(kysely)
    expect((await sendFrom(0, '203.0.113.30')).statusCode).toBe(404)
    await sql`alter table renamed rename to request_count`.execute(kysely)
    for (let index = 0; index < 5; index++) expect((await sendFrom(0, '203.0.113.30')).statusCode).toBe(404)
    expect((await sendFrom(0, '203.0.113.30')).statusCode).toBe(429)
    expect(await countAll()).toBe(0)
    expect((await sendFrom(1, '203.0.113.30')).statusCode).toBe(404)
    expect(await countAll()).toBe(1)
  })

  test('delete counts of earlier minutes', async () => {
    await sendFrom(0, '203.0.113.40')
    server.clock.now += 5 * minuteMs
    await sendFrom(0, '203.0.113.41')
    server.clock.now += 6 * minuteMs
    expect(await deleteExpiredData(server.app)).toMatchObject({ requestCounts: 1 })
    expect(await countAll()).toBe(1)
  })
})
