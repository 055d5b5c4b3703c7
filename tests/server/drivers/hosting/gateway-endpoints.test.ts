/** Tests the gateway with tasks on TCP ports, some of which cannot be reached. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request as sendHttp, type Server, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer as readBuffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEndpointOrder } from '#server/drivers/hosting/gateway/endpoint-order.ts'
import { type HostingGateway, openGateway } from '#server/drivers/hosting/gateway/gateway.ts'
import type { TaskEndpoint } from '#server/drivers/hosting/gateway/task-endpoint.ts'
import { sendRequest } from '#tests/support/hosting/hosting.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-endpoints-'))
interface StoredRequest {
  method: string
  body: Buffer
}
const requests: StoredRequest[] = []
let respond: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void
let task: Server
let gateway: HostingGateway
let url: string
let endpoints: TaskEndpoint[] = []
let reachable: TaskEndpoint
let refused: TaskEndpoint

beforeAll(async () => {
  task = createServer((request, response) => {
    const store = (body: Buffer) => {
      requests.push({ method: request.method ?? '', body })
      respond(request, response, body)
    }
    // A request that is cut off is never stored.
    readBuffer(request).then(store, () => undefined)
  })
  task.listen(0, '127.0.0.1')
  await once(task, 'listening')
  reachable = { host: '127.0.0.1', port: (task.address() as AddressInfo).port }
  refused = { host: '127.0.0.1', port: await findFreePort() }
  gateway = await openGateway({
    folder,
    domain: 'localhost',
    port: 0,
    limits: { connectMs: 1000 },
    findTarget: () => ({ listEndpoints: () => endpoints, shouldRun: () => true }),
  })
  url = gateway.getAddress('acme').url
})
beforeEach(() => {
  endpoints = [reachable]
  requests.length = 0
  respond = (_request, response, body) => void response.end(body)
})
afterAll(async () => {
  await gateway.close()
  task.close()
  task.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens a port whose queue of new connections is full, so that further connections are neither accepted nor refused, like on a lost node. */
async function openSilentPort(): Promise<{ endpoint: TaskEndpoint; close: () => Promise<void> }> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
    const server = require('node:net').createServer()
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`,
    { eval: true },
  )
  const [port] = (await once(worker, 'message')) as [number]
  const clients = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  const connected = new Set<Socket>()
  await new Promise<void>((resolve) => {
    for (const client of clients)
      client.on('connect', () => {
        if (connected.add(client).size === 2) resolve()
      })
  })
  return {
    endpoint: { host: '127.0.0.1', port },
    async close() {
      for (const client of clients) client.destroy()
      await worker.terminate()
    },
  }
}

/** Sends a body of that many bytes, in chunks without a content-length if `isChunked`. */
function sendBytes(
  sentBody: Buffer,
  { isChunked = false, method = 'POST' } = {},
): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host, ...(isChunked ? {} : { 'content-length': sentBody.length }) }
    const clientRequest = sendHttp(url.replace('www.acme.localhost', '127.0.0.1'), { method, headers, agent: false })
    clientRequest.on('response', (response) => {
      readBuffer(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    clientRequest.on('error', reject)
    for (let start = 0; start < sentBody.length; start += 65_536)
      clientRequest.write(sentBody.subarray(start, start + 65_536))
    clientRequest.end()
  })
}

expectNothingUncaught()

describe('a task that cannot be reached', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'does not get a request with %s; the next task does',
    async (method) => {
      endpoints = [refused, { socketPath: join(folder, 'gone.sock') }, reachable]
      for (let time = 0; time < 3; time++)
        expect([time, (await sendRequest(url, '/', { method, headers: { 'content-length': '0' } })).status]).toEqual([
          time,
          200,
        ])
      expect(requests.map((request) => request.method)).toEqual([method, method, method])
    },
  )

  it.each([true, false])('leaves the complete body to the next task (chunked: %s)', async (isChunked) => {
    endpoints = [refused, reachable]
    const body = Buffer.alloc(3_000_000, 'abcdefg')
    for (let time = 0; time < 2; time++) {
      const response = await sendBytes(body, { isChunked })
      expect([response.status, response.body.equals(body)]).toEqual([200, true])
    }
    expect(requests.map((request) => request.body.length)).toEqual([body.length, body.length])
  })

  it('is skipped after the timeout of the connection', async () => {
    const silent = await openSilentPort()
    endpoints = [silent.endpoint, reachable]
    const startedAt = performance.now()
    for (let time = 0; time < 2; time++) {
      const response = await sendBytes(Buffer.from('order'))
      expect([response.status, response.body.toString()]).toEqual([200, 'order'])
    }
    expect(performance.now() - startedAt).toBeGreaterThan(990)
    expect(requests).toHaveLength(2)
    await silent.close()
  })

  it('is tried last for a while, also when it can be reached again', async () => {
    const socketPath = join(folder, 'again.sock')
    endpoints = [{ socketPath }, reachable]
    for (let time = 0; time < 2; time++) await sendRequest(url, '/')
    let requestCount = 0
    const restartedTask = createServer((_request, response) => {
      requestCount += 1
      response.end()
    }).listen(socketPath)
    await once(restartedTask, 'listening')
    for (let time = 0; time < 4; time++) expect((await sendRequest(url, '/')).status).toBe(200)
    expect([requestCount, requests.length]).toEqual([0, 6])
    restartedTask.close()
  })

  it('gives a 503 page if there is no other one, and the client may send the rest of its body', async () => {
    endpoints = [refused]
    const response = await sendBytes(Buffer.alloc(1_000_000), { isChunked: true })
    expect([response.status, response.body.toString()]).toEqual([503, expect.stringContaining('does not respond')])
  })
})

describe('a task that ends a connection', () => {
  it.each([true, false])('never causes a second request with a body (after reading it: %s)', async (readsBody) => {
    let connectionCount = 0
    const breaking = createTcpServer((socket) => {
      connectionCount += 1
      socket.on('error', () => undefined)
      if (readsBody) socket.once('data', () => socket.destroy())
      else socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(breaking, 'listening')
    const breakingEndpoint = { host: '127.0.0.1', port: (breaking.address() as AddressInfo).port }
    endpoints = [breakingEndpoint, breakingEndpoint]
    expect((await sendBytes(Buffer.from('order'))).status).toBe(503)
    expect(connectionCount).toBe(1)
    breaking.close()
  })
})

describe('a task on a TCP port', () => {
  it('can send a large download, which is paused while the client does not read', async () => {
    const size = 60_000_000
    let writtenBytes = 0
    respond = (_request, response) => {
      const chunk = Buffer.alloc(1_000_000, 1)
      const write = () => {
        while (writtenBytes < size) {
          writtenBytes += chunk.length
          if (!response.write(chunk)) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    }
    const clientRequest = sendHttp(url.replace('www.acme.localhost', '127.0.0.1'), {
      headers: { host: new URL(url).host },
      agent: false,
    }).end()
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
    // Waits until nothing more is written. The buffers of the sockets take a few megabytes.
    for (let previousBytes = -1; previousBytes !== writtenBytes; await wait(200)) previousBytes = writtenBytes
    expect(writtenBytes).toBeLessThan(size)
    let receivedBytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) receivedBytes += chunk.length
    expect([receivedBytes, writtenBytes]).toEqual([size, size])
  })

  it('does not get an upgrade to another protocol: it is an ordinary request', async () => {
    respond = ({ headers }, response) => void response.end(String(headers.upgrade))
    const upgradeHeaders = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const response = await sendRequest(url, '/', { headers: upgradeHeaders })
    expect([response.status, response.body]).toEqual([200, 'undefined'])
  })

  it('does not get a body that the client has cut off', async () => {
    const client = connect(Number(new URL(url).port), '127.0.0.1')
    const isClosed = new Promise<void>((resolve) =>
      task.once('connection', (socket: Socket) => socket.on('close', resolve)),
    )
    client.write(`POST / HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Length: 100\r\n\r\nhalf`)
    await once(task, 'request')
    client.destroy()
    await isClosed
    expect(requests).toEqual([])
  })
})

it('createEndpointOrder alternates, tries unreachable endpoints last for ten seconds, and forgets the oldest of many', () => {
  let now = 1_000_000
  const order = createEndpointOrder(() => now)
  const [first, second, third] = [1, 2, 3].map((port) => ({ host: '10.0.0.1', port })) as [
    TaskEndpoint,
    TaskEndpoint,
    TaskEndpoint,
  ]
  const all = [first, second, third]
  const listFirsts = (count: number) => Array.from({ length: count }, () => order.arrange(all)[0])
  expect(new Set(listFirsts(3))).toEqual(new Set(all))
  order.markUnreachable(second)
  expect(new Set(listFirsts(4))).toEqual(new Set([first, third]))
  expect(order.arrange(all).at(-1)).toBe(second)
  expect(order.arrange([second])).toEqual([second])
  expect(order.arrange([])).toEqual([])
  now += 10_000
  expect(new Set(listFirsts(3))).toEqual(new Set(all))
  order.markUnreachable(first)
  for (let port = 10; port < 1010; port++) order.markUnreachable({ host: '10.0.0.1', port })
  expect(new Set(listFirsts(3))).toEqual(new Set(all))
})
