/** Forms with files as somebody hostile writes them: refused by name, never a 500, nothing left behind (U-14, F-02). */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formBytes } from '#server/http/input/multipart.ts'
import { told } from '#tests/support/server/forms.ts'
import { formWith, png } from '#tests/support/uploads/pictures.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
let user: SignedIn
let picture: Uint8Array
beforeAll(async () => {
  server = await startServer()
  await server.fastify.listen({ port: 0, host: '127.0.0.1' })
  picture = await png()
}, 90_000)
afterAll(() => server.close())
beforeEach(async () => {
  await server.reset()
  user = await server.signIn('user@alpha')
})

const url = '/api/m18s/asset'
const disposition = 'Content-Disposition: form-data'
const file = (more = '', bytes: Uint8Array = picture) =>
  part(`${disposition}; name="avatar"; filename="me.png"${more}\r\nContent-Type: image/png`, bytes)
const part = (head: string, body: Uint8Array | string = '') =>
  Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')])
const field = (name: string, value = 'x') => part(`${disposition}; name="${name}"`, value)
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--b--\r\n')])
const type = 'multipart/form-data; boundary=b'

const post = (payload: Buffer, headers: Record<string, string> = {}) =>
  user.send({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload })

const refused = [400, 'VALIDATION_ERROR']

describe('a form that means well', () => {
  test('is taken with its fields, in any case of its header names', async () => {
    expect((await post(form(field('note'), file()))).statusCode).toBe(200)
    const shouted = Buffer.from(
      form(file()).toString('latin1').replace(disposition, disposition.toUpperCase()),
      'latin1',
    )
    expect((await post(shouted)).statusCode).toBe(200)
    expect((await post(form(file()), { 'content-type': 'Multipart/Form-Data; boundary="b"' })).statusCode).toBe(200)
  })

  test('is the same request with another boundary, and another one with another byte, name or field (protocol 8)', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const first = await post(form(field('note', '1'), file()), key)
    expect(first.statusCode).toBe(200)
    const text = form(field('note', '1'), file()).toString('latin1').replaceAll('--b', '--other')
    const other = { ...key, 'content-type': 'multipart/form-data; boundary=other' }
    const again = await post(Buffer.from(text, 'latin1'), other)
    expect([again.statusCode, again.json()]).toEqual([200, first.json()])
    expect(again.headers['idempotency-replayed']).toBe('true')
    const bytes = Buffer.from(picture)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const changed = [
      form(field('note', '2'), file()),
      form(field('not', '1'), file()),
      form(field('note', '1'), file('', bytes)),
      Buffer.from(form(field('note', '1'), file()).toString('latin1').replace('me.png', 'us.png'), 'latin1'),
    ]
    for (const body of changed) expect(told(await post(body, key))).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  })
})

describe('a form that is too large', () => {
  test('in its file, in all, or in a field is refused as a picture that is too large', async () => {
    const much = (bytes: number) => Buffer.alloc(bytes, 1)
    const bodies = [
      form(file('', much(2 * 1024 * 1024))),
      form(file('', much(2 * 1024 * 1024 + 1))),
      form(file('', much(3 * formBytes))),
      form(field('note', 'x'.repeat(20_000)), file()),
      Buffer.concat([form(file()), much(formBytes)]),
      Buffer.concat([much(formBytes), form(file())]),
    ]
    for (const body of bodies) expect(told(await post(body))).toEqual([413, 'IMAGE_TOO_LARGE'])
  })

  test('without an end or a length is cut off as soon as it is, and its connection with it', async () => {
    const socket = await dial(`Transfer-Encoding: chunked`)
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 1), Buffer.from('\r\n')])
    const answer = everything(socket)
    for (let sent = 0; sent <= formBytes; sent += chunk.length) socket.write(chunk)
    expect(await answer).toMatch(/^HTTP\/1.1 413 /)
    expect((await answer).toLowerCase()).toContain('connection: close')
  })
})

describe('a form of too many parts', () => {
  test.each([
    ['fields', disposition],
    ['fields that shout', disposition.toUpperCase()],
    ['fields that whisper', disposition.toLowerCase()],
    ['parts without a disposition', 'X-Nothing: x'],
  ])('is refused: %s', async (_, head) => {
    // Each under a name of its own, and a picture behind them: nothing but their number is wrong.
    const flood = Array.from({ length: 10_000 }, (_, at) => part(`${head}; name="x${at}"`, 'y'))
    const before = process.memoryUsage().rss
    for (const body of [form(...flood, file()), form(...flood.slice(0, 20), file())])
      expect(told(await post(body))).toEqual(refused)
    expect(process.memoryUsage().rss - before).toBeLessThan(64e6)
  })

  test('may have twenty', async () => {
    const fields = Array.from({ length: 19 }, (_, at) => field(`note-${at}`))
    expect((await post(form(...fields, file()))).statusCode).toBe(200)
    expect(told(await post(form(...fields, field('one-more'), file())))).toEqual(refused)
  })
})

describe('a form that is malformed', () => {
  const whole = () => form(file())
  test.each<[string, () => Buffer]>([
    ['nothing at all', () => Buffer.alloc(0)],
    ['only an end', () => form()],
    ['no boundary in it', () => Buffer.from('hello')],
    ['no last boundary', () => whole().subarray(0, -7)],
    ['cut off in its file', () => whole().subarray(0, 120)],
    ['cut off in its headers', () => whole().subarray(0, 30)],
    ['a field cut off', () => Buffer.from(`--b\r\n${disposition}; name="avatar"\r\n\r\nhal`)],
    ['endless headers', () => form(part(`X-A: ${'a'.repeat(200_000)}\r\n${disposition}; name="avatar"; filename="a"`))],
    ['many headers', () => form(part(`${'X: y\r\n'.repeat(5000)}${disposition}; name="avatar"; filename="a"`, 'x'))],
    ['a part without a name', () => form(part(`${disposition}; filename="a.png"`, picture), file())],
    ['a field without a name', () => form(part(disposition, 'x'), file())],
    ['a file twice', () => form(file(), file())],
    ['a file and a field of its name', () => form(file(), field('avatar'))],
    ['a field twice', () => form(field('note'), field('note'), file())],
    ['__proto__', () => form(field('__proto__'), file())],
    ['a file called __proto__', () => form(part(`${disposition}; name="__proto__"; filename="a"`, 'x'), file())],
    ['a field of JSON', () => form(part(`${disposition}; name="a"\r\nContent-Type: application/json`, '{}'), file())],
    ['broken JSON', () => form(part(`${disposition}; name="a"\r\nContent-Type: application/json`, '{'), file())],
    ['a file without a name of its own', () => form(part(`${disposition}; name="avatar"`, picture))],
    ['a file name that breaks its line', () => form(part(`${disposition}; name="avatar"; filename="a\rb"`, picture))],
  ])('is refused: %s', async (_, body) => {
    expect(told(await post(body()))).toEqual(refused)
    // The next one on the same server is taken.
    expect((await post(whole())).statusCode).toBe(200)
  })

  test.each([
    ['multipart/form-data', 415, 'UNSUPPORTED_TYPE'],
    ['multipart/mixed; boundary=b', 415, 'UNSUPPORTED_TYPE'],
    ['multipart/form-data; boundary=', 400, 'VALIDATION_ERROR'],
    ['multipart/form-data; boundary=""', 400, 'VALIDATION_ERROR'],
    [`multipart/form-data; boundary=${'b'.repeat(71)}`, 400, 'VALIDATION_ERROR'],
    ['multipart/form-data; charset=utf-8', 400, 'VALIDATION_ERROR'],
    ['multipart/form-data; boundary=c', 400, 'VALIDATION_ERROR'],
  ])('is refused by its type: %s', async (said, status, code) => {
    expect(told(await post(whole(), { 'content-type': said }))).toEqual([status, code])
  })

  test('is bytes of an unknown type to every other call', async () => {
    const asked = await user.send({
      method: 'PUT',
      url: `/api/m18s/user/${user.userId}`,
      headers: { 'content-type': type },
      payload: whole(),
    })
    expect(told(asked)).toEqual([415, 'UNSUPPORTED_TYPE'])
  })

  test('names its file as it likes: a path, a line end, marks that turn the direction', async () => {
    for (const name of [
      '../../../etc/passwd',
      'C:\\windows\\a.png',
      '%0D%0Aset-cookie: a=b',
      'a\u202egnp.exe',
      '..',
      '',
    ])
      expect(
        (await user.send({ method: 'POST', url, ...formWith('avatar', { bytes: picture, name }) })).statusCode,
      ).toBe(200)
  })
})

describe('a form whose sender', () => {
  test('goes away in the middle leaves no file and no picture, and the server goes on (R-28, U-11)', async () => {
    const files = await readdir(tmpdir())
    for (const length of [100_000, 5_000]) {
      const socket = await dial(`Content-Length: ${length}`)
      socket.write(form(file()).subarray(0, 150))
      await sleep(30)
      socket.destroy()
      await once(socket, 'close')
    }
    await sleep(100)
    expect((await post(form(file()))).statusCode).toBe(200)
    expect(server.logged()).not.toContain('"status":500')
    expect((await readdir(tmpdir())).filter((name) => !files.includes(name) && name.endsWith('.png'))).toEqual([])
  })

  test('says a shorter length than the form has is refused, and what follows is no request', async () => {
    const body = form(file())
    const socket = await dial(`Content-Length: ${body.length - 20}`)
    const heard = everything(socket)
    socket.end(body)
    const answer = await heard
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).not.toMatch(/HTTP\/1.1 (2|5)/)
  })
})

/** A connection on which the head of an upload has been sent. */
async function dial(length: string) {
  const address = server.fastify.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  const socket = connect(address.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = [
    `POST ${url} HTTP/1.1`,
    `Host: 127.0.0.1:${address.port}`,
    `Authorization: Bearer ${user.access}`,
    `Content-Type: ${type}`,
    length,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return socket
}

/** What comes back until the other side closes. */
const everything = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ''
    socket.on('data', (data) => (heard += data.toString()))
    socket.on('close', () => resolve(heard))
    socket.on('error', reject)
  })
