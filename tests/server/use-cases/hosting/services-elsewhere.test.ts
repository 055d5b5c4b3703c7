/** Tests calls about services at a node with HOSTING=elsewhere, while another node on the same PostgreSQL runs the services. */
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { buildApp } from '#server/composition/app.ts'
import { type HostingRuntime, openHosting } from '#server/composition/open-hosting.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'
import { getTaskLogFolder, getInstanceFolder } from '#server/drivers/hosting/local/instances/files.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { endHosting, sampleProgram } from '#tests/support/hosting/hosting.ts'
import { buyOrder, openShop, shopOpenedAt } from '#tests/support/orders/shop-data.ts'
import { silent, testConfig } from '#tests/support/server/database.ts'
import { download, openDownload } from '#tests/support/server/download.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

// Processes of services start, and megabytes pass through three connections.
vi.setConfig({ testTimeout: 60_000 })

const hasPostgres = (inject('postgresUrl') ?? null) !== null

describe.skipIf(!hasPostgres)('a node that does not run the services', () => {
  const serviceHost = '127.0.0.2'
  const folder = mkdtempSync(join(tmpdir(), 'hosting-elsewhere-'))
  const hostingEnv = {
    HOSTING_DIR: folder,
    SERVICE_HOST: serviceHost,
    SERVICE_USERS: 'off',
    SERVICE_MEMORY_MB: '1000000',
  }
  let server: TestServer
  let hosting: HostingRuntime
  let portal: FastifyInstance
  let origin: string
  let user: SignedIn
  let staff: SignedIn
  let service: ServiceResponse

  beforeAll(async () => {
    server = await startServer({ engine: 'postgres', env: hostingEnv })
    server.clock.now = shopOpenedAt
    await openShop(server)
    hosting = openRuntime(hostingEnv)
    server.app.hosting = hosting.driver
    await hosting.connect(server.app)

    const remote = openRuntime({ HOSTING: 'elsewhere' })
    const app = {
      ...server.app,
      config: { ...server.app.config, hosting: 'elsewhere' as const },
      hosting: remote.driver,
    }
    await remote.connect(app)
    portal = buildApp(app)
    await portal.listen({ port: 0, host: '127.0.0.1' })
    origin = `http://127.0.0.1:${(portal.server.address() as AddressInfo).port}`

    user = await server.signIn('order@alpha')
    staff = await server.signIn('admin@m18')
    const { contract_id } = await buyOrder(server, user, { code: 'alpha1' })
    await runOperation('POST', `/api/aws/service?contractId=${contract_id}`)
    service = await readRow()
  }, 90_000)
  afterAll(async () => {
    await portal.close()
    await hosting.driver.close()
    await server.close()
    await endHosting(folder, { users: null })
  })

  function openRuntime(env: Record<string, string>): HostingRuntime {
    const config = testConfig(env)
    return openHosting(config, {
      settings: readHostingSettings(env, config),
      log: silent,
      program: sampleProgram,
      role: 'serve',
      demo: null,
    })
  }

  /** Sends to the node without services. */
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, caller = user, body?: Record<string, string>) =>
    portal.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${caller.accessToken}`,
        ...(body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(body ? { payload: new URLSearchParams(body).toString() } : {}),
    })
  const readRow = async (): Promise<ServiceResponse> =>
    (await send('GET', '/api/aws/service')).json().data.find(({ code }: ServiceResponse) => code === 'alpha1')

  /** Requests the service at this address of the gateway, and returns the status. */
  async function openService(address: string): Promise<number> {
    const { host, port } = new URL(service.url ?? '')
    const [response] = (await once(get({ host: address, port, headers: { host }, agent: false }), 'response')) as [
      IncomingMessage,
    ]
    return response.resume().statusCode ?? 0
  }

  /** Starts the operation at the node without services. The node with services carries it out. */
  async function runOperation(method: 'POST' | 'DELETE', url: string): Promise<number> {
    const startResponse = await send(method, url)
    expect(startResponse.statusCode).toBe(202)
    expect(await runOneJob(server.app, hostingJobKinds)).toBe(true)
    return (await send('GET', startResponse.json().location)).statusCode
  }

  /** Writes some megabytes of log lines, one each second from 00:00 UTC. */
  function writeLog(day: string, lineCount: number, textLength = 100): { from: string; to: string } {
    const logFolder = getTaskLogFolder(getInstanceFolder(folder, { serviceId: service.id, code: 'alpha1' }))
    mkdirSync(logFolder, { recursive: true })
    const start = Date.parse(`${day}T00:00:00Z`)
    const lines = Array.from(
      { length: lineCount },
      (_, index) => `${start + index * 1000}\tinfo\t${index} 值 ${'x'.repeat(textLength)}\n`,
    )
    writeFileSync(join(logFolder, `${day}.1.0.log`), lines.join(''))
    return { from: `${day} 00:00`, to: `${day} 23:59` }
  }

  async function requestDownload(range: { from: string; to: string }): Promise<string> {
    const response = await send('POST', '/api/aws/log', user, { id: String(service.id), ...range })
    expect(response.statusCode).toBe(200)
    return response.json()
  }

  it('creates and operates services, and shows their address and password', async () => {
    expect(service).toMatchObject({ system_status: 2, online: 1, running_tasks: 1 })
    expect(service.url).toMatch(/^http:\/\/www\.alpha1\.localhost:\d+\/$/)
    const findUrl = '/public/service/url?code=alpha1'
    const [ownResponse, portalResponse] = [await server.send({ url: findUrl }), await send('GET', findUrl)]
    expect(portalResponse.json()).toEqual(ownResponse.json())
    expect(portalResponse.json().url).toBe(service.url)
    // The gateway listens on its own address only.
    expect(await openService(serviceHost)).toBeLessThan(400)
    await expect(openService('127.0.0.1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect((await send('POST', `/api/aws/password/${service.id}`)).json()).toMatchObject({ user: 'admin' })
    expect(await runOperation('POST', `/api/aws/reboot/${service.id}`)).toBe(204)
  })

  it('shows the log of a service', async () => {
    writeLog('2026-02-20', 700)
    const query = new URLSearchParams({ from: '2026-02-20 07:00:00', to: '2026-02-20 09:00:00', searchText: '69' })
    const url = `/api/aws/log/${service.id}?${query.toString()}`
    const portalResponse = await send('GET', url)
    expect(portalResponse.statusCode).toBe(200)
    expect(portalResponse.json().lines.map(({ text }: { text: string }) => text.split(' ')[0])).toEqual(
      [
        '69',
        '169',
        '269',
        '369',
        '469',
        '569',
        '669',
        ...Array.from({ length: 10 }, (_, digit) => `69${digit}`),
      ].toSorted((a, b) => Number(a) - Number(b)),
    )
    expect(portalResponse.json()).toEqual((await user.send({ url })).json())
  })

  it('streams a log of several megabytes to a file, and frees the host when the download is cancelled', async () => {
    const range = writeLog('2026-02-22', 30_000)
    const [completeKey, cancelledKey] = [await requestDownload(range), await requestDownload(range)]
    const result = await download(`${origin}/public/log/${completeKey}`)
    expect([result.status, result.isComplete]).toEqual([200, true])
    const lines = result.body.toString().trimEnd().split('\n')
    expect([lines.length, result.body.length > 3_500_000]).toEqual([30_000, true])
    expect(lines[29_999]).toBe(`2026-02-22 16:19:59.000 task 1 info 29999 值 ${'x'.repeat(100)}`)

    const cancelledDownload = await openDownload(`${origin}/public/log/${cancelledKey}`)
    expect(cancelledDownload.status).toBe(200)
    cancelledDownload.abort()
    expect((await cancelledDownload.readRest()).isComplete).toBe(false)
    expect(await requestDownload({ from: '2026-02-10 00:00', to: '2026-02-10 01:00' })).toBe('')
  })

  it('checks services again, and stores what has changed', async () => {
    await hosting.driver.stop({ serviceId: service.id, code: 'alpha1' }, { fence: 1000 })
    expect((await send('POST', '/api/aws/recheck', staff)).json()).toEqual({ checked: 1, online: 0, changed: 1 })
    expect(await readRow()).toMatchObject({ system_status: 4, online: 0, running_tasks: 0 })
    expect(await checkServices(server.app)).toEqual({ checked: 1, online: 0, changed: 0 })
  })

  it('answers 503 while the node of the services is away, and changes no state of a service', async () => {
    // More than the buffers of the connections take.
    const range = writeLog('2026-02-24', 30_000, 2000)
    const [key, startedKey] = [await requestDownload(range), await requestDownload(range)]
    const startedDownload = await openDownload(`${origin}/public/log/${startedKey}`)
    await hosting.driver.close()
    expect([startedDownload.status, (await startedDownload.readRest()).isComplete]).toEqual([200, false])
    const rowBefore = await readRow()
    const responses = [
      await send('GET', `/api/aws/log/${service.id}`),
      await send('POST', '/api/aws/log', user, { id: String(service.id), ...range }),
      await send('POST', '/api/aws/recheck', staff),
      await portal.inject({ url: `/public/log/${key}` }),
    ]
    for (const response of responses) {
      expect([response.statusCode, response.json().errorCode]).toEqual([503, 'UNAVAILABLE'])
      expect(response.headers['retry-after']).toBe('10')
    }
    expect(await readRow()).toEqual(rowBefore)

    // The host comes back with another port.
    hosting = openRuntime(hostingEnv)
    await hosting.connect(server.app)
    const log = await send('GET', `/api/aws/log/${service.id}?from=2026-02-24%2008:00:00&to=2026-02-24%2008:00:03`)
    expect(log.json().lines).toHaveLength(3)
  })
})
