/** Tests the port for health checks: who gets a response, and how much a flood of checks costs. */
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { readNodeSettings } from '#server/config/node-config.ts'
import { openHealth } from '#server/composition/open-health.ts'
import { createLifecycle } from '#server/context/lifecycle.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { type HealthListener, openHealthListener } from '#server/http/health/health-listener.ts'
import { createReadinessCheck } from '#server/use-cases/readiness.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

interface HealthRequest {
  path?: string
  method?: string
  headers?: Record<string, string>
  localAddress?: string
}

async function sendCheck(
  port: number,
  { path = '/health/ready', method = 'GET', headers = {}, localAddress = '127.0.0.1' }: HealthRequest = {},
) {
  const clientRequest = request({ host: '127.0.0.1', port, path, method, headers, localAddress, agent: false }).end()
  const [response] = await once(clientRequest, 'response')
  response.setEncoding('utf8')
  let body = ''
  for await (const part of response) body += part
  return { status: Number(response.statusCode), headers: response.headers, body }
}

describe('the port for health checks', () => {
  let server: TestServer
  let listener: HealthListener
  let port: number
  const lifecycle = createLifecycle()
  const sockets: Socket[] = []
  beforeAll(async () => {
    server = await startServer()
    port = await findFreePort()
    listener = await openHealthListener({ host: '127.0.0.1', port })
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    lifecycle.phase = 'running'
  })
  afterAll(async () => {
    await listener.close()
    await server.close()
  })

  /** Returns how many transactions the checks have begun, and a function that ends the count. */
  function countTransactions(): { readCount: () => number; end: () => void } {
    const { database } = server.app
    let count = 0
    const kysely = new Proxy(database.kysely, {
      get(target, name) {
        if (name === 'transaction') count += 1
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    server.app.database = { ...database, kysely }
    return { readCount: () => count, end: () => void (server.app.database = database) }
  }

  /** Occupies the only connection of the embedded database. Returns a function that releases it. */
  async function blockDatabase(): Promise<() => Promise<void>> {
    const start = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const transaction = runInTransaction(server.app, { role: 'portal_system' }, async () => {
      start.resolve()
      await end.promise
    })
    await start.promise
    return async () => {
      end.resolve()
      await transaction
    }
  }

  it('is not ready until the database is open, and then responds to any address and Host header', async () => {
    const startResponse = await sendCheck(port)
    expect([startResponse.status, JSON.parse(startResponse.body)]).toEqual([
      503,
      { errorCode: 'UNAVAILABLE', errorMessage: expect.any(String), data: null, reason: 'starting' },
    ])
    expect(startResponse.headers).toMatchObject({
      'retry-after': '5',
      'cache-control': 'no-store',
      connection: 'close',
    })
    expect((await sendCheck(port, { path: '/health/live' })).status).toBe(200)

    listener.setCheck(createReadinessCheck(server.app, lifecycle, { maxAgeMs: 0 }))
    for (const headers of [{ host: '10.0.0.5:9000' }, { host: 'evil.example' }, { 'x-forwarded-for': '203.0.113.9' }])
      expect((await sendCheck(port, { headers, localAddress: '127.0.0.9' })).body).toBe('{"status":"ready"}')
    const headResponse = await sendCheck(port, { method: 'HEAD', path: '/health/live?probe=1' })
    expect([headResponse.status, headResponse.body, headResponse.headers['content-type']]).toEqual([
      200,
      '',
      'application/json; charset=utf-8',
    ])
  })

  it('responds with 404 to everything else', async () => {
    const checks: HealthRequest[] = [
      { path: '/' },
      { path: '/saas/' },
      { path: '/api/m18s/settings' },
      { path: '/health' },
      { path: '/health/ready/' },
      { path: '//health/ready' },
      { path: '/HEALTH/READY' },
      { path: '/health/%72eady' },
      { path: `http://127.0.0.1:${port}/health/ready` },
      { method: 'POST' },
      { method: 'PUT' },
      { method: 'OPTIONS' },
      { headers: { connection: 'Upgrade', upgrade: 'websocket' }, path: '/api/m18s/progress' },
    ]
    for (const check of checks) {
      const { status, body } = await sendCheck(port, check)
      expect([check, status, JSON.parse(body).errorCode]).toEqual([check, 404, 'NOT_FOUND'])
    }
  })

  it('gives the reason while a node drains, closes, or has no database', async () => {
    listener.setCheck(createReadinessCheck(server.app, lifecycle, { maxAgeMs: 0, waitMs: 50 }))
    const readReason = async () => JSON.parse((await sendCheck(port)).body).reason as string | undefined
    for (const phase of ['draining', 'closing'] as const) {
      lifecycle.phase = phase
      expect(await readReason()).toBe(phase)
    }
    lifecycle.phase = 'running'
    const release = await blockDatabase()
    const transactions = countTransactions()
    expect(await readReason()).toBe('database')
    // The first query still waits. The second check waits for the same one, so that checks do not occupy all connections.
    expect(await readReason()).toBe('database')
    expect(transactions.readCount()).toBe(1)
    transactions.end()
    await release()
    await expect.poll(readReason).toBeUndefined()
    const log = server.readLog()
    expect(log.match(/"event":"readiness_lost"/g)).toHaveLength(1)
    expect(log.match(/"event":"readiness_regained"/g)).toHaveLength(1)
  })

  it('asks the database once, however many checks arrive, and logs none of them', async () => {
    listener.setCheck(createReadinessCheck(server.app, lifecycle, { maxAgeMs: 60_000 }))
    const release = await blockDatabase()
    const transactions = countTransactions()
    const logBefore = server.readLog()
    const responsesPromise = Promise.all(
      Array.from({ length: 100 }, (_, index) => sendCheck(port, { localAddress: `127.0.1.${1 + (index % 10)}` })),
    )
    await expect.poll(() => transactions.readCount()).toBe(1)
    await release()
    const responses = await responsesPromise
    await sendCheck(port)
    transactions.end()
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(transactions.readCount()).toBe(1)
    expect(server.readLog()).toBe(logBefore)
  })

  it('responds although one address holds as many connections as it may and sends incomplete requests', async () => {
    for (let index = 0; index < 150; index++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.7' })
      socket.on('error', () => undefined)
      sockets.push(socket)
      socket.write('GET /health/ready HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    }
    await Promise.all(sockets.filter(({ connecting }) => connecting).map((socket) => once(socket, 'connect')))
    expect((await sendCheck(port, { path: '/health/live', localAddress: '127.0.0.7' })).status).toBe(200)
    expect((await sendCheck(port, { path: '/health/live' })).status).toBe(200)
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(100)
  })
})

it('A server is live but not ready while its database does not respond', async () => {
  const silentDatabase = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silentDatabase, 'listening')
  const port = await findFreePort()
  const running = startProcess({
    DATABASE_URL: `postgres://nobody@127.0.0.1:${(silentDatabase.address() as AddressInfo).port}/none`,
    HEALTH_PORT: String(port),
  })
  try {
    await expect
      .poll(() => sendCheck(port, { path: '/health/live' }).then(({ status }) => status, String), { timeout: 20_000 })
      .toBe(200)
    expect(JSON.parse((await sendCheck(port)).body)).toMatchObject({ reason: 'starting' })
  } finally {
    await running.kill('SIGKILL')
    silentDatabase.close()
  }
}, 30_000)

describe('the settings of a node', () => {
  const readSettings = (env: Record<string, string>) => readNodeSettings(env, readConfig(env))

  it('have defaults for one node', () => {
    expect(readSettings({})).toEqual({ health: null, drainMs: 0, jobs: 'local' })
    expect(readSettings({ HEALTH_PORT: '', DRAIN_SECONDS: '', JOBS: '', HEALTH_HOST: '' })).toEqual(readSettings({}))
    const DATABASE_URL = 'postgres://a@b/c'
    expect(
      readSettings({ HOST: '::', HEALTH_PORT: '9000', DRAIN_SECONDS: '300', JOBS: 'elsewhere', DATABASE_URL }),
    ).toEqual({ health: { host: '::', port: 9000 }, drainMs: 300_000, jobs: 'elsewhere' })
    // Two addresses of one machine may use the same port.
    const health = { HOST: '127.0.0.1', HEALTH_HOST: '10.0.0.5', HEALTH_PORT: '8080' }
    expect(readSettings(health).health).toEqual({ host: '10.0.0.5', port: 8080 })
    const zoned = { HOST: '10.0.0.5', HEALTH_HOST: 'fe80::1%eth0', HEALTH_PORT: '8080' }
    expect(readSettings(zoned).health?.host).toBe('fe80::1%eth0')
  })

  it.each([
    { HEALTH_PORT: '0' },
    { HEALTH_PORT: '65536' },
    { HEALTH_PORT: '-1' },
    { HEALTH_PORT: '80 80' },
    { HEALTH_PORT: '8080' },
    { HEALTH_PORT: '9000', PORT: '9000', HEALTH_HOST: '0.0.0.0' },
    { HEALTH_PORT: '9000', PORT: '9000', HOST: '::', HEALTH_HOST: '10.0.0.1' },
    { HEALTH_PORT: '9000', PORT: '9000', HOST: 'localhost' },
    { HEALTH_PORT: '9000', PORT: '9000', HOST: '10.0.0.1', HEALTH_HOST: '0:0::0' },
    { HEALTH_HOST: '0.0.0.0' },
    { DRAIN_SECONDS: '301' },
    { DRAIN_SECONDS: '1.5' },
    { DRAIN_SECONDS: 'ten' },
    { JOBS: 'remote' },
    { JOBS: 'elsewhere' },
  ])('are refused with one sentence: %o', (env) => {
    expect(() => readSettings(env)).toThrow(StartProblem)
    expect(() => readSettings(env)).toThrow(/^(HEALTH_PORT|HEALTH_HOST|DRAIN_SECONDS|JOBS)\b[^\n]*\.$/)
  })

  it('name the address at which the health checks cannot listen', async () => {
    const otherServer = createServer().listen(0, '127.0.0.1')
    await once(otherServer, 'listening')
    const { port } = otherServer.address() as AddressInfo
    const open = (host: string) => openHealth({ health: { host, port } })
    await expect(open('127.0.0.1')).rejects.toThrow(
      new StartProblem(`Port ${port} is in use: stop the program that uses it, or set HEALTH_PORT to another number.`),
    )
    await expect(open('203.0.113.1')).rejects.toThrow(/^HEALTH_HOST 203\.0\.113\.1 is not an address of this machine/)
    await expect(open('not a host')).rejects.toThrow(/^HEALTH_HOST not a host is not an address of this machine/)
    otherServer.close()
  })
})
