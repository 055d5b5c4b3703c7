import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Transformer } from '@napi-rs/image'
import { randomUUID } from 'node:crypto'
import { avatarSide, maxImageBytes, readImageSize } from '#domain/images.ts'
import { insertAsset } from '#server/db/accounts/assets.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import {
  claimSize,
  buildFileForm,
  type FormFile,
  jpeg,
  padFile,
  png,
  webp,
  withExif,
} from '#tests/support/uploads/pictures.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

describe('picture uploads', () => {
  let server: TestServer
  let user: SignedIn
  beforeAll(async () => {
    server = await startServer()
  }, 90_000)
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    user = await server.signIn('user@alpha')
  })

  const upload = (caller: SignedIn, file: FormFile, key?: string, field = 'avatar') => {
    const { headers, payload } = buildFileForm(field, file)
    const requestHeaders = { ...headers, ...(key ? { 'idempotency-key': key } : {}) }
    return caller.send({ method: 'POST', url: '/api/m18s/asset', headers: requestHeaders, payload })
  }
  const put = (caller: SignedIn, payload: object, headers: Record<string, string> = {}) =>
    caller.send({ method: 'PUT', url: `/api/m18s/user/${caller.userId}`, payload, headers })
  test.each(['nope', 'x'.repeat(60)])('return 404 for an unknown id: %s', async (id) => {
    expect((await server.send({ url: `/public/asset/${id}` })).statusCode).toBe(404)
  })

  const fetchAsset = (id: string) => server.send({ url: `/public/asset/${id}` })

  test('are stored under an immutable name, can be avatars, and can be read by anybody (H-06, M43, M44, M60, S-72)', async () => {
    const { id } = (await upload(user, { bytes: await png(900, 600) })).json()
    expect(id).toMatch(/^[\w-]{32}$/)
    expect((await put(user, { avatar: id })).json()).toMatchObject({ avatar: id, row_version: 2 })
    expect((await user.send({ url: '/api/m18s/user' })).json().avatar).toBe(id)

    const asset = await fetchAsset(id)
    expect(asset.statusCode).toBe(200)
    expect(asset.headers).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(readImageSize(asset.rawPayload)).toEqual({ format: 'webp', width: avatarSide, height: avatarSide })
    // A picture cannot be loaded as a service worker script (U-15, W-05).
    const asScript = await server.send({ url: `/public/asset/${id}`, headers: { 'service-worker': 'script' } })
    expect(asScript.statusCode).toBe(403)
    expect(readStatusAndCode(await fetchAsset('no-such-picture'))).toEqual([404, 'NOT_FOUND'])
    expect((await put(user, { avatar: null })).json().avatar).toBeNull()
  })

  test('accept PNG, JPEG and WebP under any name and type', async () => {
    for (const bytes of [await png(), await jpeg(), await webp()])
      expect((await upload(user, { bytes, name: 'x.txt', type: 'text/plain' })).statusCode).toBe(200)
  })

  test('reject a picture of 2 MB or more with the specified message (S-70, U-01, portal 5)', async () => {
    const picture = await png()
    const uploadOfSize = async (bytes: number) => upload(user, { bytes: padFile(picture, bytes) })
    expect((await uploadOfSize(maxImageBytes - 1)).statusCode).toBe(200)
    for (const bytes of [maxImageBytes, maxImageBytes + 1, maxImageBytes + 100_000]) {
      const response = await uploadOfSize(bytes)
      expect([bytes, ...readStatusAndCode(response)]).toEqual([bytes, 413, 'IMAGE_TOO_LARGE'])
      expect(response.json().errorMessage).toBe('Image must smaller than 2MB!')
    }
    // The outcome header states that the upload can never succeed, so the outbox stops sending it.
    const refusal = await upload(user, { bytes: padFile(picture, maxImageBytes) }, randomUUID())
    expect(refusal.headers['idempotency-outcome']).toBe('refused; schema')
  })

  test('reject a file that is no picture, with any content type (S-71, U-02)', async () => {
    const script = '<script>alert(1)</script>'
    const unsupportedTexts = [
      `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
      `<!doctype html>${script}`,
      '%PDF-1.7',
      'GIF89a\u0001\u0000\u0001\u0000',
      'x',
    ]
    for (const text of unsupportedTexts)
      expect([text, ...readStatusAndCode(await upload(user, { bytes: Buffer.from(text) }))]).toEqual([
        text,
        415,
        'UNSUPPORTED_TYPE',
      ])
    const truncatedPng = (await png(200)).subarray(0, 200)
    expect(readStatusAndCode(await upload(user, { bytes: truncatedPng }))).toEqual([415, 'UNSUPPORTED_TYPE'])
    const damagedPng = Buffer.from(await png(200))
    damagedPng.fill(0xff, 60, 120)
    expect(readStatusAndCode(await upload(user, { bytes: damagedPng }))).toEqual([415, 'UNSUPPORTED_TYPE'])
    expect(readStatusAndCode(await upload(user, { bytes: new Uint8Array() }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('store only the pixels, without metadata or trailing bytes (S-71, U-03)', async () => {
    const secret = '<script>alert("hidden")</script>'
    const files = [withExif(await jpeg(), secret), Buffer.concat([await png(), Buffer.from(`PK\u0003\u0004${secret}`)])]
    for (const bytes of files) {
      const asset = await fetchAsset((await upload(user, { bytes })).json().id)
      expect(asset.rawPayload.includes('script')).toBe(false)
      expect(asset.rawPayload.includes('Exif')).toBe(false)
      const { exif } = await new Transformer(asset.rawPayload).metadata(true)
      expect(exif ?? {}).toEqual({})
    }
  })

  test('apply the orientation of the camera', async () => {
    const readFirstPixel = async (bytes: Uint8Array) => {
      const asset = await fetchAsset((await upload(user, { bytes })).json().id)
      const pixels = await new Transformer(asset.rawPayload).rawPixels()
      return [...pixels.subarray(0, 2)].map((value) => (value > 120 ? 'high' : 'low'))
    }
    // The upper left corner is red and green. After a quarter turn it shows the lower left corner, which is only red.
    expect(await readFirstPixel(await jpeg())).toEqual(['high', 'high'])
    expect(await readFirstPixel(withExif(await jpeg(), 'x'))).toEqual(['high', 'low'])
  })

  test('reject huge dimensions before decoding (S-74, U-04)', async () => {
    const memoryBefore = process.memoryUsage().rss
    const startedAt = performance.now()
    for (const [width, height] of [
      [30_000, 30_000],
      [4097, 4096],
      [16 * 1024 * 1024 + 1, 1],
    ] as const)
      expect(readStatusAndCode(await upload(user, { bytes: claimSize(await png(), width, height) }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(128e6)
  })

  test('store one picture for a repeated key, and reject another file under it (protocol 5, 8)', async () => {
    const key = randomUUID()
    const bytes = await png()
    const first = await upload(user, { bytes }, key)
    const second = await upload(user, { bytes }, key)
    expect(second.json()).toEqual(first.json())
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(readStatusAndCode(await upload(user, { bytes: await jpeg() }, key))).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  })

  test('can be referenced by their intent before the id is known (protocol 17)', async () => {
    const key = randomUUID()
    const earlyResponse = await put(user, { avatar: `~${key}` }, { 'idempotency-key': randomUUID() })
    expect(readStatusAndCode(earlyResponse)).toEqual([424, 'NAME_UNKNOWN'])
    const { id } = (await upload(user, { bytes: await png() }, key)).json()
    const laterResponse = await put(user, { avatar: `~${key}` }, { 'idempotency-key': randomUUID() })
    expect(laterResponse.json().avatar).toBe(id)
  })

  test('can only be used as an avatar by their owner (N-05)', async () => {
    for (const userName of ['order@alpha', 'user@beta']) {
      const { id } = (await upload(await server.signIn(userName), { bytes: await png() })).json()
      expect(readStatusAndCode(await put(user, { avatar: id }))).toEqual([400, 'VALIDATION_ERROR'])
    }
    expect(readStatusAndCode(await put(user, { avatar: 'no-such-picture' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(readStatusAndCode(await server.send({ method: 'POST', url: '/api/m18s/asset' }))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
  })

  test('accept a form with exactly one file in the right field (U-14)', async () => {
    const bytes = await png()
    expect(readStatusAndCode(await upload(user, { bytes }, undefined, 'picture'))).toEqual([400, 'VALIDATION_ERROR'])
    expect(readStatusAndCode(await upload(user, { bytes }, undefined, '__proto__'))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await upload(user, { bytes, name: 'a%22b\u4e2d.png' })).statusCode).toBe(200)
    const post = (type: string, payload: Buffer | string) =>
      user.send({ method: 'POST', url: '/api/m18s/asset', headers: { 'content-type': type }, payload })
    expect(readStatusAndCode(await post('application/json', '{"avatar":"x"}'))).toEqual([415, 'UNSUPPORTED_TYPE'])
    expect(readStatusAndCode(await post('multipart/form-data', buildFileForm('avatar', { bytes }).payload))).toEqual([
      415,
      'UNSUPPORTED_TYPE',
    ])
    expect(
      readStatusAndCode(await post('multipart/form-data; boundary=other', buildFileForm('avatar', { bytes }).payload)),
    ).toEqual([400, 'VALIDATION_ERROR'])
    const part = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n'
    expect(readStatusAndCode(await post('multipart/form-data; boundary=b', `${part.repeat(10_000)}--b--\r\n`))).toEqual(
      [400, 'VALIDATION_ERROR'],
    )
    const firstPart = buildFileForm('avatar', { bytes }).payload.toString('latin1').replace('--\r\n', '\r\n')
    const twoFiles = Buffer.from(
      `${firstPart}${buildFileForm('avatar', { bytes }).payload.toString('latin1')}`,
      'latin1',
    )
    expect(readStatusAndCode(await post('multipart/form-data; boundary=portal-test-boundary', twoFiles))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
  })

  test('are limited to a hundred per user and day (S-76)', async () => {
    const { userId } = user
    const asset = {
      company_id: server.world.companies.alpha,
      user_id: userId,
      type: 'image/webp',
      create_time: server.clock.now,
    } as const
    await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      for (let index = 0; index < 99; index++)
        await insertAsset(db, { ...asset, name: `tried-on-${index}`, bytes: new Uint8Array() })
    })
    expect((await upload(user, { bytes: await png() })).statusCode).toBe(200)
    const nextResponse = await upload(user, { bytes: await png() })
    expect([...readStatusAndCode(nextResponse), nextResponse.headers['retry-after']]).toEqual([
      429,
      'RATE_LIMITED',
      '3600',
    ])
    server.clock.now += 25 * 3_600_000
    const userNextDay = await server.signIn('user@alpha')
    expect((await upload(userNextDay, { bytes: await png() })).statusCode).toBe(200)
  })

  test('are deleted after 35 days without use, and kept while they are in use', async () => {
    const usedId = (await upload(user, { bytes: await png() })).json().id
    const unusedId = (await upload(user, { bytes: await jpeg() })).json().id
    await put(user, { avatar: usedId })
    server.clock.now += 36 * 86_400_000
    expect((await deleteExpiredData(server.app)).assets).toBe(1)
    expect((await fetchAsset(usedId)).statusCode).toBe(200)
    expect((await fetchAsset(unusedId)).statusCode).toBe(404)
  })
})

describe('readImageSize', () => {
  test('returns format and size of each accepted format, and null for other files', async () => {
    expect(readImageSize(await png(31, 17))).toEqual({ format: 'png', width: 31, height: 17 })
    expect(readImageSize(await jpeg(31, 17))).toEqual({ format: 'jpeg', width: 31, height: 17 })
    expect(readImageSize(withExif(await jpeg(31, 17), 'x'.repeat(3000)))).toMatchObject({ width: 31, height: 17 })
    expect(readImageSize(await webp(31, 17))).toEqual({ format: 'webp', width: 31, height: 17 })
    const losslessWebp = await (await import('#tests/support/uploads/pictures.ts')).drawPicture(31, 17).webpLossless()
    expect(readImageSize(losslessWebp)).toEqual({ format: 'webp', width: 31, height: 17 })
    for (const file of [await png(), await jpeg(), await webp()])
      for (let bytes = 0; bytes < 24; bytes++) expect(readImageSize(file.subarray(0, bytes))).toBeNull()
  })
})
