/** Tests how a server stops: requests over a load balancer do not fail, and nothing delays the exit beyond the drain. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type HealthTarget, openBalancer } from '#tests/support/nodes/balancer.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'

interface TestNode extends HealthTarget {
  process: RunningProcess
  readHealth(path: string): Promise<{ status: number; reason?: string }>
}

let folder: string
const processes: RunningProcess[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-drain-'))
})
afterEach(() => Promise.all(processes.splice(0).map((running) => running.kill('SIGKILL'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function startNode(name: string, drainSeconds: number): Promise<TestNode> {
  const dataDir = join(folder, name)
  await createDataFolder(dataDir)
  const healthPort = await findFreePort()
  const running = startProcess({
    DATA_DIR: dataDir,
    DEMO: '0',
    LOG_LEVEL: 'info',
    HEALTH_PORT: String(healthPort),
    DRAIN_SECONDS: String(drainSeconds),
  })
  processes.push(running)
  return {
    process: running,
    port: Number(new URL(await running.ready).port),
    healthPort,
    async readHealth(path) {
      const response = await fetch(`http://127.0.0.1:${healthPort}/health/${path}`, { method: 'GET' })
      return { status: response.status, ...((await response.json()) as { reason?: string }) }
    },
  }
}

/** Opens a WebSocket by hand. It never closes its side. Returns the bytes that arrive after the upgrade. */
async function openSilentSocket(port: number): Promise<{ closed: Promise<unknown>; received: Buffer[] }> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  const lines = [
    'GET /api/m18s/progress HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [upgradeBytes] = (await once(socket, 'data')) as [Buffer]
  expect(upgradeBytes.toString('latin1')).toMatch(/^HTTP\/1\.1 101 /)
  const received: Buffer[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  return { closed, received }
}

/** Paths that are not counted per minute, so that only failures change the statuses: a redirect, and a method that no route accepts. */
const requests: [path: string, init: RequestInit][] = [
  ['/', { redirect: 'manual' }],
  ['/', { redirect: 'manual', method: 'HEAD' }],
  ['/nothing', { method: 'POST', body: new URLSearchParams({ name: 'value' }) }],
]
const expectedStatuses = [302, 405]

/** Sends requests all the time, as eight clients. */
function sendRequests(url: string) {
  const statuses: (number | string)[] = []
  let isOver = false
  const runClient = async (index: number) => {
    for (let count = index; !isOver; count++) {
      const [path, init] = requests[count % requests.length] ?? ['/', {}]
      statuses.push(await fetch(`${url}${path}`, init).then(({ status }) => status, String))
    }
  }
  const clients = Array.from({ length: 8 }, (_, index) => runClient(index))
  return {
    async waitForMore(count: number) {
      const enough = statuses.length + count
      await expect.poll(() => statuses.length, { timeout: 10_000 }).toBeGreaterThan(enough)
    },
    async end() {
      isOver = true
      await Promise.all(clients)
      return statuses
    },
  }
}

it('No request fails while a node behind a load balancer stops, although nothing is repeated', async () => {
  const nodes = await Promise.all([startNode('first', 1), startNode('second', 0)])
  const [stoppedNode] = nodes
  const balancer = await openBalancer({ keepAlive: true })
  balancer.followHealth(nodes)
  try {
    await expect.poll(() => nodes.every((node) => balancer.isReady(node)), { timeout: 10_000 }).toBe(true)
    const { closed, received } = await openSilentSocket(stoppedNode.port)
    const load = sendRequests(balancer.url)
    await load.waitForMore(100)
    const signalledAt = performance.now()
    expect(await stoppedNode.process.kill('SIGTERM')).toBe(0)
    expect(performance.now() - signalledAt).toBeGreaterThan(1000)
    await closed
    // A close frame with the code 1001. The client did not respond to it, which did not prevent the exit.
    expect(Buffer.concat(received).toString('hex')).toBe('880203e9')
    await load.waitForMore(100)
    expect([...new Set(await load.end())].toSorted()).toEqual(expectedStatuses)
    expect(stoppedNode.process.output()).toContain('"event":"drain_started"')
  } finally {
    await balancer.close()
  }
}, 60_000)

it('During a drain everything works, connections are given up, and a second signal ends it', async () => {
  const node = await startNode('third', 300)
  const exitCode = node.process.kill('SIGTERM')
  await expect.poll(() => node.readHealth('ready')).toMatchObject({ status: 503, reason: 'draining' })
  expect(await node.readHealth('live')).toMatchObject({ status: 'live' })
  const ownReadyResponse = await fetch(`http://127.0.0.1:${node.port}/health/ready`)
  expect([ownReadyResponse.status, await ownReadyResponse.json()]).toEqual([
    503,
    expect.objectContaining({ errorCode: 'UNAVAILABLE', reason: 'draining' }),
  ])
  const response = await fetch(`http://127.0.0.1:${node.port}/api/openapi.json`)
  expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
  expect(node.process.child.exitCode).toBeNull()
  void node.process.kill('SIGTERM')
  expect(await exitCode).toBe(1)
}, 60_000)
