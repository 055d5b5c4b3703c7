/** Tests uploads of packages in pieces, over unstable connections and with killed servers (tus 1.0; U-11, U-13, R-28). */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { UploadLocker } from '#server/use-cases/uploads/upload-lock.ts'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { createRandomFaults, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { packBareApp, buildNoise, packApp } from '#tests/support/uploads/packages.ts'
import { startProcess } from '#tests/support/server/process.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { startHangingPatch, uploadPiecemeal } from '#tests/support/uploads/tus.ts'
import { listUploads, sendPackage, setUpUploads } from '#tests/support/uploads/uploads.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const packLargeApp = () => packBareApp({ files: { 'data/large.bin': buildNoise(1_500_000) } })

onConnections('an upload in pieces', (engine) => {
  const fixture = setUpUploads(engine, { settings: { uploadIdleMs: 1500 } })
  let url: string
  beforeAll(async () => {
    url = await fixture.server.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  const getToken = () => fixture.staff.accessToken
  const createUpload = (headers: Record<string, string> = {}, caller: SignedIn = fixture.staff) =>
    caller.send({
      method: 'POST',
      url: '/api/app/upload/tus',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '100',
        'upload-metadata': buildMetadata('pay.mapp'),
        ...headers,
      },
    })
  const buildMetadata = (name: string) => `filename ${Buffer.from(name).toString('base64')}`
  const beginUpload = async (headers: Record<string, string> = {}) =>
    String((await createUpload(headers)).headers.location)
  const sendRequest = (method: 'HEAD' | 'DELETE', path: string, caller: SignedIn = fixture.staff) =>
    caller.send({ method, url: path, headers: { 'tus-resumable': '1.0.0' } })
  /** Uses a real socket, because the test covers the effect of the body on the connection. */
  const patch = async (
    path: string,
    body: Buffer,
    headers: Record<string, string> = {},
    caller: SignedIn = fixture.staff,
  ) => {
    const response = await fetch(`${url}${path}`, {
      method: 'PATCH',
      body: new Uint8Array(body),
      headers: {
        authorization: `Bearer ${caller.accessToken}`,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        ...headers,
      },
    })
    const text = await response.text()
    return { statusCode: response.status, json: () => JSON.parse(text) as { errorCode?: string } }
  }
  const readOffset = async (path: string) => Number((await sendRequest('HEAD', path)).headers['upload-offset'])
  const getId = (path: string) => path.split('/').at(-1) ?? ''

  test('An upload by the client of the page is listed and read when it is complete', async () => {
    const bytes = await packApp({ files: { 'data/large.bin': buildNoise(1_500_000) } })
    const path = new URL(await uploadPiecemeal(bytes, { url, token: getToken }), url).pathname
    const [upload] = await listUploads(fixture.staff)
    expect(upload).toMatchObject({
      id: getId(path),
      name: 'pay.mapp',
      size: bytes.length,
      received: bytes.length,
      state: 'read',
    })
    expect(upload.file).toMatchObject({ code: 'pay', status: 0 })
    expect(await readFile(join(fixture.folder, getId(path)))).toEqual(bytes)
  })

  test('A complete upload that is no package is refused, and the list has the reason', async () => {
    await uploadPiecemeal(buildNoise(1000), { url, token: getToken })
    expect(await listUploads(fixture.staff)).toMatchObject([
      { state: 'refused', fault: { code: 'NO_ZIP' }, file: null },
    ])
    expect((await readdir(fixture.folder)).filter((name) => !name.endsWith('.json'))).toEqual([])
  })

  nightly(
    'An upload over a connection that breaks repeatedly arrives complete',
    async () => {
      const bytes = await packLargeApp()
      const proxy = await openFaultProxy(Number(new URL(url).port))
      try {
        proxy.set(
          createRandomFaults(
            createRandom(suiteSeed),
            ['cut before the answer', 'cut in the answer', 'reset', 'gateway error', 'slow'],
            {
              share: 0.4,
            },
          ),
        )
        await uploadPiecemeal(bytes, { url: proxy.url, token: getToken, retryDelays: Array<number>(40).fill(30) })
        expect(proxy.arrivals.filter(({ fault }) => fault !== null).length).toBeGreaterThan(1)
      } finally {
        await proxy.close()
      }
      // A creation whose response was lost has left another, empty upload.
      const completeUploads = (await listUploads(fixture.staff)).filter(
        ({ state }: { state: string }) => state === 'read',
      )
      expect(completeUploads).toMatchObject([{ received: bytes.length }])
      expect(await readFile(join(fixture.folder, completeUploads[0].id))).toEqual(bytes)
    },
    60_000,
  )

  test('An upload that is cut within a piece continues after the last received byte', async () => {
    const bytes = await packLargeApp()
    const path = await beginUpload({ 'upload-length': String(bytes.length) })
    const halfLength = 400_000
    const { cut } = await startHangingPatch(`${url}${path}`, getToken(), {
      offset: 0,
      length: bytes.length,
      bytes: bytes.subarray(0, halfLength),
    })
    await expect.poll(async () => (await listUploads(fixture.staff))[0].received).toBe(halfLength)
    cut()
    expect(await readOffset(path)).toBe(halfLength)
    await uploadPiecemeal(bytes, { url, token: getToken, uploadUrl: `${url}${path}` })
    expect(await listUploads(fixture.staff)).toMatchObject([{ id: getId(path), state: 'read' }])
  })

  nightly(
    'An upload that two requests write is completed by the later request',
    async () => {
      const bytes = await packLargeApp()
      const path = await beginUpload({ 'upload-length': String(bytes.length) })
      const { status } = await startHangingPatch(`${url}${path}`, getToken(), {
        offset: 0,
        length: bytes.length,
        bytes: buildNoise(9000, 7),
      })
      await expect.poll(async () => (await listUploads(fixture.staff))[0].received).toBe(9000)
      // The stalled request releases its lock, and the next one continues after its bytes.
      expect(await readOffset(path)).toBe(9000)
      const conflictResponse = await patch(path, bytes.subarray(0, 5000))
      expect(readStatusAndCode(conflictResponse)).toEqual([409, 'STATE_CONFLICT'])
      expect((await patch(path, bytes.subarray(9000), { 'upload-offset': '9000' })).statusCode).toBe(204)
      expect(await status).not.toBe(204)
    },
    30_000,
  )

  nightly('A stalled upload is closed and can continue later (slow loris)', async () => {
    const path = await beginUpload()
    const startedAt = performance.now()
    const { closed } = await startHangingPatch(`${url}${path}`, getToken(), {
      offset: 0,
      length: 100,
      bytes: buildNoise(10),
    })
    await closed
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(await readOffset(path)).toBe(10)
  })

  test('An upload that was completed just before the server ended is read at the next request', async () => {
    const bytes = await packBareApp()
    const path = await beginUpload({ 'upload-length': String(bytes.length) })
    await writeFile(join(fixture.folder, getId(path)), bytes)
    const [first, second] = await Promise.all([listUploads(fixture.staff), listUploads(fixture.staff)])
    expect([first, second]).toMatchObject([[{ state: 'read' }], [{ state: 'read' }]])
  })

  test('An upload is accessible to its user only, for one day (U-13, Z-31)', async () => {
    const path = await beginUpload()
    const colleague = await fixture.server.signIn('delete@m18')
    for (const caller of [colleague])
      for (const response of [
        await sendRequest('HEAD', path, caller),
        await patch(path, buildNoise(5), {}, caller),
        await sendRequest('DELETE', path, caller),
      ])
        expect(response.statusCode).toBe(404)
    for (const userName of ['admin@alpha', 'user@m18'])
      expect((await createUpload({}, await fixture.server.signIn(userName))).statusCode).toBe(403)
    expect((await fixture.server.send({ method: 'HEAD', url: path })).statusCode).toBe(401)
    expect((await fixture.server.send({ method: 'POST', url: '/api/app/upload/tus' })).statusCode).toBe(401)
    expect(await readOffset(path)).toBe(0)
    for (const unknownId of ['0'.repeat(32), '..%2f..%2fetc', 'x'])
      expect((await sendRequest('HEAD', `/api/app/upload/tus/${unknownId}`)).statusCode).toBe(404)
    fixture.server.clock.now += 86_400_000
    fixture.staff = await fixture.server.signIn('admin@m18')
    expect((await sendRequest('HEAD', path)).statusCode).toBe(404)
  })

  test('An upload continues with a renewed token', async () => {
    const bytes = await packLargeApp()
    const tokens: string[] = []
    const otherSession = await fixture.server.signIn('admin@m18')
    await uploadPiecemeal(bytes, {
      url,
      token: () => {
        tokens.push(tokens.length % 2 ? otherSession.accessToken : fixture.staff.accessToken)
        return tokens.at(-1) ?? ''
      },
    })
    expect(new Set(tokens).size).toBe(2)
    expect(await listUploads(fixture.staff)).toMatchObject([{ state: 'read' }])
  })

  it.each([
    ['no length', { 'upload-length': '' }, [400, 'VALIDATION_ERROR']],
    ['a length that is sent later', { 'upload-length': '', 'upload-defer-length': '1' }, [400, 'VALIDATION_ERROR']],
    ['a length above the limit', { 'upload-length': String(64 * 1024 * 1024 + 1) }, [413, 'TOO_LARGE']],
    ['a negative length', { 'upload-length': '-1' }, [400, 'VALIDATION_ERROR']],
    ['another file extension', { 'upload-metadata': buildMetadata('pay.zip') }, [400, 'VALIDATION_ERROR']],
    [
      'a direction mark in its file name',
      { 'upload-metadata': buildMetadata('pay\u202Eppam.mapp') },
      [400, 'VALIDATION_ERROR'],
    ],
    ['no file name', { 'upload-metadata': 'other dGV4dA==' }, [400, 'VALIDATION_ERROR']],
    ['no protocol version', { 'tus-resumable': '' }, [400, 'VALIDATION_ERROR']],
  ])('An upload with %s is refused', async (_, headers, expected) => {
    expect(readStatusAndCode(await createUpload(headers))).toEqual(expected)
    expect(await listUploads(fixture.staff)).toEqual([])
  })

  test('An upload ends at its declared length', async () => {
    const path = await beginUpload()
    expect(readStatusAndCode(await patch(path, buildNoise(101)))).toEqual([413, 'TOO_LARGE'])
    expect(readStatusAndCode(await patch(path, buildNoise(10), { 'upload-offset': '50' }))).toEqual([
      409,
      'STATE_CONFLICT',
    ])
    expect(readStatusAndCode(await patch(path, buildNoise(10), { 'content-type': 'application/json' }))[0]).toBe(400)
    expect(await readOffset(path)).toBeLessThanOrEqual(100)
  })

  test('An upload is written by one node at a time, and by another node after a crash', async () => {
    const id = getId(await beginUpload())
    const [firstLock, secondLock, thirdLock] = [1, 2, 3].map(() =>
      new UploadLocker(fixture.server.app, 600).newLock(id),
    )
    const acquireLock = (lock: typeof firstLock) => lock?.lock(new AbortController().signal, () => undefined)
    await acquireLock(firstLock)
    await expect(acquireLock(secondLock)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await firstLock?.unlock()
    await acquireLock(secondLock)
    fixture.server.clock.now += 11_000
    await acquireLock(thirdLock)
    for (const lock of [secondLock, thirdLock]) await lock?.unlock()
  }, 30_000)

  test('An upload is deleted with its file, like an upload from a form', async () => {
    const path = await beginUpload()
    await sendPackage(fixture.staff, await packBareApp())
    const ids = (await listUploads(fixture.staff)).map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(2)
    for (const id of ids) expect((await sendRequest('DELETE', `/api/app/upload/tus/${id}`)).statusCode).toBe(204)
    expect([await listUploads(fixture.staff), await readdir(fixture.folder)]).toEqual([[], []])
    expect((await sendRequest('DELETE', path)).statusCode).toBe(404)
  })

  test('An upload uses its declared length of the quota from the start', async () => {
    for (let index = 0; index < 16; index++) await createUpload({ 'upload-length': String(64 * 1024 * 1024) })
    const extraResponse = await createUpload({ 'upload-length': '100' })
    expect(readStatusAndCode(extraResponse)).toEqual([429, 'UPLOAD_LIMIT'])
    expect(extraResponse.json().data).toEqual({ files: 16, megabytes: 1024 })
  })
})

describe('with a full disk', () => {
  const fixture = setUpUploads('embedded', { env: { FREE_SPACE_MARK_MB: '1048576' } })

  test('uploads are refused with 507, and other writes work', async () => {
    const responses = [
      await sendPackage(fixture.staff, await packBareApp()),
      await fixture.staff.send({
        method: 'POST',
        url: '/api/app/upload/tus',
        headers: { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': 'filename YS5tYXBw' },
      }),
    ]
    for (const response of responses) expect(readStatusAndCode(response)).toEqual([507, 'FILES_FULL'])
    const moduleResponse = await fixture.staff.send({
      method: 'POST',
      url: '/api/module',
      payload: { code: 'crm2', name: 'CRM', dependencies: [] },
    })
    expect(moduleResponse.statusCode).toBe(200)
  })
})

nightly(
  'A server killed between two pieces continues the upload after its restart',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portal-tus-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const env = { DATA_DIR: join(folder, 'data'), DEMO: '1', PAYMENT_SANDBOX: '0' }
    await createDataFolder(env.DATA_DIR)
    const bytes = await packLargeApp()
    const firstProcess = startProcess(env)
    const firstSession = await signInAt(await firstProcess.ready)
    const stoppedUrl = await uploadPiecemeal(bytes, { ...firstSession, stopAt: 512 * 1024 })
    await firstProcess.kill('SIGKILL')
    const secondProcess = startProcess(env)
    try {
      const secondSession = await signInAt(await secondProcess.ready)
      const uploadUrl = `${secondSession.url}${new URL(stoppedUrl).pathname}`
      const retryDelays = Array<number>(20).fill(1000)
      await uploadPiecemeal(bytes, { ...secondSession, uploadUrl, retryDelays })
      const listResponse = await fetch(`${secondSession.url}/api/app/upload`, {
        headers: { authorization: `Bearer ${secondSession.token()}` },
      })
      expect(await listResponse.json()).toMatchObject([{ size: bytes.length, received: bytes.length, state: 'read' }])
    } finally {
      await secondProcess.kill('SIGTERM')
    }
  },
  120_000,
)

async function signInAt(url: string) {
  const response = await fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-token-store': 'body',
    },
    body: new URLSearchParams({ grant_type: 'password', username: 'm18:staff@m18.example', password: demoPassword }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return { url, token: () => access_token }
}
