/** The gateway under clients that take more than their share: nobody else waits for them. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify as createFastify } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientAddress, trustsHop } from '#server/shares/client-address.ts'
import { type Gateway, type GatewayLimits, openGateway } from '#server/drivers/hosting/local/gateway.ts'
import { createRequestShare } from '#server/shares/request-shares.ts'
import { ask, until } from '#tests/support/hosting/hosting.ts'
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
let gateway: Gateway

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

/** Two services, one task. */
async function open(limits: Partial<GatewayLimits>, more: { trustProxy?: number; tls?: boolean } = { trustProxy: 1 }) {
  respond = (_, response) => void response.end('from a task')
  gateway = await openGateway({
    folder,
    domain: 'localhost',
    port: 0,
    limits: { refusalMs: 20, ...limits },
    ...more,
    find: (code) =>
      code === 'acme' || code === 'other'
        ? { healthyTasks: () => [{ record: { socket } }], wantsToRun: () => true }
        : null,
  })
}
const from = (address: string, code = 'acme', form?: Record<string, string>) =>
  ask(gateway.addressOf(code).url, '/', { headers: { 'x-forwarded-for': address }, ...(form && { form }) })
const statuses = async (all: Promise<{ status: number }>[]) => (await Promise.all(all)).map(({ status }) => status)
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))

async function open127(address: string, text: string): Promise<Socket> {
  const client = connect({
    port: Number(new URL(gateway.addressOf('acme').url).port),
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

describe('the gateway', () => {
  it('fault 15b refuses an address that has used its share up, and answers all others', async () => {
    await open({ address: { atOnce: 100, perSecond: 0, burst: 10 } })
    const flood = await statuses(times(30, () => from('192.0.2.1')))
    expect(flood.toSorted()).toEqual([...Array(10).fill(200), ...Array(20).fill(429)])
    expect(requests).toHaveLength(10)
    // Whoever has one address of a network of IPv6 has all of them.
    const ofNetwork = await statuses(times(15, (at) => from(`2001:db8::${at + 1}`)))
    expect(ofNetwork.filter((status) => status === 200)).toHaveLength(10)
    expect((await from('192.0.2.2')).status).toBe(200)
    const refused = await from('192.0.2.1')
    expect([refused.headers['retry-after'], refused.headers['connection']]).toEqual(['10', 'close'])
    expect(refused.body).toMatch(/http-equiv="refresh"[^]*Too many requests[^]*请求过多/)
    const refusedForm = await from('192.0.2.1', 'acme', { name: 'typed' })
    expect(refusedForm.body).toMatch(/Go back and send it again[^]*请返回并在几秒后重新提交/)
    expect(refusedForm.body).not.toContain('http-equiv')
  })

  it('fault 15b holds back neither other services nor other addresses when a service hangs', async () => {
    await open({
      address: { atOnce: 4, perSecond: 0, burst: 100 },
      service: { atOnce: 6, perSecond: 0, burst: 100 },
    })
    respond = ({ headers }, response) => void (headers.host?.includes('other') ? response.end('other') : undefined)
    const hanging = times(4, () => from('192.0.2.1').catch(() => null))
    await until('four at the task', () => requests.length === 4)
    expect((await from('192.0.2.1')).status).toBe(429)
    hanging.push(...times(2, () => from('192.0.2.2').catch(() => null)))
    await until('six at the task', () => requests.length === 6)
    const busy = await from('192.0.2.3')
    expect([busy.status, busy.headers['retry-after']]).toEqual([503, '10'])
    expect(busy.body).toMatch(/The service is busy[^]*服务繁忙/)
    expect((await from('192.0.2.3', 'other')).body).toBe('other')
    // What is cut off gives its place back.
    task.closeAllConnections()
    await Promise.all(hanging)
    respond = (_, response) => void response.end('again')
    expect((await from('192.0.2.1')).body).toBe('again')
  })

  it('fault 15b limits how many requests a second reach one service, however many addresses send them', async () => {
    await open({ service: { atOnce: 100, perSecond: 0, burst: 20 } })
    const flood = await statuses(times(40, (at) => from(`192.0.2.${at + 1}`)))
    expect(flood.toSorted()).toEqual([...Array(20).fill(200), ...Array(20).fill(503)])
    expect((await from('192.0.2.1', 'other')).status).toBe(200)
  })

  it('fault 15b closes the idle connections of an address that opens too many, and lets others in', async () => {
    await open({ connectionsPerAddress: 5, connections: 8 }, {})
    const hogs: Socket[] = []
    for (let at = 0; at < 20; at++) hogs.push(await open127('127.0.0.1', head))
    await until(
      'five left',
      () => hogs.filter((client) => !client.destroyed && client.readyState === 'open').length === 5,
    )
    const answer = async (address: string) => {
      const client = await open127(address, `${head}Connection: close\r\n\r\n`)
      const [first] = (await once(client, 'data')) as [Buffer]
      return first.toString().slice(0, 15)
    }
    expect(await answer('127.0.0.2')).toBe('HTTP/1.1 200 OK')
    expect(await answer('127.0.0.1')).toBe('HTTP/1.1 200 OK')
    // Many addresses together do not keep out another one either.
    for (let at = 3; at < 10; at++) await open127(`127.0.0.${at}`, head)
    expect(await answer('127.0.0.20')).toBe('HTTP/1.1 200 OK')
  })

  it('fault 15h closes a connection that sends requests before the last ones are answered, and works on none of the rest', async () => {
    await open({}, {})
    respond = () => undefined
    const client = await open127('127.0.0.1', `${head}\r\n`.repeat(100))
    await once(client, 'close')
    expect(requests.length).toBeLessThanOrEqual(2)
    respond = (_, response) => void response.end('from a task')
    const other = await open127('127.0.0.2', `${head}\r\n`)
    for (let turn = 0; turn < 3; turn++) {
      const [first] = (await once(other, 'data')) as [Buffer]
      expect(first.toString().slice(0, 15)).toBe('HTTP/1.1 200 OK')
      other.write(`${head}\r\n`)
    }
  })

  it('fault 15p says in both languages that what was sent is too large', async () => {
    await open({}, {})
    const client = await open127('127.0.0.1', `${head.replace('GET', 'POST')}Content-Length: 10000001\r\n\r\n`)
    let text = ''
    client.setEncoding('utf8').on('data', (part: string) => (text += part))
    await once(client, 'end')
    expect(text).toMatch(/^HTTP\/1.1 413 [^]*Too large[^]*内容过大/)
    expect(requests).toEqual([])
  })

  it('fault 15i closes new connections of an address that opens them without end, and lets others in', async () => {
    await open({ connectionsPerSecond: { atOnce: 1, perSecond: 0, burst: 5 } }, {})
    const opened: Socket[] = []
    for (let at = 0; at < 8; at++) opened.push(await open127('127.0.0.1', head))
    const isOpen = (client: Socket) => !client.destroyed && client.readyState === 'open'
    await until('five left', () => opened.filter(isOpen).length === 5)
    const other = await open127('127.0.0.2', `${head}\r\n`)
    const [first] = (await once(other, 'data')) as [Buffer]
    expect(first.toString().slice(0, 15)).toBe('HTTP/1.1 200 OK')
  })

  it('fault 15b cuts off who does not read what they asked for', async () => {
    await open({ slowReader: { checkMs: 50, minBytes: 1000 } })
    const ended = new Promise<boolean>((done) => {
      respond = (_, response) => {
        response.on('close', () => done(response.writableFinished))
        response.end(Buffer.alloc(50_000_000))
      }
    })
    const client = await open127('127.0.0.1', `${head}\r\n`)
    client.pause()
    expect(await ended).toBe(false)
  })

  it('fault 15c takes the address of a client from proxies that are trusted, as the portal does, and from nobody else', async () => {
    const headers = [
      '',
      '192.0.2.1',
      '192.0.2.1, 198.51.100.2',
      ' 192.0.2.1 ,198.51.100.2,  203.0.113.3',
      '::1,unknown,"x"',
      ',',
      '192.0.2.1,,198.51.100.2,',
    ]
    for (const trusted of [0, 1, 2, 3]) {
      const fastify = createFastify({ trustProxy: trustsHop(trusted) })
      fastify.get('/', (request) => request.ip)
      for (const header of headers) {
        const request = { remoteAddress: '127.0.0.1', headers: header === '' ? {} : { 'x-forwarded-for': header } }
        const { body } = await fastify.inject({ url: '/', ...request })
        const own = clientAddress({ socket: request, headers: request.headers } as unknown as IncomingMessage, trusted)
        expect([trusted, header, own]).toEqual([trusted, header, body])
      }
      await fastify.close()
    }
  })

  it.each([
    [0, '127.0.0.1', 'http'],
    [1, '203.0.113.3', 'https'],
    [2, '198.51.100.2', 'https'],
  ])(
    'fault 15c tells a service who asks with %i proxies, whatever else the client claims',
    async (trustProxy, address, proto) => {
      await open({}, { trustProxy, tls: trustProxy > 0 })
      await ask(gateway.addressOf('acme').url, '/', {
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
  ])('fault 15d keeps the cookies of a service to its own host (over TLS: %s)', async (tls, expected) => {
    await open({}, { tls })
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
    const { headers } = await ask(gateway.addressOf('acme').url, '/')
    expect([headers['set-cookie'], headers['clear-site-data']]).toEqual([expected, undefined])
  })
})

it('fault 15b gives a share back with time, and forgets addresses that are quiet', () => {
  let now = 0
  const share = createRequestShare({ atOnce: 2, perSecond: 10, burst: 3 }, () => now)
  const claims = (key: string, count: number) => times(count, () => share.claim(key))
  expect(claims('a', 3)).toEqual([true, true, false])
  share.release('a')
  expect(claims('a', 1)).toEqual([true])
  share.release('a')
  share.release('a')
  expect(claims('a', 1)).toEqual([false])
  now += 200
  expect(claims('a', 3)).toEqual([true, true, false])
  expect(claims('quiet', 1)).toEqual([true])
  share.release('quiet')
  expect(claims('quiet', 3)).toEqual([true, true, false])
  share.release('quiet')
  share.release('quiet')
  expect(claims('quiet', 1)).toEqual([false])
  for (let address = 0; address < 20_001; address++) {
    share.claim(`address ${address}`)
    share.release(`address ${address}`)
  }
  expect(claims('quiet', 1)).toEqual([true])
  // Still at work: not forgotten.
  expect(claims('a', 1)).toEqual([false])
})
