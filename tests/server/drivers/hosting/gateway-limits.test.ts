/** Tests the gateway with clients that use more than their share: other clients do not have to wait. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify as createFastify } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getClientAddress, createHopTrust } from '#server/shares/client-address.ts'
import { type HostingGateway, type GatewayLimits, openGateway } from '#server/drivers/hosting/gateway/gateway.ts'
import { createRequestShare } from '#server/shares/request-shares.ts'
import { sendRequest, waitUntil } from '#tests/support/hosting/hosting.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-limits-'))
const socket = join(folder, 'task.sock')
const requests: IncomingMessage[] = []
let respond: (request: IncomingMessage, response: ServerResponse) => void
const task = createServer((request, response) => {
  requests.push(request)
  respond(request, response)
})
const clients: Socket[] = []
let gateway: HostingGateway

beforeAll(async () => {
  task.listen(socket)
  await once(task, 'listening')
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await gateway?.close()
  task.closeAllConnections()
  requests.length = 0
})
afterAll(() => {
  task.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens a gateway to two services with one task. */
async function openTestGateway(
  limits: Partial<GatewayLimits>,
  options: { trustProxy?: number; tls?: boolean } = { trustProxy: 1 },
) {
  respond = (_, response) => void response.end('from a task')
  gateway = await openGateway({
    folder,
    domain: 'localhost',
    port: 0,
    limits: { refusalMs: 20, ...limits },
    ...options,
    findTarget: (code) =>
      code === 'acme' || code === 'other'
        ? { listEndpoints: () => [{ socketPath: socket }], shouldRun: () => true }
        : null,
  })
}
const sendFrom = (address: string, code = 'acme', form?: Record<string, string>) =>
  sendRequest(gateway.getAddress(code).url, '/', { headers: { 'x-forwarded-for': address }, ...(form && { form }) })
const readStatuses = async (responses: Promise<{ status: number }>[]) =>
  (await Promise.all(responses)).map(({ status }) => status)
const repeat = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index))

async function openConnection(address: string, text: string): Promise<Socket> {
  const client = connect({
    port: Number(new URL(gateway.getAddress('acme').url).port),
    host: '127.0.0.1',
    localAddress: address,
  })
  clients.push(client)
  client.on('error', () => undefined)
  await once(client, 'connect')
  client.write(text)
  return client
}
const head = 'GET / HTTP/1.1\r\nHost: www.acme.localhost\r\n'

expectNothingUncaught()

describe('the limits of the hosting gateway', () => {
  it('refuse an address that has used its share, and serve all others (fault 15b)', async () => {
    await openTestGateway({ address: { maxConcurrent: 100, perSecond: 0, burst: 10 } })
    const floodStatuses = await readStatuses(repeat(30, () => sendFrom('192.0.2.1')))
    expect(floodStatuses.toSorted()).toEqual([...Array(10).fill(200), ...Array(20).fill(429)])
    expect(requests).toHaveLength(10)
    // All addresses of an IPv6 network share one limit.
    const networkStatuses = await readStatuses(repeat(15, (index) => sendFrom(`2001:db8::${index + 1}`)))
    expect(networkStatuses.filter((status) => status === 200)).toHaveLength(10)
    expect((await sendFrom('192.0.2.2')).status).toBe(200)
    const refusedResponse = await sendFrom('192.0.2.1')
    expect([refusedResponse.headers['retry-after'], refusedResponse.headers['connection']]).toEqual(['10', 'close'])
    expect(refusedResponse.body).toMatch(/http-equiv="refresh"[^]*Too many requests[^]*请求过多/)
    const refusedForm = await sendFrom('192.0.2.1', 'acme', { name: 'typed' })
    expect(refusedForm.body).toMatch(/Go back and send it again[^]*请返回并在几秒后重新提交/)
    expect(refusedForm.body).not.toContain('http-equiv')
  })

  it('keep other services and addresses available while a service hangs (fault 15b)', async () => {
    await openTestGateway({
      address: { maxConcurrent: 4, perSecond: 0, burst: 100 },
      service: { maxConcurrent: 6, perSecond: 0, burst: 100 },
    })
    respond = ({ headers }, response) => void (headers.host?.includes('other') ? response.end('other') : undefined)
    const hangingRequests = repeat(4, () => sendFrom('192.0.2.1').catch(() => null))
    await waitUntil('four at the task', () => requests.length === 4)
    expect((await sendFrom('192.0.2.1')).status).toBe(429)
    hangingRequests.push(...repeat(2, () => sendFrom('192.0.2.2').catch(() => null)))
    await waitUntil('six at the task', () => requests.length === 6)
    const busyResponse = await sendFrom('192.0.2.3')
    expect([busyResponse.status, busyResponse.headers['retry-after']]).toEqual([503, '10'])
    expect(busyResponse.body).toMatch(/The service is busy[^]*服务繁忙/)
    expect((await sendFrom('192.0.2.3', 'other')).body).toBe('other')
    // An interrupted request frees its slot.
    task.closeAllConnections()
    await Promise.all(hangingRequests)
    respond = (_, response) => void response.end('again')
    expect((await sendFrom('192.0.2.1')).body).toBe('again')
  })

  it('limit the requests per second of a service over all addresses (fault 15b)', async () => {
    await openTestGateway({ service: { maxConcurrent: 100, perSecond: 0, burst: 20 } })
    const floodStatuses = await readStatuses(repeat(40, (index) => sendFrom(`192.0.2.${index + 1}`)))
    expect(floodStatuses.toSorted()).toEqual([...Array(20).fill(200), ...Array(20).fill(503)])
    expect((await sendFrom('192.0.2.1', 'other')).status).toBe(200)
  })

  it('close idle connections of an address that opens too many, and let others in (fault 15b)', async () => {
    await openTestGateway({ connectionsPerAddress: 5, connections: 8 }, {})
    const idleClients: Socket[] = []
    for (let index = 0; index < 20; index++) idleClients.push(await openConnection('127.0.0.1', head))
    await waitUntil(
      'five left',
      () => idleClients.filter((client) => !client.destroyed && client.readyState === 'open').length === 5,
    )
    const readAnswer = async (address: string) => {
      const client = await openConnection(address, `${head}Connection: close\r\n\r\n`)
      const [firstChunk] = (await once(client, 'data')) as [Buffer]
      return firstChunk.toString().slice(0, 15)
    }
    expect(await readAnswer('127.0.0.2')).toBe('HTTP/1.1 200 OK')
    expect(await readAnswer('127.0.0.1')).toBe('HTTP/1.1 200 OK')
    // Several addresses together cannot block another address either.
    for (let hostNumber = 3; hostNumber < 10; hostNumber++) await openConnection(`127.0.0.${hostNumber}`, head)
    expect(await readAnswer('127.0.0.20')).toBe('HTTP/1.1 200 OK')
  })

  it('close a connection that pipelines many requests, and drop its other requests (fault 15h)', async () => {
    await openTestGateway({}, {})
    respond = () => undefined
    const client = await openConnection('127.0.0.1', `${head}\r\n`.repeat(100))
    await once(client, 'close')
    expect(requests.length).toBeLessThanOrEqual(2)
    respond = (_, response) => void response.end('from a task')
    const otherClient = await openConnection('127.0.0.2', `${head}\r\n`)
    for (let turn = 0; turn < 3; turn++) {
      const [firstChunk] = (await once(otherClient, 'data')) as [Buffer]
      expect(firstChunk.toString().slice(0, 15)).toBe('HTTP/1.1 200 OK')
      otherClient.write(`${head}\r\n`)
    }
  })

  it('return a 413 page in both languages for a body that is too large (fault 15p)', async () => {
    await openTestGateway({}, {})
    const client = await openConnection('127.0.0.1', `${head.replace('GET', 'POST')}Content-Length: 10000001\r\n\r\n`)
    let text = ''
    client.setEncoding('utf8').on('data', (part: string) => (text += part))
    await once(client, 'end')
    expect(text).toMatch(/^HTTP\/1.1 413 [^]*Too large[^]*内容过大/)
    expect(requests).toEqual([])
  })

  it('close new connections of an address that opens too many per second, and let others in (fault 15i)', async () => {
    await openTestGateway({ connectionsPerSecond: { maxConcurrent: 1, perSecond: 0, burst: 5 } }, {})
    const openedClients: Socket[] = []
    for (let index = 0; index < 8; index++) openedClients.push(await openConnection('127.0.0.1', head))
    const isOpen = (client: Socket) => !client.destroyed && client.readyState === 'open'
    await waitUntil('five left', () => openedClients.filter(isOpen).length === 5)
    const otherClient = await openConnection('127.0.0.2', `${head}\r\n`)
    const [firstChunk] = (await once(otherClient, 'data')) as [Buffer]
    expect(firstChunk.toString().slice(0, 15)).toBe('HTTP/1.1 200 OK')
  })

  it('cut off a client that does not read its response (fault 15b)', async () => {
    await openTestGateway({ slowReader: { checkMs: 50, minBytes: 1000 } })
    const isEnded = new Promise<boolean>((resolve) => {
      respond = (_, response) => {
        response.on('close', () => resolve(response.writableFinished))
        response.end(Buffer.alloc(50_000_000))
      }
    })
    const client = await openConnection('127.0.0.1', `${head}\r\n`)
    client.pause()
    expect(await isEnded).toBe(false)
  })

  it('take the client address only from trusted proxies, as the portal does (fault 15c)', async () => {
    const headers = [
      '',
      '192.0.2.1',
      '192.0.2.1, 198.51.100.2',
      ' 192.0.2.1 ,198.51.100.2,  203.0.113.3',
      '::1,unknown,"x"',
      ',',
      '192.0.2.1,,198.51.100.2,',
    ]
    for (const hopCount of [0, 1, 2, 3]) {
      const fastify = createFastify({ trustProxy: createHopTrust(hopCount) })
      fastify.get('/', (request) => request.ip)
      for (const header of headers) {
        const request = { remoteAddress: '127.0.0.1', headers: header === '' ? {} : { 'x-forwarded-for': header } }
        const { body } = await fastify.inject({ url: '/', ...request })
        const address = getClientAddress(
          { socket: request, headers: request.headers } as unknown as IncomingMessage,
          hopCount,
        )
        expect([hopCount, header, address]).toEqual([hopCount, header, body])
      }
      await fastify.close()
    }
  })

  it.each([
    [0, '127.0.0.1', 'http'],
    [1, '203.0.113.3', 'https'],
    [2, '198.51.100.2', 'https'],
  ])(
    'pass on the client address behind %i proxies, and ignore forged headers of the client (fault 15c)',
    async (trustProxy, address, proto) => {
      await openTestGateway({}, { trustProxy, tls: trustProxy > 0 })
      await sendRequest(gateway.getAddress('acme').url, '/', {
        headers: {
          'x-forwarded-for': '192.0.2.1, 198.51.100.2, 203.0.113.3',
          'x-forwarded-proto': 'gopher',
          'x-forwarded-host': 'evil.example',
          'x-forwarded-port': '1',
          'x-forwarded-prefix': '/evil',
          'x-real-ip': '10.0.0.1',
          'x-client-ip': '10.0.0.1',
          'true-client-ip': '10.0.0.1',
          'cf-connecting-ip': '10.0.0.1',
          'x-original-url': '/admin',
          'x-rewrite-url': '/admin',
          x_forwarded_for: '10.0.0.1',
          forwarded: 'for=10.0.0.1',
        },
      })
      const { headers } = requests[0] ?? { headers: {} }
      expect(headers).toMatchObject({ 'x-forwarded-for': address, 'x-forwarded-proto': proto })
      expect(Object.values(headers).join(' ')).not.toMatch(/10\.0\.0\.1|evil|\/admin|gopher/)
    },
  )

  it.each([
    [true, ['a=1; Path=/; Secure', 'b=2; SameSite=Lax; secure', 'c=3; HttpOnly; Secure', 'd=domain=x; Secure']],
    [false, ['a=1; Path=/', 'b=2; SameSite=Lax; secure', 'c=3; HttpOnly', 'd=domain=x']],
  ])('restrict the cookies of a service to its own host (over TLS: %s) (fault 15d)', async (tls, expected) => {
    await openTestGateway({}, { tls })
    respond = (_, response) => {
      response.writeHead(200, {
        'set-cookie': [
          'a=1; Domain=localhost; Path=/',
          'b=2; DOMAIN = .acme.localhost; SameSite=Lax; secure',
          'c=3;\tdomain; HttpOnly',
          'd=domain=x',
        ],
        'clear-site-data': '"cookies"',
      })
      response.end()
    }
    const { headers } = await sendRequest(gateway.getAddress('acme').url, '/')
    expect([headers['set-cookie'], headers['clear-site-data']]).toEqual([expected, undefined])
  })
})

it('createRequestShare refills over time, and removes addresses that send nothing (fault 15b)', () => {
  let now = 0
  const share = createRequestShare({ maxConcurrent: 2, perSecond: 10, burst: 3 }, () => now)
  const claimShares = (key: string, count: number) => repeat(count, () => share.claim(key))
  expect(claimShares('a', 3)).toEqual([true, true, false])
  share.release('a')
  expect(claimShares('a', 1)).toEqual([true])
  share.release('a')
  share.release('a')
  expect(claimShares('a', 1)).toEqual([false])
  now += 200
  expect(claimShares('a', 3)).toEqual([true, true, false])
  expect(claimShares('quiet', 1)).toEqual([true])
  share.release('quiet')
  expect(claimShares('quiet', 3)).toEqual([true, true, false])
  share.release('quiet')
  share.release('quiet')
  expect(claimShares('quiet', 1)).toEqual([false])
  for (let address = 0; address < 20_001; address++) {
    share.claim(`address ${address}`)
    share.release(`address ${address}`)
  }
  expect(claimShares('quiet', 1)).toEqual([true])
  // The entry of an address is not removed while its share is in use.
  expect(claimShares('a', 1)).toEqual([false])
})
