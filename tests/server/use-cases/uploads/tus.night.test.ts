/** Packages in pieces, over lines that break and servers that are killed (tus 1.0; U-11, U-13, R-28). */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { UploadLocker } from '#server/use-cases/uploads/upload-lock.ts'
import { chanceOf, suiteSeed } from '#tests/support/runner/chance.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { drawn, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { told } from '#tests/support/server/forms.ts'
import { bare, noise, packed } from '#tests/support/uploads/packages.ts'
import { startProcess } from '#tests/support/server/process.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'
import { hangingPatch, uploadPiecemeal } from '#tests/support/uploads/tus.ts'
import { listUploads, sendPackage, setUpUploads } from '#tests/support/uploads/uploads.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const large = () => bare({ files: { 'data/large.bin': noise(1_500_000) } })

onConnections('an upload in pieces', (engine) => {
  const the = setUpUploads(engine, { settings: { uploadIdleMs: 1500 } })
  let url: string
  beforeAll(async () => {
    url = await the.server.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  const token = () => the.staff.access
  const create = (headers: Record<string, string> = {}, by: SignedIn = the.staff) =>
    by.send({
      method: 'POST',
      url: '/api/app/upload/tus',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '100', 'upload-metadata': named('pay.mapp'), ...headers },
    })
  const named = (name: string) => `filename ${Buffer.from(name).toString('base64')}`
  const begun = async (headers: Record<string, string> = {}) => String((await create(headers)).headers.location)
  const ask = (method: 'HEAD' | 'DELETE', path: string, by: SignedIn = the.staff) =>
    by.send({ method, url: path, headers: { 'tus-resumable': '1.0.0' } })
  /** Over a socket: what a body does to one is part of it. */
  const patch = async (path: string, body: Buffer, headers: Record<string, string> = {}, by: SignedIn = the.staff) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'PATCH',
      body: new Uint8Array(body),
      headers: {
        authorization: `Bearer ${by.access}`,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        ...headers,
      },
    })
    const text = await answer.text()
    return { statusCode: answer.status, json: () => JSON.parse(text) as { errorCode?: string } }
  }
  const offsetOf = async (path: string) => Number((await ask('HEAD', path)).headers['upload-offset'])
  const idOf = (path: string) => path.split('/').at(-1) ?? ''

  test('by the client of the page is there, read, once it has come', async () => {
    const bytes = await packed({ files: { 'data/large.bin': noise(1_500_000) } })
    const path = new URL(await uploadPiecemeal(bytes, { url, token }), url).pathname
    const [listed] = await listUploads(the.staff)
    expect(listed).toMatchObject({
      id: idOf(path),
      name: 'pay.mapp',
      size: bytes.length,
      received: bytes.length,
      state: 'read',
    })
    expect(listed.file).toMatchObject({ code: 'pay', status: 0 })
    expect(await readFile(join(the.folder, idOf(path)))).toEqual(bytes)
  })

  test('that is no package is refused once it has come, and the list says why', async () => {
    await uploadPiecemeal(noise(1000), { url, token })
    expect(await listUploads(the.staff)).toMatchObject([{ state: 'refused', fault: { code: 'NO_ZIP' }, file: null }])
    expect((await readdir(the.folder)).filter((name) => !name.endsWith('.json'))).toEqual([])
  })

  nightly(
    'over a line that breaks time and again comes whole',
    async () => {
      const bytes = await large()
      const proxy = await openFaultProxy(Number(new URL(url).port))
      try {
        proxy.set(
          drawn(chanceOf(suiteSeed), ['cut before the answer', 'cut in the answer', 'reset', 'gateway error', 'slow'], {
            share: 0.4,
          }),
        )
        await uploadPiecemeal(bytes, { url: proxy.url, token, retryDelays: Array<number>(40).fill(30) })
        expect(proxy.arrivals.filter(({ fault }) => fault !== null).length).toBeGreaterThan(1)
      } finally {
        await proxy.close()
      }
      // A creation whose answer was lost has left another, empty one.
      const whole = (await listUploads(the.staff)).filter(({ state }: { state: string }) => state === 'read')
      expect(whole).toMatchObject([{ received: bytes.length }])
      expect(await readFile(join(the.folder, whole[0].id))).toEqual(bytes)
    },
    60_000,
  )

  test('cut in the middle of a piece goes on from the last byte that came', async () => {
    const bytes = await large()
    const path = await begun({ 'upload-length': String(bytes.length) })
    const half = 400_000
    const { cut } = await hangingPatch(`${url}${path}`, token(), {
      offset: 0,
      length: bytes.length,
      sent: bytes.subarray(0, half),
    })
    await expect.poll(async () => (await listUploads(the.staff))[0].received).toBe(half)
    cut()
    expect(await offsetOf(path)).toBe(half)
    await uploadPiecemeal(bytes, { url, token, uploadUrl: `${url}${path}` })
    expect(await listUploads(the.staff)).toMatchObject([{ id: idOf(path), state: 'read' }])
  })

  nightly(
    'written by two at once is written by the later one, whole',
    async () => {
      const bytes = await large()
      const path = await begun({ 'upload-length': String(bytes.length) })
      const { status } = await hangingPatch(`${url}${path}`, token(), {
        offset: 0,
        length: bytes.length,
        sent: noise(9000, 7),
      })
      await expect.poll(async () => (await listUploads(the.staff))[0].received).toBe(9000)
      // The one that hangs lets go, and what it wrote is where the next begins.
      expect(await offsetOf(path)).toBe(9000)
      const other = await patch(path, bytes.subarray(0, 5000))
      expect(told(other)).toEqual([409, 'STATE_CONFLICT'])
      expect((await patch(path, bytes.subarray(9000), { 'upload-offset': '9000' })).statusCode).toBe(204)
      expect(await status).not.toBe(204)
    },
    30_000,
  )

  nightly('that sends nothing any more is cut off, and goes on later (slow loris)', async () => {
    const path = await begun()
    const began = performance.now()
    const { closed } = await hangingPatch(`${url}${path}`, token(), { offset: 0, length: 100, sent: noise(10) })
    await closed
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(await offsetOf(path)).toBe(10)
  })

  test('that came whole just before a server ended is read when it is looked for', async () => {
    const bytes = await bare()
    const path = await begun({ 'upload-length': String(bytes.length) })
    await writeFile(join(the.folder, idOf(path)), bytes)
    const [first, second] = await Promise.all([listUploads(the.staff), listUploads(the.staff)])
    expect([first, second]).toMatchObject([[{ state: 'read' }], [{ state: 'read' }]])
  })

  test('is its user’s alone, for a day (U-13, Z-31)', async () => {
    const path = await begun()
    const colleague = await the.server.signIn('delete@m18')
    for (const by of [colleague])
      for (const answer of [
        await ask('HEAD', path, by),
        await patch(path, noise(5), {}, by),
        await ask('DELETE', path, by),
      ])
        expect(answer.statusCode).toBe(404)
    for (const who of ['admin@alpha', 'user@m18'])
      expect((await create({}, await the.server.signIn(who))).statusCode).toBe(403)
    expect((await the.server.send({ method: 'HEAD', url: path })).statusCode).toBe(401)
    expect((await the.server.send({ method: 'POST', url: '/api/app/upload/tus' })).statusCode).toBe(401)
    expect(await offsetOf(path)).toBe(0)
    for (const strange of ['0'.repeat(32), '..%2f..%2fetc', 'x'])
      expect((await ask('HEAD', `/api/app/upload/tus/${strange}`)).statusCode).toBe(404)
    the.server.clock.now += 86_400_000
    the.staff = await the.server.signIn('admin@m18')
    expect((await ask('HEAD', path)).statusCode).toBe(404)
  })

  test('goes on under a renewed token', async () => {
    const bytes = await large()
    const tokens: string[] = []
    const other = await the.server.signIn('admin@m18')
    await uploadPiecemeal(bytes, {
      url,
      token: () => {
        tokens.push(tokens.length % 2 ? other.access : the.staff.access)
        return tokens.at(-1) ?? ''
      },
    })
    expect(new Set(tokens).size).toBe(2)
    expect(await listUploads(the.staff)).toMatchObject([{ state: 'read' }])
  })

  it.each([
    ['no length', { 'upload-length': '' }, [400, 'VALIDATION_ERROR']],
    ['a length that is told later', { 'upload-length': '', 'upload-defer-length': '1' }, [400, 'VALIDATION_ERROR']],
    ['too long a length', { 'upload-length': String(64 * 1024 * 1024 + 1) }, [413, 'TOO_LARGE']],
    ['a length below nothing', { 'upload-length': '-1' }, [400, 'VALIDATION_ERROR']],
    ['another name', { 'upload-metadata': named('pay.zip') }, [400, 'VALIDATION_ERROR']],
    ['a name that turns', { 'upload-metadata': named('pay\u202Eppam.mapp') }, [400, 'VALIDATION_ERROR']],
    ['no name', { 'upload-metadata': 'other dGV4dA==' }, [400, 'VALIDATION_ERROR']],
    ['no protocol', { 'tus-resumable': '' }, [400, 'VALIDATION_ERROR']],
  ])('with %s is not begun', async (_, headers, answer) => {
    expect(told(await create(headers))).toEqual(answer)
    expect(await listUploads(the.staff)).toEqual([])
  })

  test('that says one length and sends another is stopped at the one that it said', async () => {
    const path = await begun()
    expect(told(await patch(path, noise(101)))).toEqual([413, 'TOO_LARGE'])
    expect(told(await patch(path, noise(10), { 'upload-offset': '50' }))).toEqual([409, 'STATE_CONFLICT'])
    expect(told(await patch(path, noise(10), { 'content-type': 'application/json' }))[0]).toBe(400)
    expect(await offsetOf(path)).toBeLessThanOrEqual(100)
  })

  test('is written by one node at a time, and by another once that one has died', async () => {
    const id = idOf(await begun())
    const [here, there, later] = [1, 2, 3].map(() => new UploadLocker(the.server.app, 600).newLock(id))
    const take = (lock: typeof here) => lock?.lock(new AbortController().signal, () => undefined)
    await take(here)
    await expect(take(there)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await here?.unlock()
    await take(there)
    the.server.clock.now += 11_000
    await take(later)
    for (const lock of [there, later]) await lock?.unlock()
  }, 30_000)

  test('is forgotten with its file, as one that came in a form is', async () => {
    const path = await begun()
    await sendPackage(the.staff, await bare())
    const ids = (await listUploads(the.staff)).map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(2)
    for (const id of ids) expect((await ask('DELETE', `/api/app/upload/tus/${id}`)).statusCode).toBe(204)
    expect([await listUploads(the.staff), await readdir(the.folder)]).toEqual([[], []])
    expect((await ask('DELETE', path)).statusCode).toBe(404)
  })

  test('counts against the quota from its beginning on, by its length', async () => {
    for (let at = 0; at < 16; at++) await create({ 'upload-length': String(64 * 1024 * 1024) })
    const more = await create({ 'upload-length': '100' })
    expect(told(more)).toEqual([429, 'UPLOAD_LIMIT'])
    expect(more.json().data).toEqual({ files: 16, megabytes: 1024 })
  })
})

describe('where the disk of files is full', () => {
  const the = setUpUploads('embedded', { env: { FREE_SPACE_MARK_MB: '1048576' } })

  test('uploads are refused with 507, and nothing else is', async () => {
    const answers = [
      await sendPackage(the.staff, await bare()),
      await the.staff.send({
        method: 'POST',
        url: '/api/app/upload/tus',
        headers: { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': 'filename YS5tYXBw' },
      }),
    ]
    for (const answer of answers) expect(told(answer)).toEqual([507, 'FILES_FULL'])
    const made = await the.staff.send({
      method: 'POST',
      url: '/api/module',
      payload: { code: 'crm2', name: 'CRM', dependencies: [] },
    })
    expect(made.statusCode).toBe(200)
  })
})

nightly(
  'a server killed between two pieces goes on with the upload after its start',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portal-tus-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const env = { DATA_DIR: join(folder, 'data'), DEMO: '1', PAYMENT_SANDBOX: '0' }
    await layDataFolder(env.DATA_DIR)
    const bytes = await large()
    const first = startProcess(env)
    const one = await signedInAt(await first.ready)
    const stopped = await uploadPiecemeal(bytes, { ...one, stopAt: 512 * 1024 })
    await first.kill('SIGKILL')
    const second = startProcess(env)
    try {
      const two = await signedInAt(await second.ready)
      const uploadUrl = `${two.url}${new URL(stopped).pathname}`
      const retryDelays = Array<number>(20).fill(1000)
      await uploadPiecemeal(bytes, { ...two, uploadUrl, retryDelays })
      const listed = await fetch(`${two.url}/api/app/upload`, { headers: { authorization: `Bearer ${two.token()}` } })
      expect(await listed.json()).toMatchObject([{ size: bytes.length, received: bytes.length, state: 'read' }])
    } finally {
      await second.kill('SIGTERM')
    }
  },
  120_000,
)

async function signedInAt(url: string) {
  const answer = await fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      'x-token-store': 'body',
    },
    body: new URLSearchParams({ grant_type: 'password', username: 'm18:staff@m18.example', password: demoPassword }),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  return { url, token: () => access_token }
}
