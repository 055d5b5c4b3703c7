import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { avatarSide, type ImageSize, imageBytes, readImageSize } from '#domain/images.ts'
import { decodePicture } from '#server/drivers/pictures/decoder.ts'
import {
  blackPng,
  boxedWebp,
  deflatedZeros,
  drawn,
  endlessJpeg,
  flooded,
  formWith,
  jpeg,
  png,
  pngChunk,
  webp,
} from '#tests/support/uploads/pictures.ts'
import { told } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { byDay, nightly } from '#tests/support/runner/nightly.ts'

// Limits of time are reached here, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

const refused = {
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

  const upload = (bytes: Uint8Array, by = user) => {
    expect(bytes.length).toBeLessThan(imageBytes)
    const { headers, payload } = formWith('avatar', { bytes })
    return by.send({ method: 'POST', url: '/api/m18s/asset', headers, payload })
  }

  test.each([
    [65_535, 1],
    [1, 65_535],
    [1024, 1],
    [41, 4],
  ])('that is a strip of %d x %d is refused before it is decoded', async (width, height) => {
    const begun = performance.now()
    expect(told(await upload(blackPng({ width, height })))).toEqual(refused.range)
    expect(performance.now() - begun).toBeLessThan(2000)
  })

  const unusual = [
    ['the longest shape that is taken', { width: 640, height: 64 }],
    ['one pixel', { width: 1, height: 1 }],
    ['16 bits a channel at the most pixels that are taken', { width: 4096, height: 4096, depth: 16 }],
    ['16 bits a channel in the longest shape', { width: 1295, height: 12_950, depth: 16 }],
  ] as const
  test.each(byDay<(typeof unusual)[number]>(unusual, 3))(
    'is told from one that is only unusual: %s',
    async (_title, head) => {
      const answer = await upload(blackPng(head))
      expect(told(answer)[0]).toBe(200)
      const shown = await server.send({ url: `/public/asset/${answer.json().id}` })
      expect(readImageSize(shown.rawPayload)).toEqual({ format: 'webp', width: avatarSide, height: avatarSide })
    },
  )

  test('with more pixels than are taken is refused in each format, whether they are there or not', async () => {
    const bomb = blackPng({ width: 10_000, height: 10_000, depth: 1, color: 0 })
    expect(bomb.length).toBeLessThan(20_000)
    expect(told(await upload(bomb))).toEqual(refused.range)
    expect(told(await upload(flooded(await png(), 0x7fff_ffff, 0x7fff_ffff)))).toEqual(refused.range)
    expect(told(await upload(boxedWebp(await webp(), 16_384, 16_384)))).toEqual(refused.range)
    const wide = Buffer.from(await jpeg())
    const frame = wide.indexOf(Buffer.from([0xff, 0xc0]))
    expect(frame).toBeGreaterThan(0)
    wide.writeUInt32BE(0xffff_ffff, frame + 5)
    expect(told(await upload(wide))).toEqual(refused.range)
    expect(told(await upload(flooded(await png(), 0, 64)))).toEqual(refused.type)
  })

  test('that is larger inside than its head says is refused', async () => {
    const large = await drawn(2000, 1500).webpLossless()
    expect(told(await upload(boxedWebp(large, 64, 64)))).toEqual(refused.type)
    // Of two frames the first one was read, and the decoder may go by the second.
    const [small, wide] = [Buffer.from(await jpeg(64)), Buffer.from(await jpeg(1600, 1200))]
    const two = Buffer.concat([small.subarray(0, small.indexOf(Buffer.from([0xff, 0xda]))), wide.subarray(2)])
    expect(told(await upload(two))).toEqual(refused.type)
  })

  test('that is cut off anywhere is refused, or shown as far as it goes', async () => {
    for (const file of [await png(200), await jpeg(200), await webp(200)])
      for (const part of [0.2, 0.5, 0.9]) {
        const [status] = told(await upload(file.subarray(0, Math.floor(file.length * part))))
        expect([200, 415]).toContain(status)
      }
  })

  test('that hides a flood in its colour profile or its words ends nothing', async () => {
    const flood = deflatedZeros(700_000_000)
    for (const [kind, name] of [
      ['iCCP', 'profile\0\0'],
      ['zTXt', 'Comment\0\0'],
    ] as const) {
      const more = pngChunk(kind, Buffer.concat([Buffer.from(name, 'latin1'), flood]))
      const [status] = told(await upload(blackPng({ width: 64, height: 64 }, more)))
      expect([200, 415]).toContain(status)
    }
  })

  test('that moves is shown by its first frame or refused', async () => {
    const control = Buffer.alloc(8)
    control.writeUInt32BE(0xffff_ffff)
    const frame = Buffer.alloc(26)
    frame.writeUInt32BE(64, 4)
    frame.writeUInt32BE(64, 8)
    const moving = blackPng({ width: 64, height: 64 }, pngChunk('acTL', control), pngChunk('fcTL', frame))
    expect([200, 415]).toContain(told(await upload(moving))[0])
    expect(told(await upload(Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;', 'latin1')))).toEqual(refused.type)
    expect(told(await upload(Buffer.from('II*\0\b\0\0\0\0\0\0\0\0\0', 'latin1')))).toEqual(refused.type)
  })

  test('that is drawn anew for ever is given up', async () => {
    expect(told(await upload(endlessJpeg()))).toEqual(refused.type)
  })

  test('does not come in such a number that others find no room', async () => {
    const bytes = await png()
    const [other, answers] = [await server.signIn('order@alpha'), Array.from({ length: 30 }, () => upload(bytes))]
    expect((await upload(bytes, other)).statusCode).toBe(200)
    const ends = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
    expect(ends.filter((status) => status === 429).length).toBeGreaterThan(15)
    expect(ends).toContain(200)
  })

  test('of a stranger is not even looked at', async () => {
    const { headers, payload } = formWith('avatar', { bytes: Buffer.from('none') })
    expect(told(await server.send({ method: 'POST', url: '/api/m18s/asset', headers, payload }))).toEqual([
      401,
      'UNAUTHORIZED',
    ])
  })
})

/** What comes past every check of the head: the operating system's limits are what is left. */
describe.skipIf(process.platform !== 'linux')('a decoder that is led astray (S-94)', () => {
  const decode = (width: number, limits?: Parameters<typeof decodePicture>[2]) => {
    const file = blackPng({ width, height: 1 })
    return decodePicture(file, readImageSize(file) as ImageSize, limits)
  }
  const plenty = { dataKb: 1_200_000, cpuSeconds: 60, wallMs: 60_000 }

  test('is ended when it asks for more memory than it may have, and this process goes on', async () => {
    const begun = performance.now()
    for (const width of [65_535, 1024]) expect(await decode(width)).toBeNull()
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  nightly('is ended when its time is over, by its own clock or by ours', async () => {
    expect(await decode(200, plenty)).not.toBeNull()
    expect(await decode(200, { ...plenty, cpuSeconds: 1 })).toBeNull()
    expect(await decode(200, { ...plenty, wallMs: 300 })).toBeNull()
  })
})
