/** Tests of the gateway with hostile clients and tasks. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HostingGateway, openGateway } from '#server/drivers/hosting/gateway/gateway.ts'
import { sendRequest } from '#tests/support/hosting/hosting.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
const sockets = [join(folder, '1.sock'), join(folder, '2.sock')]
const [firstSocket = '', secondSocket = ''] = sockets
const limits = { headerBytes: 16_384, headersMs: 300, requestMs: 3000, connections: 50 }

interface UpstreamServer {
  server: Server
  requests: IncomingMessage[]
}
const upstreams: UpstreamServer[] = []
let respond: (request: IncomingMessage, response: ServerResponse) => void
let gateway: HostingGateway
let url: string
let tasks: string[] = []
let wantsToRun = true

beforeAll(async () => {
  for (const path of sockets) {
    const requests: IncomingMessage[] = []
    const server = createServer((request, response) => {
      requests.push(request)
      respond(request, response)
    })
    server.listen(path)
    await once(server, 'listening')
    upstreams.push({ server, requests })
  }
  gateway = await openGateway({
    folder,
    domain: 'localhost',
    port: 0,
    limits,
    findTarget: (code) =>
      code === 'acme'
        ? { listEndpoints: () => tasks.map((socketPath) => ({ socketPath })), shouldRun: () => wantsToRun }
        : null,
  })
  url = gateway.getAddress('acme').url
})
beforeEach(() => {
  tasks = [firstSocket]
  wantsToRun = true
  respond = (_, response) => void response.end('from a task')
  for (const { requests } of upstreams) requests.length = 0
})
afterAll(async () => {
  await gateway.close()
  for (const { server } of upstreams) {
    server.close()
    server.closeAllConnections()
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Sends bytes on a connection, and returns everything received until it is closed. */
async function sendRaw(...pieces: (string | Buffer)[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const parts: Buffer[] = []
  socket.on('data', (chunk: Buffer) => parts.push(chunk))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  for (const piece of pieces) socket.write(piece)
  if (!socket.closed) await once(socket, 'close')
  return Buffer.concat(parts).toString('latin1')
}
const parseStatus = (response: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1] ?? 0)
const buildHead = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const hostHeader = 'Host: www.acme.localhost'
const closeHeader = 'Connection: close'
const listRequests = () => upstreams.flatMap(({ requests }) => requests)

expectNothingUncaught()

describe('the hosting gateway', () => {
  it.each([
    ['an invalid status', 'HTTP/1.1 099 Hm\r\nContent-Length: 2\r\n\r\nhi'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n'],
    ['bytes that are not HTTP', 'what?\r\n\r\n'],
  ])('returns 503 if a task sends %s (fault 1m)', async (_, sentBytes) => {
    respond = (_request, response) => void response.socket?.end(sentBytes)
    expect(parseStatus(await sendRaw(buildHead('POST / HTTP/1.1', hostHeader, closeHeader, 'Content-Length: 0')))).toBe(
      503,
    )
    respond = (_request, response) => void response.end('from a task')
    expect((await sendRequest(url, '/', { headers: { host: 'www.acme.localhost' } })).status).toBe(200)
  })

  it('serves both hosts of a service in any spelling, and no other host', async () => {
    for (const name of ['www.acme.localhost', 'ADMIN.Acme.LocalHost', 'www.acme.localhost:1'])
      expect([name, (await sendRequest(url, '/', { headers: { host: name } })).status]).toEqual([name, 200])
    for (const name of [
      'www.other.localhost',
      'acme.localhost',
      'mail.acme.localhost',
      'www.acme.localhost.evil.example',
      'www.acme.evil.example',
      'www.acme.localhost:80:80',
      'evil@www.acme.localhost',
      'www.acme.localhost/',
      'www.acme.localhost.',
      'www..localhost',
      '127.0.0.1',
      'x'.repeat(5000),
    ])
      expect([name, (await sendRequest(url, '/', { headers: { host: name } })).status]).toEqual([name, 404])
    expect(listRequests()).toHaveLength(3)
  })

  it('rejects ambiguous requests', async () => {
    const body = '5\r\nhello\r\n0\r\n\r\n'
    const hostileRequests = {
      'no host': buildHead('GET / HTTP/1.1', closeHeader),
      'two hosts': buildHead('GET / HTTP/1.1', hostHeader, 'Host: www.other.localhost', closeHeader),
      'length and chunks': `${buildHead('POST / HTTP/1.1', hostHeader, 'Content-Length: 5', 'Transfer-Encoding: chunked', closeHeader)}${body}`,
      'chunks and length': `${buildHead('POST / HTTP/1.1', hostHeader, 'Transfer-Encoding: chunked', 'Content-Length: 5', closeHeader)}${body}`,
      'two lengths': `${buildHead('POST / HTTP/1.1', hostHeader, 'Content-Length: 5', 'Content-Length: 6', closeHeader)}hello`,
      'a length with a sign': `${buildHead('POST / HTTP/1.1', hostHeader, 'Content-Length: +5', closeHeader)}hello`,
      'unknown encoding': `${buildHead('POST / HTTP/1.1', hostHeader, 'Transfer-Encoding: chunked, identity', closeHeader)}${body}`,
      'a blank before the colon': `${buildHead('POST / HTTP/1.1', hostHeader, 'Transfer-Encoding : chunked', closeHeader)}${body}`,
      'a folded line': buildHead('GET / HTTP/1.1', hostHeader, 'X-A: a\r\n b: c', 'X\x01: y', closeHeader),
      'another address': buildHead('GET http://www.other.localhost/ HTTP/1.1', hostHeader, closeHeader),
      'no address': buildHead('OPTIONS * HTTP/1.1', hostHeader, closeHeader),
      'bare line feeds': 'GET / HTTP/1.1\nHost: www.acme.localhost\nX:\ny\n\n\n',
      'no HTTP': `\x16\x03\x01\x00\xa5\x01\x00\x00\r\n\r\n`,
    }
    for (const [title, text] of Object.entries(hostileRequests))
      expect([title, parseStatus(await sendRaw(text))]).toEqual([title, 400])
    expect(parseStatus(await sendRaw(buildHead('TRACE / HTTP/1.1', hostHeader, closeHeader)))).toBe(405)
    expect(
      parseStatus(await sendRaw(buildHead('CONNECT www.acme.localhost:80 HTTP/1.1', hostHeader, closeHeader))),
    ).not.toBe(200)
    expect(listRequests()).toEqual([])
  })

  nightly('limits the size and duration of headers and bodies', async () => {
    expect(parseStatus(await sendRaw(buildHead('GET / HTTP/1.1', hostHeader, `X-Long: ${'x'.repeat(20_000)}`)))).toBe(
      431,
    )
    expect(parseStatus(await sendRaw(buildHead('POST / HTTP/1.1', hostHeader, 'Content-Length: 10000001')))).toBe(413)
    expect(listRequests()).toEqual([])
    respond = (request, response) => void request.resume().on('end', () => response.end('ok'))
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 97), Buffer.from('\r\n')])
    const flood = Array.from({ length: 11 }, () => chunk)
    expect(
      parseStatus(await sendRaw(buildHead('POST / HTTP/1.1', hostHeader, 'Transfer-Encoding: chunked'), ...flood)),
    ).toBe(413)
    const startedAt = performance.now()
    // Neither of the two requests is ever completed.
    expect(parseStatus(await sendRaw('GET / HTTP/1.1\r\nHost: www'))).toBe(408)
    expect(parseStatus(await sendRaw(buildHead('POST / HTTP/1.1', hostHeader, 'Content-Length: 10'), 'half'))).toBe(408)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(listRequests().filter(({ complete: isComplete }) => isComplete)).toEqual([])
  })

  it('passes requests and responses on without hop-by-hop headers', async () => {
    respond = (_, response) => {
      response.writeHead(201, {
        'set-cookie': ['a=1', 'b=2'],
        'keep-alive': 'timeout=99',
        'proxy-authenticate': 'Basic',
      })
      response.end('made')
    }
    const gatewayResponse = await sendRequest(url, '/a%20b/..%2f?x=1&y', {
      method: 'PUT',
      form: { name: '值' },
      headers: {
        cookie: 'session=1',
        connection: 'close, x-secret-hop',
        'x-secret-hop': 'a',
        'x-forwarded-for': '10.0.0.1',
        'x-forwarded-proto': 'https',
        forwarded: 'for=10.0.0.1',
        te: 'trailers',
        upgrade: 'websocket',
        'proxy-authorization': 'Basic x',
      },
    })
    expect([gatewayResponse.status, gatewayResponse.body, gatewayResponse.headers['set-cookie']]).toEqual([
      201,
      'made',
      ['a=1', 'b=2'],
    ])
    expect([gatewayResponse.headers['keep-alive'], gatewayResponse.headers['proxy-authenticate']]).not.toContain(
      'timeout=99',
    )
    expect(gatewayResponse.headers['proxy-authenticate']).toBeUndefined()
    const [request] = listRequests()
    expect([request?.method, request?.url]).toEqual(['PUT', '/a%20b/..%2f?x=1&y'])
    expect(request?.headers).toMatchObject({
      cookie: 'session=1',
      host: new URL(url).host,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': new URL(url).host,
      'x-forwarded-proto': 'http',
    })
    for (const name of ['x-secret-hop', 'forwarded', 'te', 'upgrade', 'proxy-authorization'])
      expect([name, request?.headers[name]]).toEqual([name, undefined])
  })

  it('alternates between the healthy tasks, and uses another task if the first has ended', async () => {
    tasks = [firstSocket, secondSocket]
    for (let time = 0; time < 10; time++) await sendRequest(url, '/')
    expect(upstreams.map(({ requests }) => requests.length)).toEqual([5, 5])
    tasks = [join(folder, 'gone.sock'), secondSocket]
    for (let time = 0; time < 4; time++) expect((await sendRequest(url, '/')).status).toBe(200)
    // A request with a side effect is sent only once, because the first task may already have executed it.
    respond = (_, response) => void response.destroy()
    tasks = [firstSocket, secondSocket]
    for (const { requests } of upstreams) requests.length = 0
    expect((await sendRequest(url, '/', { form: { a: '1' } })).status).toBe(503)
    expect(listRequests()).toHaveLength(1)
  })

  it('aborts the response to the client if the task aborts its response', async () => {
    respond = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => response.destroy(), 20)
    }
    await expect(sendRequest(url, '/')).rejects.toThrow()
  })

  it('shows a page in both languages if a service does not run, and reloads it while it starts', async () => {
    tasks = []
    const startingResponse = await sendRequest(url, '/')
    expect([startingResponse.status, startingResponse.headers['retry-after']]).toEqual([503, '2'])
    expect(startingResponse.body).toMatch(/http-equiv="refresh"[^]*is starting[^]*服务正在启动/)
    wantsToRun = false
    expect((await sendRequest(url, '/x', { form: { a: '1' } })).body).toMatch(/is stopped[^]*服务已停止/)
    const unknownResponse = await sendRequest(url, '/', { headers: { host: 'www."><script>.localhost' } })
    expect([unknownResponse.status, unknownResponse.body]).toEqual([404, expect.not.stringMatching(/refresh|<script/)])
    expect(unknownResponse.headers['content-security-policy']).toContain("default-src 'none'")
    tasks = [join(folder, 'gone.sock')]
    expect((await sendRequest(url, '/')).body).toMatch(/does not respond[^]*服务没有响应/)
    expect((await sendRequest(url, '/', { method: 'HEAD' })).body).toBe('')
  })

  it('keeps its port when it is opened again', async () => {
    await gateway.close()
    gateway = await openGateway({ folder, domain: 'localhost', port: 0, limits, findTarget: () => null })
    expect(gateway.getAddress('acme').url).toBe(url)
    const otherGateway = await openGateway({ folder, domain: 'localhost', port: 0, limits, findTarget: () => null })
    expect(otherGateway.getAddress('acme').url).not.toBe(url)
    await otherGateway.close()
  })
})
