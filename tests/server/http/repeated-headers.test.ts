/** Headers that came twice are refused, on the socket as it is (decision 71). */
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let port: number
beforeAll(async () => {
  server = await startServer()
  await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (server.fastify.server.address() as AddressInfo).port
})
afterAll(() => server.close())

/** All that comes back until the other side closes. */
const send = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => (received += String(chunk)))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
const get = (lines: readonly string[], target = '/health/live') =>
  send([`GET ${target} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n'))
const own = 'Host: localhost'

it.each([
  ['two equal hosts', [own, own]],
  ['two hosts', [own, 'Host: attacker.example']],
  ['two hosts, the other first', ['host: attacker.example', own]],
  ['two tokens', [own, 'Authorization: Bearer a', 'authorization: Bearer b']],
  ['two keys of one request', [own, 'Idempotency-Key: a', 'Idempotency-Key: a']],
  ['two subjects', [own, 'for-user: 1:1', 'for-user: 1:2']],
  ['two versions', [own, 'If-Match: "1"', 'If-Match: "2"']],
  ['two origins', [own, 'Origin: http://localhost', 'Origin: http://attacker.example']],
  ['two sites', [own, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site']],
  ['two types of a body', [own, 'Content-Type: text/plain', 'Content-Type: application/json']],
  ['two lengths', [own, 'Content-Length: 0', 'Content-Length: 0']],
])('fault 17c %s are refused', async (_, lines) => {
  expect(await get(lines)).toMatch(/^HTTP\/1\.1 400 /)
})

it('fault 17c other headers may come twice, and an address for proxies is still refused', async () => {
  expect(await get([own, 'Accept: text/html', 'Accept: */*', 'X-Forwarded-For: a', 'X-Forwarded-For: b'])).toMatch(
    /^HTTP\/1\.1 (?!400)/,
  )
  expect(await get([own], 'http://attacker.example/health/live')).toMatch(/^HTTP\/1\.1 400 /)
  expect(await get(['Host: attacker.example'])).toMatch(/^HTTP\/1\.1 403 /)
})
