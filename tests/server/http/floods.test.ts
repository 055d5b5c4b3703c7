/** Tests the limits on the requests of one address, one user or one company, so that others are still served (fault 16, decision 70). */
import { once } from 'node:events'
import { request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLimitedServer, type FloodLimits, defaultFloodLimits } from '#server/http/flood-limits.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

const clients: Socket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
})

const getPort = (server: Server) => (server.address() as AddressInfo).port
async function sendGet(port: number, path: string, localAddress: string, headers: Record<string, string> = {}) {
  const clientRequest = request({ host: '127.0.0.1', port, path, localAddress, agent: false, headers }).end()
  const [response] = await once(clientRequest, 'response')
  response.setEncoding('utf8')
  let body = ''
  for await (const part of response) body += part
  return { status: Number(response.statusCode), headers: response.headers, body }
}
async function openConnection(port: number, localAddress: string, text: string): Promise<Socket> {
  const client = connect({ port, host: '127.0.0.1', localAddress })
  clients.push(client)
  client.on('error', () => undefined)
  await once(client, 'connect')
  client.write(text)
  return client
}

describe('the limits per address', () => {
  let limitedServer: Server
  let handledCount = 0
  afterEach(() => {
    limitedServer.close()
    limitedServer.closeAllConnections()
    handledCount = 0
  })
  /** Starts a server with these limits and returns its port. It sends no responses if `answers` is false. */
  async function listen(
    limits: Partial<FloodLimits>,
    { trustProxy = 0, answers: isAnswering = true } = {},
  ): Promise<number> {
    limitedServer = createLimitedServer(
      (_, response) => {
        handledCount += 1
        if (isAnswering) response.end('ok')
      },
      {},
      { ...defaultFloodLimits, refusalMs: 10, ...limits },
      { trustProxy, requestFactor: 1 },
    ).listen(0, '127.0.0.1')
    await once(limitedServer, 'listening')
    return getPort(limitedServer)
  }

  test("refuse an address that has used its share, in the caller's language, and serve others (fault 16f)", async () => {
    const port = await listen({ address: { maxConcurrent: 10, perSecond: 0, burst: 3 } })
    const statuses = []
    for (let index = 0; index < 5; index++) statuses.push((await sendGet(port, '/', '127.0.0.2')).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    expect((await sendGet(port, '/', '127.0.0.3')).status).toBe(200)

    const key = '7e2f1f0a-6f0c-4d0e-8a30-0d2b5f3a9c11'
    const refusal = await sendGet(port, '/', '127.0.0.2', { 'idempotency-key': key, 'accept-language': 'zh' })
    expect(refusal.headers).toMatchObject({ 'retry-after': '5', 'idempotency-key': key, connection: 'close' })
    expect(refusal.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(refusal.body)).toMatchObject({ errorCode: 'RATE_LIMITED', data: { retry_after: 5 } })
    expect(refusal.body).toMatch(/\p{Script=Han}/u)
    const page = await sendGet(port, '/saas/', '127.0.0.2', { accept: 'text/html,*/*' })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.body).toContain('<p>Too many attempts.')
  })

  test("count the client's address behind a trusted proxy (fault 16f)", async () => {
    const port = await listen({ address: { maxConcurrent: 10, perSecond: 0, burst: 1 } }, { trustProxy: 1 })
    const getStatusFrom = async (address: string) =>
      (await sendGet(port, '/', '127.0.0.2', { 'x-forwarded-for': address })).status
    expect(await getStatusFrom('192.0.2.1')).toBe(200)
    expect(await getStatusFrom('198.51.100.7, 192.0.2.1')).toBe(429)
    expect(await getStatusFrom('192.0.2.2')).toBe(200)
  })

  test('close a connection that pipelines many requests (fault 16g)', async () => {
    const port = await listen({}, { answers: false })
    const client = await openConnection(port, '127.0.0.2', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200))
    await once(client, 'close')
    expect(handledCount).toBe(2)
  })

  test.each([
    ['at the same time', { connectionsPerAddress: 4 }],
    ['per second', { connectionsPerSecond: { maxConcurrent: 1, perSecond: 0, burst: 4 } }],
  ])('limit the number of connections %s (fault 16g)', async (_, limits) => {
    const port = await listen(limits)
    const connections: Socket[] = []
    for (let index = 0; index < 8; index++) connections.push(await openConnection(port, '127.0.0.2', 'GET / HT'))
    await expect.poll(() => connections.filter(({ readyState }) => readyState === 'open').length).toBe(4)
    expect((await sendGet(port, '/', '127.0.0.3')).status).toBe(200)
  })
})

describe('the request limits of the portal', () => {
  let server: TestServer
  const wideLimits = { maxConcurrent: 100, perSecond: 0, burst: 1000 }
  beforeAll(async () => {
    server = await startServer({
      settings: {
        floods: { ...defaultFloodLimits, refusalMs: 10, address: { maxConcurrent: 10, perSecond: 0, burst: 4 } },
        userCalls: { maxConcurrent: 3, perSecond: 0, burst: 6 },
        companyCalls: { ...wideLimits, burst: 10 },
      },
    })
  })
  afterAll(() => server.close())
  const url = '/api/m18s/user'

  test('count pages, files, calls and health checks of an address together (fault 16f)', async () => {
    await server.fastify.listen({ port: 0, host: '127.0.0.1' })
    const port = getPort(server.fastify.server)
    const statuses = []
    for (const path of ['/nothing', '/saas/', '/api/m18s/settings', '/api/openapi.json', '/health/live', '/'])
      statuses.push((await sendGet(port, path, '127.0.0.2', { host: 'localhost' })).status)
    expect(statuses.map((status) => status === 429)).toEqual([false, false, false, false, true, true])
    expect((await sendGet(port, '/nothing', '127.0.0.3', { host: 'localhost' })).status).toBe(404)
  })

  test('count all calls of a user and a company, including reads, and serve others (fault 16h)', async () => {
    const [user, colleague] = [await server.signIn('admin@alpha'), await server.signIn('second@alpha')]
    const otherUser = await server.signIn('admin@beta')
    const getStatus = async ({ send }: typeof user) => (await send({ url })).statusCode
    const statuses = []
    for (let index = 0; index < 8; index++) statuses.push(await getStatus(user))
    expect(statuses).toEqual([...Array(6).fill(200), 429, 429])
    const refusal = await user.send({ url })
    expect(refusal.json().errorCode).toBe('RATE_LIMITED')
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
    // The company has four requests left.
    const colleagueStatuses = []
    for (let index = 0; index < 5; index++) colleagueStatuses.push(await getStatus(colleague))
    expect(colleagueStatuses).toEqual([200, 200, 200, 200, 429])
    expect(await getStatus(otherUser)).toBe(200)
    // Logging out is always possible.
    expect((await user.send({ method: 'POST', url: '/api/m18s/logout' })).statusCode).toBe(204)
  })

  test('do not reduce the share of the company by calls that are refused for a missing right (fault 16h)', async () => {
    const [user, colleague] = [await server.signIn('user@m18'), await server.signIn('admin@m18')]
    for (let index = 0; index < 6; index++)
      expect((await user.send({ url: '/api/payment/tasks' })).statusCode).toBe(403)
    expect((await user.send({ url: '/api/payment/tasks' })).statusCode).toBe(429)
    for (let index = 0; index < 6; index++) expect((await colleague.send({ url })).statusCode).toBe(200)
  })

  test('limit concurrent calls of a user, and count a long body as several calls (fault 16h)', async () => {
    const user = await server.signIn('user@beta')
    const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await user.send({ url })).statusCode))
    expect(statuses.toSorted()).toEqual([200, 200, 200, 429])
    const payload = { name: 'x'.repeat(100_000) }
    const longRequest = {
      method: 'PUT',
      url: `${url}/1`,
      payload,
      headers: { 'idempotency-key': crypto.randomUUID() },
    } as const
    expect((await user.send(longRequest)).statusCode).toBe(400)
    expect((await user.send({ url })).statusCode).toBe(429)
  })
})
