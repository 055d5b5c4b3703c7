/** Tests our gateway for Docker with real processes: routes, ends of the process and of the portal, ports, closing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type DockerGateway,
  openOwnGateway,
  type OwnGatewayOptions,
  type ServiceRoute,
} from '#server/drivers/hosting/docker/gateway/docker-gateway.ts'
import { GatewaySupervisor } from '#server/drivers/hosting/docker/gateway/gateway-supervisor.ts'
import { type HostProcess, findProcesses, sendRequest, waitUntil } from '#tests/support/hosting/hosting.ts'

interface LogEntry {
  level: 'info' | 'warn' | 'error'
  event: string
  [field: string]: unknown
}

let task: Server
let respond: (request: IncomingMessage, response: ServerResponse) => void
let target: { host: string; port: number }
let folder: string
let entries: LogEntry[]
const gateways: Pick<DockerGateway, 'close'>[] = []

const toLog = (level: LogEntry['level']) => (fields: object) => void entries.push({ level, ...fields } as LogEntry)
const log = { info: toLog('info'), warn: toLog('warn'), error: toLog('error') } as unknown as OwnGatewayOptions['log']
const filterEntries = (event: string) => entries.filter((entry) => entry.event === event)

beforeAll(async () => {
  task = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1')
  await once(task, 'listening')
  target = { host: '127.0.0.1', port: (task.address() as AddressInfo).port }
})
beforeEach(() => {
  entries = []
  folder = mkdtempSync(join(tmpdir(), 'own-gateway-'))
  respond = ({ headers }, response) => void response.end(`${headers.host} from a task`)
})
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()))
  rmSync(folder, { recursive: true, force: true })
})
afterAll(() => {
  task.close()
  task.closeAllConnections()
})

function openGateway(options: Partial<OwnGatewayOptions> = {}): DockerGateway {
  const gateway = openOwnGateway({
    domain: 'localhost',
    host: '127.0.0.1',
    port: 0,
    trustProxy: 0,
    tls: false,
    folder,
    retryMs: 50,
    log,
    ...options,
  })
  gateways.push(gateway)
  return gateway
}
const waitUntilListening = (count = 1) =>
  waitUntil('the gateway listens', () => filterEntries('service_gateway_started').length >= count)
const getPort = (gateway: DockerGateway) => Number(new URL(gateway.getAddress('acme').url).port)
const listProcesses = (port: number): HostProcess[] =>
  findProcesses('').filter(
    ({ command }) => command.includes('gateway-process.ts') && command.includes(`"port":${port}`),
  )
/** Throws if there is none, because a signal to process 0 would reach the test runner. */
function findGatewayPid(port: number): number {
  const [gatewayProcess] = listProcesses(port)
  if (!gatewayProcess) throw new Error(`no gateway process has port ${port}`)
  return gatewayProcess.pid
}
const buildRoute = (code: string, route: Partial<ServiceRoute> = {}): ServiceRoute => ({
  code,
  shouldRun: true,
  targets: [target],
  ...route,
})
/** Null if nothing listens. */
const readPage = (gateway: DockerGateway, code: string) =>
  sendRequest(gateway.getAddress(code).url, '/').catch(() => null)
const waitForStatus = (gateway: DockerGateway, code: string, status: number) =>
  waitUntil(`status ${status} of ${code}`, async () => {
    const page = await readPage(gateway, code)
    return page?.status === status ? page : null
  })
const isRunning = (pid: number) =>
  existsSync(`/proc/${pid}/exe`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

async function occupyPort(port = 0): Promise<{ port: number; release: () => void }> {
  const server = createTcpServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, release: () => void server.close() }
}

describe('the own gateway of the driver docker', () => {
  it('serves the routes that it has, and no control endpoint', async () => {
    const gateway = openGateway()
    await waitUntilListening()
    const port = getPort(gateway)
    expect(gateway.getAddress('acme')).toEqual({
      url: `http://www.acme.localhost:${port}/`,
      adminUrl: `http://admin.acme.localhost:${port}/`,
    })
    expect(gateway.getServiceOptions('acme', 8080)).toEqual({ labels: {}, networks: [] })
    const startingPage = await waitForStatus(gateway, 'acme', 503)
    expect(startingPage.body).toContain('is starting')
    gateway.setRoutes([
      buildRoute('acme'),
      buildRoute('idle', { targets: [], shouldRun: false }),
      buildRoute('slow', { targets: [] }),
    ])
    expect((await waitForStatus(gateway, 'acme', 200)).body).toBe(`www.acme.localhost:${port} from a task`)
    expect((await readPage(gateway, 'idle'))?.body).toContain('is stopped')
    expect((await readPage(gateway, 'slow'))?.body).toContain('is starting')
    expect((await readPage(gateway, 'other'))?.status).toBe(404)
    expect((await sendRequest(gateway.getAddress('acme').url, '/control/v1')).status).toBe(404)
    gateway.setRoutes([buildRoute('other')])
    expect((await waitForStatus(gateway, 'other', 200)).status).toBe(200)
    expect((await readPage(gateway, 'acme'))?.status).toBe(404)
    expect(filterEntries('service_gateway_started')).toEqual([expect.objectContaining({ level: 'info', port })])
  })

  it('applies the last of many changes', async () => {
    const gateway = openGateway()
    gateway.setRoutes([])
    await waitForStatus(gateway, 'acme', 404)
    for (let time = 0; time < 500; time++)
      gateway.setRoutes([buildRoute('acme', { targets: [{ host: '127.0.0.1', port: 1 + (time % 2) }] })])
    gateway.setRoutes([buildRoute('acme')])
    await waitForStatus(gateway, 'acme', 200)
  })

  it('starts the process again with the same routes and port after it was killed', async () => {
    const gateway = openGateway()
    gateway.setRoutes([buildRoute('acme')])
    await waitForStatus(gateway, 'acme', 200)
    const port = getPort(gateway)
    const firstPid = findGatewayPid(port)
    process.kill(firstPid, 'SIGKILL')
    await waitUntil('the end is logged', () => filterEntries('service_gateway_ended').length === 1)
    await waitForStatus(gateway, 'acme', 200)
    expect(getPort(gateway)).toBe(port)
    expect(listProcesses(port).map(({ pid }) => pid === firstPid)).toEqual([false])
    expect(filterEntries('service_gateway_ended')).toEqual([
      expect.objectContaining({ level: 'warn', signal: 'SIGKILL', restartMs: 0 }),
    ])
  })

  it('replaces a process that hangs', async () => {
    const settings = {
      domain: 'localhost',
      host: '127.0.0.1',
      port: 0,
      trustProxy: 0,
      tls: false,
      limits: {},
      drainMs: 0,
    }
    const supervisor = new GatewaySupervisor({ settings, folder, log, pingMs: 1000 })
    gateways.push(supervisor)
    await waitUntilListening()
    const pid = findGatewayPid(supervisor.getPort())
    process.kill(pid, 'SIGSTOP')
    await waitUntil('the process has ended', () => !isRunning(pid))
    await waitUntilListening(2)
    expect(filterEntries('service_gateway_ended')).toContainEqual(
      expect.objectContaining({ signal: 'SIGKILL', output: 'it did not respond to the portal' }),
    )
  })

  it('waits longer before each start if the process cannot run, and logs its output', async () => {
    openGateway({ limits: { headerBytes: -1 } })
    await waitUntil('three ends', () => filterEntries('service_gateway_ended').length === 3)
    expect(entries.map(({ level, event, restartMs, exitCode }) => [level, event, restartMs, exitCode])).toEqual([
      ['warn', 'service_gateway_ended', 0, 1],
      ['warn', 'service_gateway_ended', 250, 1],
      ['error', 'service_gateway_ended', 500, 1],
    ])
    expect(entries[0]?.['output']).toContain('maxHeaderSize')
  })

  it('ends when the portal is killed, and gives its process no secrets of the portal', async () => {
    const portalScript = `
      const { openOwnGateway } = await import('${import.meta.dirname}/../../../../../server/drivers/hosting/docker/gateway/docker-gateway.ts')
      const log = { info: ({ port }) => console.log('listening on ' + port), warn() {}, error() {} }
      openOwnGateway({ domain: 'localhost', host: '127.0.0.1', port: 0, trustProxy: 0, tls: false, folder: '${folder}', log })`
    const portal = spawn(process.execPath, ['--input-type=module', '-e', portalScript], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PORTAL_SECRET: 'hidden' },
    })
    let output = ''
    portal.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    const port = await waitUntil('the gateway listens', () => Number(/listening on (\d+)/.exec(output)?.[1]))
    const pid = findGatewayPid(port)
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/SECRET|hidden/)
    // A signal to the group of the portal does not end the gateway: only the portal does.
    process.kill(pid, 'SIGTERM')
    process.kill(pid, 'SIGINT')
    expect((await sendRequest(`http://www.acme.localhost:${port}/`, '/')).status).toBe(503)
    portal.kill('SIGKILL')
    await waitUntil('the gateway has ended', () => !isRunning(pid))
    const occupied = await waitUntil('the port is free', () => occupyPort(port).catch(() => null))
    occupied.release()
  })
})

describe('the port of the own gateway', () => {
  it('is used as soon as another program has left it, if it is configured', async () => {
    const occupied = await occupyPort()
    const gateway = openGateway({ port: occupied.port })
    gateway.setRoutes([buildRoute('acme')])
    expect(getPort(gateway)).toBe(occupied.port)
    await waitUntil('the warning', () => filterEntries('gateway_port_unavailable').length > 0)
    occupied.release()
    await waitForStatus(gateway, 'acme', 200)
    expect(entries.map(({ level, event }) => [level, event])).toEqual([
      ['warn', 'gateway_port_unavailable'],
      ['info', 'service_gateway_started'],
    ])
    expect(entries[0]).toMatchObject({ port: occupied.port, reason: expect.stringContaining('EADDRINUSE') })
  })

  it('is known at once and stays the same if it is not configured, until another program has it', async () => {
    const firstGateway = openGateway()
    expect(getPort(firstGateway)).toBeGreaterThan(0)
    await waitUntilListening()
    const port = getPort(firstGateway)
    await firstGateway.close()
    const secondGateway = openGateway()
    expect(getPort(secondGateway)).toBe(port)
    await secondGateway.close()
    const occupied = await occupyPort(port)
    const thirdGateway = openGateway()
    thirdGateway.setRoutes([buildRoute('acme')])
    await waitUntil('another port', () => getPort(thirdGateway) !== port)
    await waitForStatus(thirdGateway, 'acme', 200)
    expect(JSON.parse(readFileSync(join(folder, 'gateway.json'), 'utf8'))).toEqual({ port: getPort(thirdGateway) })
    occupied.release()
  })

  it('is chosen again if the stored one is not a port', () => {
    writeFileSync(join(folder, 'gateway.json'), '{"port":"90000"}')
    expect(getPort(openGateway())).toBeGreaterThan(0)
  })

  it('is not in the addresses if a proxy terminates TLS', () => {
    const gateway = openGateway({ tls: true, trustProxy: 1, domain: 'services.example.com' })
    expect(gateway.getAddress('acme').adminUrl).toBe('https://admin.acme.services.example.com/')
  })
})

it('the own gateway completes running requests before it closes, and accepts no others', async () => {
  const gateway = openGateway()
  gateway.setRoutes([buildRoute('acme')])
  await waitForStatus(gateway, 'acme', 200)
  const gatewayPid = findGatewayPid(getPort(gateway))
  const pendingResponse = new Promise<ServerResponse>(
    (resolve) => (respond = (_request, response) => resolve(response)),
  )
  const page = readPage(gateway, 'acme')
  const response = await pendingResponse
  const isClosed = gateway.close()
  await waitUntil('no new connections', async () => (await readPage(gateway, 'acme')) === null)
  response.end('completed')
  expect((await page)?.body).toBe('completed')
  await isClosed
  expect(isRunning(gatewayPid)).toBe(false)
  expect(filterEntries('service_gateway_ended')).toEqual([])
})

it('the own gateway ends requests that take too long while it closes', async () => {
  const gateway = openGateway({ drainMs: 100 })
  gateway.setRoutes([buildRoute('acme')])
  await waitForStatus(gateway, 'acme', 200)
  const isReceived = new Promise<void>((resolve) => (respond = () => resolve()))
  const page = readPage(gateway, 'acme')
  await isReceived
  await gateway.close()
  expect(await page).toBeNull()
})
