/** Tests bodies that arrive in pieces of single bytes. Each small piece costs as much work as a large one (decision 59). */
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputLimits } from '#server/config/input-limits.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { expectNothingUncaught } from '#tests/support/runner/uncaught.ts'

expectNothingUncaught()

let server: TestServer
let port: number
let admin: SignedIn
let staff: SignedIn
beforeAll(async () => {
  server = await startServer()
  await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (server.fastify.server.address() as AddressInfo).port
  admin = await server.signIn('admin@alpha')
  staff = await server.signIn('delete@m18')
})
afterAll(() => server.close())

/** Sends a chunked body in these pieces. Returns the text that the server sends until it responds or closes the connection. */
function sendPieces(head: string, pieces: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (data) => {
      text += data.toString()
    })
    socket.on('error', () => undefined).on('close', () => resolve(text))
    socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const chunks = pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`)
    socket.write(`${chunks.join('')}0\r\n\r\n`)
  })
}

const buildAuthorization = (user: SignedIn) => `Authorization: Bearer ${user.accessToken}`
const buildJsonHead = (path: string, extraHeaders: string) =>
  `POST ${path} HTTP/1.1\r\nContent-Type: application/json${extraHeaders}`
const buildFormHead = (path: string, user: SignedIn) =>
  `POST ${path} HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n${buildAuthorization(user)}`
const { count } = inputLimits.pieces
const createByteList = (count: number) => Array<string>(count).fill(' ')

test('A connection that sends JSON in thousands of single bytes is closed, with and without a login (fault 2r)', async () => {
  const heads = [
    buildJsonHead('/public/payment/stripe', ''),
    buildJsonHead('/api/batch', `\r\n${buildAuthorization(admin)}`),
  ]
  for (const head of heads) {
    expect(await sendPieces(head, createByteList(count + 1))).toBe('')
    expect(await sendPieces(head, createByteList(count))).toMatch(/^HTTP\/1\.1 400 /)
    // These are pieces of a usual size, as a network splits a body.
    expect(await sendPieces(head, [...createByteList(100), ...Array<string>(200).fill(' '.repeat(1000))])).toMatch(
      /^HTTP\/1\.1 400 /,
    )
  }
  expect(server.readLog()).toContain('input_refused')
})

test('A form sent in thousands of single bytes is rejected before it is complete (fault 2r)', async () => {
  const formPart = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
  for (const [path, user] of [
    ['/api/m18s/asset', admin],
    ['/api/template/price/upload', staff],
    ['/api/app/upload', staff],
  ] as const) {
    const response = await sendPieces(buildFormHead(path, user), [formPart, ...createByteList(count), '\r\n--b--\r\n'])
    expect([path, response]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 400 [^]*"code":"TOO_MANY"/)])
  }
})
