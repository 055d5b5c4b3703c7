/** Tests that hostile multipart forms are rejected with a problem, never cause a 500, and leave nothing behind (U-14, F-02). */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { maxFormBytes } from '#server/http/input/multipart-form.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { buildFileForm, png } from '#tests/support/uploads/pictures.ts'
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
const buildFilePart = (moreHeaders = '', bytes: Uint8Array = picture) =>
  buildPart(`${disposition}; name="avatar"; filename="me.png"${moreHeaders}\r\nContent-Type: image/png`, bytes)
const buildPart = (head: string, body: Uint8Array | string = '') =>
  Buffer.concat([Buffer.from(`--b\r\n${head}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')])
const buildField = (name: string, value = 'x') => buildPart(`${disposition}; name="${name}"`, value)
const buildForm = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--b--\r\n')])
const type = 'multipart/form-data; boundary=b'

const postForm = (payload: Buffer, headers: Record<string, string> = {}) =>
  user.send({ method: 'POST', url, headers: { 'content-type': type, ...headers }, payload })

const refusedOutcome = [400, 'VALIDATION_ERROR']

describe('a valid multipart form', () => {
  test('is accepted with its fields, with header names in any case', async () => {
    expect((await postForm(buildForm(buildField('note'), buildFilePart()))).statusCode).toBe(200)
    const upperCaseBody = Buffer.from(
      buildForm(buildFilePart()).toString('latin1').replace(disposition, disposition.toUpperCase()),
      'latin1',
    )
    expect((await postForm(upperCaseBody)).statusCode).toBe(200)
    expect(
      (await postForm(buildForm(buildFilePart()), { 'content-type': 'Multipart/Form-Data; boundary="b"' })).statusCode,
    ).toBe(200)
  })

  test('is treated as the same request if only its boundary differs, and as another after any change (protocol 8)', async () => {
    const keyHeaders = { 'idempotency-key': randomUUID() }
    const firstResponse = await postForm(buildForm(buildField('note', '1'), buildFilePart()), keyHeaders)
    expect(firstResponse.statusCode).toBe(200)
    const text = buildForm(buildField('note', '1'), buildFilePart()).toString('latin1').replaceAll('--b', '--other')
    const otherHeaders = { ...keyHeaders, 'content-type': 'multipart/form-data; boundary=other' }
    const repeatedResponse = await postForm(Buffer.from(text, 'latin1'), otherHeaders)
    expect([repeatedResponse.statusCode, repeatedResponse.json()]).toEqual([200, firstResponse.json()])
    expect(repeatedResponse.headers['idempotency-replayed']).toBe('true')
    const bytes = Buffer.from(picture)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    const changedBodies = [
      buildForm(buildField('note', '2'), buildFilePart()),
      buildForm(buildField('not', '1'), buildFilePart()),
      buildForm(buildField('note', '1'), buildFilePart('', bytes)),
      Buffer.from(
        buildForm(buildField('note', '1'), buildFilePart()).toString('latin1').replace('me.png', 'us.png'),
        'latin1',
      ),
    ]
    for (const body of changedBodies)
      expect(readStatusAndCode(await postForm(body, keyHeaders))).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  })
})

describe('a multipart form that is too large', () => {
  test('is rejected as IMAGE_TOO_LARGE for its file, its fields or its total size', async () => {
    const createBytes = (bytes: number) => Buffer.alloc(bytes, 1)
    const bodies = [
      buildForm(buildFilePart('', createBytes(2 * 1024 * 1024))),
      buildForm(buildFilePart('', createBytes(2 * 1024 * 1024 + 1))),
      buildForm(buildFilePart('', createBytes(3 * maxFormBytes))),
      buildForm(buildField('note', 'x'.repeat(20_000)), buildFilePart()),
      Buffer.concat([buildForm(buildFilePart()), createBytes(maxFormBytes)]),
      Buffer.concat([createBytes(maxFormBytes), buildForm(buildFilePart())]),
    ]
    for (const body of bodies) expect(readStatusAndCode(await postForm(body))).toEqual([413, 'IMAGE_TOO_LARGE'])
  })

  test('is rejected at the limit, and its connection is closed, if it has no Content-Length', async () => {
    const socket = await openUpload(`Transfer-Encoding: chunked`)
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 1), Buffer.from('\r\n')])
    const receiving = receiveAll(socket)
    for (let sentBytes = 0; sentBytes <= maxFormBytes; sentBytes += chunk.length) socket.write(chunk)
    expect(await receiving).toMatch(/^HTTP\/1.1 413 /)
    expect((await receiving).toLowerCase()).toContain('connection: close')
  })
})

describe('a multipart form with too many parts', () => {
  test.each([
    ['fields', disposition],
    ['fields with upper-case headers', disposition.toUpperCase()],
    ['fields with lower-case headers', disposition.toLowerCase()],
    ['parts without a disposition', 'X-Nothing: x'],
  ])('is rejected: %s', async (_, head) => {
    // Each part has a different name and a picture follows, so only the number of parts is invalid.
    const floodParts = Array.from({ length: 10_000 }, (_, index) => buildPart(`${head}; name="x${index}"`, 'y'))
    const memoryBefore = process.memoryUsage().rss
    for (const body of [
      buildForm(...floodParts, buildFilePart()),
      buildForm(...floodParts.slice(0, 20), buildFilePart()),
    ])
      expect(readStatusAndCode(await postForm(body))).toEqual(refusedOutcome)
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(64e6)
  })

  test('is rejected from 21 parts on, and accepted with 20 parts', async () => {
    const fields = Array.from({ length: 19 }, (_, index) => buildField(`note-${index}`))
    expect((await postForm(buildForm(...fields, buildFilePart()))).statusCode).toBe(200)
    expect(readStatusAndCode(await postForm(buildForm(...fields, buildField('one-more'), buildFilePart())))).toEqual(
      refusedOutcome,
    )
  })
})

describe('a malformed multipart form', () => {
  const buildPictureForm = () => buildForm(buildFilePart())
  test.each<[string, () => Buffer]>([
    ['an empty body', () => Buffer.alloc(0)],
    ['only the last boundary', () => buildForm()],
    ['a body without a boundary', () => Buffer.from('hello')],
    ['a body without the last boundary', () => buildPictureForm().subarray(0, -7)],
    ['a body that ends within the file', () => buildPictureForm().subarray(0, 120)],
    ['a body that ends within the headers', () => buildPictureForm().subarray(0, 30)],
    ['a body that ends within a field', () => Buffer.from(`--b\r\n${disposition}; name="avatar"\r\n\r\nhal`)],
    [
      'a header of 200 kB',
      () => buildForm(buildPart(`X-A: ${'a'.repeat(200_000)}\r\n${disposition}; name="avatar"; filename="a"`)),
    ],
    [
      'too many headers',
      () => buildForm(buildPart(`${'X: y\r\n'.repeat(5000)}${disposition}; name="avatar"; filename="a"`, 'x')),
    ],
    ['a part without a name', () => buildForm(buildPart(`${disposition}; filename="a.png"`, picture), buildFilePart())],
    ['a field without a name', () => buildForm(buildPart(disposition, 'x'), buildFilePart())],
    ['the same file twice', () => buildForm(buildFilePart(), buildFilePart())],
    ['a file and a field with the same name', () => buildForm(buildFilePart(), buildField('avatar'))],
    ['the same field twice', () => buildForm(buildField('note'), buildField('note'), buildFilePart())],
    ['a field called __proto__', () => buildForm(buildField('__proto__'), buildFilePart())],
    [
      'a file called __proto__',
      () => buildForm(buildPart(`${disposition}; name="__proto__"; filename="a"`, 'x'), buildFilePart()),
    ],
    [
      'a field with JSON content',
      () => buildForm(buildPart(`${disposition}; name="a"\r\nContent-Type: application/json`, '{}'), buildFilePart()),
    ],
    [
      'a field with broken JSON',
      () => buildForm(buildPart(`${disposition}; name="a"\r\nContent-Type: application/json`, '{'), buildFilePart()),
    ],
    ['a file without a file name', () => buildForm(buildPart(`${disposition}; name="avatar"`, picture))],
    [
      'a file name with a line break',
      () => buildForm(buildPart(`${disposition}; name="avatar"; filename="a\rb"`, picture)),
    ],
  ])('is rejected, and the next form is accepted: %s', async (_, body) => {
    expect(readStatusAndCode(await postForm(body()))).toEqual(refusedOutcome)
    // The server still accepts the next form.
    expect((await postForm(buildPictureForm())).statusCode).toBe(200)
  })

  test.each([
    ['multipart/form-data', 415, 'UNSUPPORTED_TYPE'],
    ['multipart/mixed; boundary=b', 415, 'UNSUPPORTED_TYPE'],
    ['multipart/form-data; boundary=', 400, 'VALIDATION_ERROR'],
    ['multipart/form-data; boundary=""', 400, 'VALIDATION_ERROR'],
    [`multipart/form-data; boundary=${'b'.repeat(71)}`, 400, 'VALIDATION_ERROR'],
    ['multipart/form-data; charset=utf-8', 400, 'VALIDATION_ERROR'],
    ['multipart/form-data; boundary=c', 400, 'VALIDATION_ERROR'],
  ])('is rejected by its content type: %s', async (contentType, status, code) => {
    expect(readStatusAndCode(await postForm(buildPictureForm(), { 'content-type': contentType }))).toEqual([
      status,
      code,
    ])
  })

  test('is rejected as UNSUPPORTED_TYPE by every other call', async () => {
    const response = await user.send({
      method: 'PUT',
      url: `/api/m18s/user/${user.userId}`,
      headers: { 'content-type': type },
      payload: buildPictureForm(),
    })
    expect(readStatusAndCode(response)).toEqual([415, 'UNSUPPORTED_TYPE'])
  })

  test('A form is accepted even if its file name has a path, line breaks or direction marks', async () => {
    for (const name of [
      '../../../etc/passwd',
      'C:\\windows\\a.png',
      '%0D%0Aset-cookie: a=b',
      'a\u202egnp.exe',
      '..',
      '',
    ])
      expect(
        (await user.send({ method: 'POST', url, ...buildFileForm('avatar', { bytes: picture, name }) })).statusCode,
      ).toBe(200)
  })
})

describe('a multipart form from a faulty client', () => {
  test('leaves no file and no picture if the client disconnects (R-28, U-11)', async () => {
    const files = await readdir(tmpdir())
    for (const length of [100_000, 5_000]) {
      const socket = await openUpload(`Content-Length: ${length}`)
      socket.write(buildForm(buildFilePart()).subarray(0, 150))
      await sleep(30)
      socket.destroy()
      await once(socket, 'close')
    }
    await sleep(100)
    expect((await postForm(buildForm(buildFilePart()))).statusCode).toBe(200)
    expect(server.readLog()).not.toContain('"status":500')
    expect((await readdir(tmpdir())).filter((name) => !files.includes(name) && name.endsWith('.png'))).toEqual([])
  })

  test('is rejected if it is longer than its Content-Length', async () => {
    const body = buildForm(buildFilePart())
    const socket = await openUpload(`Content-Length: ${body.length - 20}`)
    const receiving = receiveAll(socket)
    socket.end(body)
    const response = await receiving
    expect(response).toMatch(/^HTTP\/1.1 400 /)
    expect(response).not.toMatch(/HTTP\/1.1 (2|5)/)
  })
})

/** Opens a connection, and sends the head of an upload. */
async function openUpload(lengthHeader: string) {
  const address = server.fastify.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen')
  const socket = connect(address.port, '127.0.0.1')
  await once(socket, 'connect')
  const head = [
    `POST ${url} HTTP/1.1`,
    `Host: 127.0.0.1:${address.port}`,
    `Authorization: Bearer ${user.accessToken}`,
    `Content-Type: ${type}`,
    lengthHeader,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return socket
}

/** Returns everything received until the server closes the connection. */
const receiveAll = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
