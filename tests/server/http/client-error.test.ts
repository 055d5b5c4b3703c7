/** Tests malformed and closing connections, which need a real socket (S-57, R-15). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AddressInfo, connect } from 'node:net'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let port: number
beforeAll(async () => {
  server = await startServer()
  await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  // The address of a TCP server is never a string.
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

test.each([
  ['bytes that are not HTTP', 'GARBAGE\r\n\r\n', 400],
  [
    'two Content-Length headers',
    'POST /api/x HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    400,
  ],
  [
    'a Content-Length header together with chunked encoding',
    'POST /api/x HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['headers of more than 16 kB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
])('The server rejects %s in JSON, and closes the connection', async (_, bytes, status) => {
  const response = await sendBytes(bytes)
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(response).toContain('x-content-type-options: nosniff')
  expect(response).toContain('"errorCode":')
})

test.each([
  ['an absolute request target', 'GET http://portal.example/api/m18s/user HTTP/1.1\r\nhost: localhost', 400],
  ['a foreign host name', 'GET /api/m18s/user HTTP/1.1\r\nhost: attacker.example', 403],
  ['an invalid host name', 'GET /api/m18s/user HTTP/1.1\r\nhost: /', 403],
])('The server rejects %s before it reads the path, and marks the response no-store', async (_, head, status) => {
  const response = await sendBytes(`${head}\r\nconnection: close\r\n\r\n`)
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(response).toContain('cache-control: no-store')
})

test.each(['localhost:9', `127.0.0.1`, '[::1]:80', '192.168.7.7'])('The server accepts the host %s', async (host) => {
  expect(await sendBytes(`GET /health/live HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  )
})

test('A closing server ends keep-alive connections as soon as their response is sent', async () => {
  const user = await server.signIn('user@alpha')
  const lines = (path: string) =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${user.accessToken}\r\n\r\n`
  const chunks: string[] = []
  const socket = connect(port, '127.0.0.1')
  socket.on('data', (chunk) => chunks.push(String(chunk)))
  const closePromise = new Promise((resolve) => socket.on('close', resolve))
  socket.write(lines('/api/m18s/user'))
  while (!chunks.join('').includes('seal_key')) await new Promise((resolve) => setTimeout(resolve, 5))
  await server.fastify.close()
  await closePromise
  expect(chunks.join('')).toMatch(/^HTTP\/1.1 200 OK/)
  await expect(sendBytes(lines('/api/m18s/user'))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
