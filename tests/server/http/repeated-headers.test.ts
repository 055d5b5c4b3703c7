/** Tests that repeated headers are rejected on a real socket (decision 71). */
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

/** Sends bytes, and returns everything received until the server closes the connection. */
const sendBytes = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => (received += String(chunk)))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
const buildGet = (lines: readonly string[], target = '/health/live') =>
  sendBytes([`GET ${target} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n'))
const hostHeader = 'Host: localhost'

it.each([
  ['two equal hosts', [hostHeader, hostHeader]],
  ['two hosts', [hostHeader, 'Host: attacker.example']],
  ['two hosts, the foreign host first', ['host: attacker.example', hostHeader]],
  ['two access tokens', [hostHeader, 'Authorization: Bearer a', 'authorization: Bearer b']],
  ['two idempotency keys', [hostHeader, 'Idempotency-Key: a', 'Idempotency-Key: a']],
  ['two For-User headers', [hostHeader, 'for-user: 1:1', 'for-user: 1:2']],
  ['two If-Match headers', [hostHeader, 'If-Match: "1"', 'If-Match: "2"']],
  ['two origins', [hostHeader, 'Origin: http://localhost', 'Origin: http://attacker.example']],
  ['two Sec-Fetch-Site headers', [hostHeader, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site']],
  ['two content types', [hostHeader, 'Content-Type: text/plain', 'Content-Type: application/json']],
  ['two content lengths', [hostHeader, 'Content-Length: 0', 'Content-Length: 0']],
])('The server rejects a request with %s (fault 17c)', async (_, lines) => {
  expect(await buildGet(lines)).toMatch(/^HTTP\/1\.1 400 /)
})

it('The server accepts other headers twice, and still rejects an absolute request target (fault 17c)', async () => {
  expect(
    await buildGet([hostHeader, 'Accept: text/html', 'Accept: */*', 'X-Forwarded-For: a', 'X-Forwarded-For: b']),
  ).toMatch(/^HTTP\/1\.1 (?!400)/)
  expect(await buildGet([hostHeader], 'http://attacker.example/health/live')).toMatch(/^HTTP\/1\.1 400 /)
  expect(await buildGet(['Host: attacker.example'])).toMatch(/^HTTP\/1\.1 403 /)
})
