import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { avatarSide, type ImageSize, maxImageBytes, readImageSize } from '#domain/images.ts'
import { decodePicture } from '#server/drivers/pictures/decoder.ts'
import {
  blackPng,
  boxWebp,
  deflateZeros,
  drawPicture,
  buildEndlessJpeg,
  claimSize,
  buildFileForm,
  jpeg,
  png,
  pngChunk,
  webp,
} from '#tests/support/uploads/pictures.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { limitByDay, nightly } from '#tests/support/runner/nightly.ts'

// These tests wait for time limits, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const refusals = {
  range: [400, 'VALIDATION_ERROR'],
  type: [415, 'UNSUPPORTED_TYPE'],
}

describe('a hostile picture', () => {
  let server: TestServer
  let user: SignedIn
  beforeAll(async () => {
    server = await startServer()
    user = await server.signIn('user@alpha')
  })
  afterAll(() => server.close())

  const upload = (bytes: Uint8Array, caller = user) => {
    expect(bytes.length).toBeLessThan(maxImageBytes)
    const { headers, payload } = buildFileForm('avatar', { bytes })
    return caller.send({ method: 'POST', url: '/api/m18s/asset', headers, payload })
  }

  test.each([
    [65_535, 1],
    [1, 65_535],
    [1024, 1],
    [41, 4],
  ])('is rejected before decoding if it is a strip of %d x %d', async (width, height) => {
    const startedAt = performance.now()
    expect(readStatusAndCode(await upload(blackPng({ width, height })))).toEqual(refusals.range)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  const unusualPictures = [
    ['the longest accepted shape', { width: 640, height: 64 }],
    ['one pixel', { width: 1, height: 1 }],
    ['16 bits per channel at the maximum number of pixels', { width: 4096, height: 4096, depth: 16 }],
    ['16 bits per channel in the longest accepted shape', { width: 1295, height: 12_950, depth: 16 }],
  ] as const
  test.each(limitByDay<(typeof unusualPictures)[number]>(unusualPictures, 3))(
    'is not confused with an unusual picture, which is accepted: %s',
    async (_title, pngHeader) => {
      const response = await upload(blackPng(pngHeader))
      expect(readStatusAndCode(response)[0]).toBe(200)
      const asset = await server.send({ url: `/public/asset/${response.json().id}` })
      expect(readImageSize(asset.rawPayload)).toEqual({ format: 'webp', width: avatarSide, height: avatarSide })
    },
  )

  test('is rejected if it has or claims too many pixels, in each format', async () => {
    const bombPng = blackPng({ width: 10_000, height: 10_000, depth: 1, color: 0 })
    expect(bombPng.length).toBeLessThan(20_000)
    expect(readStatusAndCode(await upload(bombPng))).toEqual(refusals.range)
    expect(readStatusAndCode(await upload(claimSize(await png(), 0x7fff_ffff, 0x7fff_ffff)))).toEqual(refusals.range)
    expect(readStatusAndCode(await upload(boxWebp(await webp(), 16_384, 16_384)))).toEqual(refusals.range)
    const wideJpeg = Buffer.from(await jpeg())
    const frame = wideJpeg.indexOf(Buffer.from([0xff, 0xc0]))
    expect(frame).toBeGreaterThan(0)
    wideJpeg.writeUInt32BE(0xffff_ffff, frame + 5)
    expect(readStatusAndCode(await upload(wideJpeg))).toEqual(refusals.range)
    expect(readStatusAndCode(await upload(claimSize(await png(), 0, 64)))).toEqual(refusals.type)
  })

  test('is rejected if it is larger than its header says', async () => {
    const largePicture = await drawPicture(2000, 1500).webpLossless()
    expect(readStatusAndCode(await upload(boxWebp(largePicture, 64, 64)))).toEqual(refusals.type)
    // Of two frame headers the first one is checked, but the decoder may use the second.
    const [smallJpeg, wideJpeg] = [Buffer.from(await jpeg(64)), Buffer.from(await jpeg(1600, 1200))]
    const combinedFile = Buffer.concat([
      smallJpeg.subarray(0, smallJpeg.indexOf(Buffer.from([0xff, 0xda]))),
      wideJpeg.subarray(2),
    ])
    expect(readStatusAndCode(await upload(combinedFile))).toEqual(refusals.type)
  })

  test('is rejected or shown in part if it is truncated', async () => {
    for (const file of [await png(200), await jpeg(200), await webp(200)])
      for (const part of [0.2, 0.5, 0.9]) {
        const [status] = readStatusAndCode(await upload(file.subarray(0, Math.floor(file.length * part))))
        expect([200, 415]).toContain(status)
      }
  })

  test('has no effect as a decompression bomb in a colour profile or text', async () => {
    const floodBytes = deflateZeros(700_000_000)
    for (const [kind, name] of [
      ['iCCP', 'profile\0\0'],
      ['zTXt', 'Comment\0\0'],
    ] as const) {
      const extraChunk = pngChunk(kind, Buffer.concat([Buffer.from(name, 'latin1'), floodBytes]))
      const [status] = readStatusAndCode(await upload(blackPng({ width: 64, height: 64 }, extraChunk)))
      expect([200, 415]).toContain(status)
    }
  })

  test('is rejected or shown by its first frame if it is animated', async () => {
    const control = Buffer.alloc(8)
    control.writeUInt32BE(0xffff_ffff)
    const frame = Buffer.alloc(26)
    frame.writeUInt32BE(64, 4)
    frame.writeUInt32BE(64, 8)
    const movingPicture = blackPng({ width: 64, height: 64 }, pngChunk('acTL', control), pngChunk('fcTL', frame))
    expect([200, 415]).toContain(readStatusAndCode(await upload(movingPicture))[0])
    expect(readStatusAndCode(await upload(Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;', 'latin1')))).toEqual(
      refusals.type,
    )
    expect(readStatusAndCode(await upload(Buffer.from('II*\0\b\0\0\0\0\0\0\0\0\0', 'latin1')))).toEqual(refusals.type)
  })

  test('is rejected if its decoding does not end', async () => {
    expect(readStatusAndCode(await upload(buildEndlessJpeg()))).toEqual(refusals.type)
  })

  test('does not block other users when many are sent', async () => {
    const bytes = await png()
    const [otherUser, responses] = [await server.signIn('order@alpha'), Array.from({ length: 30 }, () => upload(bytes))]
    expect((await upload(bytes, otherUser)).statusCode).toBe(200)
    const statuses = (await Promise.all(responses)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(15)
    expect(statuses).toContain(200)
  })

  test('is not read without a session', async () => {
    const { headers, payload } = buildFileForm('avatar', { bytes: Buffer.from('none') })
    expect(readStatusAndCode(await server.send({ method: 'POST', url: '/api/m18s/asset', headers, payload }))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
  })
})

/** A picture may pass all checks of its header. Then only the limits of the operating system protect the server. */
describe.skipIf(process.platform !== 'linux')('a compromised picture decoder (S-94)', () => {
  const decode = (width: number, limits?: Parameters<typeof decodePicture>[2]) => {
    const file = blackPng({ width, height: 1 })
    return decodePicture(file, readImageSize(file) as ImageSize, limits)
  }
  const generousLimits = { dataKb: 1_200_000, cpuSeconds: 60, wallMs: 60_000 }

  test('is killed when it exceeds its memory, and the server continues', async () => {
    const startedAt = performance.now()
    for (const width of [65_535, 1024]) expect(await decode(width)).toBeNull()
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  nightly('is killed when its time is over, by its own timer or by the server', async () => {
    expect(await decode(200, generousLimits)).not.toBeNull()
    expect(await decode(200, { ...generousLimits, cpuSeconds: 1 })).toBeNull()
    expect(await decode(200, { ...generousLimits, wallMs: 300 })).toBeNull()
  })
})
