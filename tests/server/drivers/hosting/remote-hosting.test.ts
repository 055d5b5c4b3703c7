/** Tests the questions of a node to the node that runs services, over real connections: faults, limits and forged requests. */
import { once } from 'node:events'
import { createServer as createHttpServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HostingError, type InstanceLogLine, type InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import { type HostingApi, startHostingApi } from '#server/drivers/hosting/remote/hosting-api.ts'
import { createRemoteHosting, type RemoteTimes } from '#server/drivers/hosting/remote/remote-hosting.ts'
import { deriveNodeKey, signRequest } from '#server/drivers/hosting/remote/signatures.ts'

const key = deriveNodeKey(Buffer.alloc(32, 7))
const instance = { serviceId: 3, code: 'acme' }
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER }
const createLine = (index: number): InstanceLogLine => ({
  time: 1000 + index,
  task: index % 3,
  level: 'warn',
  text: `line ${index} 值 "quoted" \u2028 {"end":true}`,
})
const deployment = { fence: 2, state: 'rolled_back', healthyTasks: 0, wantedTasks: 1, fault: 'no_image' } as const
const states = [{ ...instance, created: true, healthy: true, deployment }] as InstanceState[]

/** State of a node with a build that has no deployments. */
const earlierState = { serviceId: 4, code: 'earlier', created: true, healthy: true } as InstanceState

let api: HostingApi
let now: number
let warnings: { event: string; reason?: string }[]
let closedCount: number
let readRange: unknown
let readLines: () => AsyncGenerator<InstanceLogLine>
const log = { warn: (fields: { event: string }) => void warnings.push(fields) } as never
const otherServers: Server[] = []

beforeEach(async () => {
  now = 1_800_000_000_000
  warnings = []
  closedCount = 0
  readLines = () => listLines(3)
  const driver = {
    look: async ({ code }: { code: string }) =>
      code === 'acme' ? (states[0] ?? null) : code === 'earlier' ? earlierState : null,
    lookAll: async () => states,
    readLog: (...args: unknown[]) => {
      readRange = args
      return readLines()
    },
  }
  api = await startHostingApi({ driver, key, clock: () => now, host: '127.0.0.1', port: 0, log })
})
afterEach(async () => {
  await api.close()
  for (const server of otherServers.splice(0)) server.close()
})

async function* listLines(count: number, error?: Error): AsyncGenerator<InstanceLogLine> {
  try {
    for (let index = 0; index < count; index++) yield createLine(index)
    if (error) throw error
  } finally {
    closedCount += 1
  }
}

const openDriver = (
  options: { port?: number; otherKey?: Buffer; times?: Partial<RemoteTimes>; skewMs?: number } = {},
) =>
  createRemoteHosting({
    findNode: async () => ({ url: `http://127.0.0.1:${options.port ?? api.port}`, key: options.otherKey ?? key }),
    clock: () => now + (options.skewMs ?? 0),
    log,
    times: options.times ?? {},
  })
const readLog = (driver = openDriver()) => Array.fromAsync(driver.readLog(instance, everything))
const unreachable = { name: 'HostingError', fault: 'unreachable' }

/** Starts another program and returns its port. */
async function listenWith(server: Server): Promise<number> {
  otherServers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

const request = async (path: string, headers: Record<string, string>): Promise<number> => {
  const [response] = (await once(
    get(`http://127.0.0.1:${api.port}${path}`, { headers, agent: false }),
    'response',
  )) as [IncomingMessage]
  response.resume()
  return response.statusCode ?? 0
}

describe('the remote hosting', () => {
  it('returns the same states and log lines as the host', async () => {
    expect(await openDriver().lookAll()).toEqual(states)
    expect(await openDriver().look(instance)).toEqual(states[0])
    expect(await openDriver().look({ serviceId: 3, code: 'other' })).toBeNull()
    expect(await openDriver().look(earlierState)).toEqual({ ...earlierState, deployment: null })
    const lines = await Array.fromAsync(openDriver().readLog({ serviceId: 3, code: 'ä&x=1' }, { from: 5, to: 9 }))
    expect(lines).toEqual([0, 1, 2].map(createLine))
    expect(readRange).toEqual([
      { serviceId: 3, code: 'ä&x=1' },
      { from: 5, to: 9 },
    ])
    readLines = () => listLines(0)
    expect(await readLog()).toEqual([])
  })

  it('passes on the fault of the host, also after many lines', async () => {
    readLines = () => listLines(0, new HostingError('no_instance', 'the service acme does not exist'))
    await expect(readLog()).rejects.toMatchObject({ fault: 'no_instance', message: 'the service acme does not exist' })
    readLines = () => listLines(5000, new Error('the disk cannot be read'))
    const lines: InstanceLogLine[] = []
    const readAll = async () => {
      for await (const line of openDriver().readLog(instance, everything)) lines.push(line)
    }
    await expect(readAll()).rejects.toMatchObject(unreachable)
    expect(lines).toHaveLength(5000)
    expect(warnings.map(({ event }) => event)).toEqual(['hosting_request_failed', 'hosting_node_unreachable'])
  })

  it('stops the host when its reader stops, and makes the host wait for a slow reader', async () => {
    let readCount = 0
    async function* listForever() {
      try {
        for (;;) yield createLine(readCount++)
      } finally {
        closedCount += 1
      }
    }
    readLines = listForever
    const lines = openDriver().readLog(instance, everything)[Symbol.asyncIterator]()
    await lines.next()
    let countBefore = -1
    await expect
      .poll(
        () => {
          const isWaiting = readCount === countBefore
          countBefore = readCount
          return isWaiting
        },
        { interval: 100, timeout: 20_000 },
      )
      .toBe(true)
    // The time that the reader takes does not count as a fault of the host.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await lines.next()
    vi.advanceTimersByTime(600_000)
    vi.useRealTimers()
    for (let index = 0; index < 5000; index++) expect((await lines.next()).done).toBe(false)
    await lines.return?.(undefined)
    await expect.poll(() => closedCount).toBe(1)
  })

  it('reports a host that ends in the middle of a log', async () => {
    async function* listUntilClosed() {
      for (let index = 0; ; index++) {
        if (index === 20_000) void api.close()
        yield createLine(index)
      }
    }
    readLines = listUntilClosed
    const driver = openDriver()
    await expect(readLog(driver)).rejects.toMatchObject(unreachable)
    await expect(readLog(driver)).rejects.toMatchObject(unreachable)
    expect(warnings.filter(({ event }) => event === 'hosting_node_unreachable')).toHaveLength(1)
  })

  it('does not wait for a host that does not respond, or that stops sending', async () => {
    const silentPort = await listenWith(createSocketServer())
    await expect(readLog(openDriver({ port: silentPort, times: { responseMs: 50 } }))).rejects.toMatchObject({
      ...unreachable,
      message: expect.stringContaining('no response within 50 ms'),
    })
    const { promise: lastPromise, resolve: endLast } = Promise.withResolvers<void>()
    async function* listAndStop() {
      for (let index = 0; index < 5000; index++) yield createLine(index)
      await lastPromise
    }
    readLines = listAndStop
    await expect(readLog(openDriver({ times: { pieceMs: 50 } }))).rejects.toMatchObject({
      ...unreachable,
      message: expect.stringContaining('no data within 50 ms'),
    })
    endLast()
    const noNode = createRemoteHosting({ findNode: async () => null, clock: () => now, log })
    await expect(noNode.lookAll()).rejects.toMatchObject(unreachable)
  })

  it.each<[string, RequestListener]>([
    ['a program without the key', (_, response) => void response.end('[1000,1,"info","forged"]\n{"end":true}\n')],
    ['an error page', (_, response) => void response.writeHead(500).end('<html>')],
    ['a redirect', (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ])('does not believe %s on the port of the host', async (_, listener) => {
    const port = await listenWith(createHttpServer(listener))
    await expect(readLog(openDriver({ port }))).rejects.toMatchObject(unreachable)
  })

  it('offers no operations, because jobs run on the node of the services', async () => {
    await expect(openDriver().remove(instance, { fence: 1 })).rejects.toMatchObject(unreachable)
    await expect(Array.fromAsync(openDriver().readData(instance))).rejects.toMatchObject(unreachable)
  })
})

describe('the API of the host', () => {
  it('refuses a request without a valid signature, and warns once', async () => {
    await expect(readLog(openDriver({ otherKey: Buffer.alloc(32, 8) }))).rejects.toMatchObject(unreachable)
    expect(await request('/states', {})).toBe(404)
    const { headers } = signRequest(key, '/states', now)
    expect(await request('/log?serviceId=3&code=acme&from=0&to=9', headers)).toBe(404)
    expect(await request('/states', { ...headers, 'x-portal-signature': 'ä'.repeat(43) })).toBe(404)
    const reasons = warnings.filter(({ event }) => event === 'hosting_request_refused').map(({ reason }) => reason)
    expect(reasons).toEqual(['unsigned'])
  })

  it('accepts a signed request once, and for some minutes', async () => {
    const { headers } = signRequest(key, '/states', now)
    expect(await request('/states', headers)).toBe(200)
    expect(await request('/states', headers)).toBe(404)
    for (const skewMs of [-240_000, 240_000]) expect(await readLog(openDriver({ skewMs }))).toHaveLength(3)
    for (const skewMs of [-300_000, 300_000])
      await expect(readLog(openDriver({ skewMs }))).rejects.toMatchObject(unreachable)
    // The nonce is remembered for as long as its time is valid.
    const { headers: futureHeaders } = signRequest(key, '/states', now + 240_000)
    expect(await request('/states', futureHeaders)).toBe(200)
    now += 500_000
    expect(await request('/states', futureHeaders)).toBe(404)
  })

  it('knows only its own paths', async () => {
    for (const path of ['/', '/states/x', '//states', '/remove?serviceId=3&code=acme'])
      expect(await request(path, signRequest(key, path, now).headers)).toBe(404)
  })
})
