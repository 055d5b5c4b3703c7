/** Archives: exact, whole or an error, and nobody's who has not the key. */
import { Decrypter } from 'age-encryption'
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'
import { StoreError } from '#server/drivers/backup-store/driver.ts'
import { readArchive, writeArchive } from '#server/use-cases/hosting/backups/archive.ts'
import type { ArchiveHead } from '#server/use-cases/hosting/backups/archive-lines.ts'
import { digested } from '#server/use-cases/hosting/backups/digest.ts'
import { identitiesOf, recipientOf } from '#server/use-cases/hosting/backups/keys.ts'
import { testConfig } from '#tests/support/server/database.ts'
import { dataPieces, piecesOf, shopPieces, ungrouped } from '#tests/support/hosting/data-pieces.ts'
import { sealedAs } from '#tests/support/hosting/sealed-archive.ts'

const config = testConfig()
const identities = identitiesOf(config, 3)
const [identity] = identities
const head: ArchiveHead = {
  backupId: 7,
  companyId: 3,
  companyCode: 'acme',
  serviceId: 4,
  code: 'shop',
  name: 'Shop "\0 店',
  time: 1_780_000_000_000,
}

const archived = async (pieces: readonly DataPiece[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(writeArchive(head, piecesOf(pieces), identity)))

async function* inPieces(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = (bytes: Uint8Array, keys: readonly string[] = identities) =>
  Array.fromAsync(readArchive(inPieces(bytes), keys))

const bare = (pieces: readonly DataPiece[]) => digested(piecesOf(pieces))
async function contentsOf(pieces: readonly DataPiece[]) {
  const all = bare(pieces)
  for await (const _ of all);
  return all.contents()
}

describe('an archive', () => {
  it('gives back what went in, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(dataPieces, async (pieces) => {
        const writing = writeArchive(head, piecesOf(pieces), identity)
        const bytes = Buffer.concat(await Array.fromAsync(writing))
        const reading = readArchive(inPieces(bytes, 77), identities)
        const back = await Array.fromAsync(reading)
        // In an integer column 5 and 5n are one value, and a host gives out the first.
        expect(ungrouped(back)).toEqual(ungrouped(pieces))
        expect(reading.head()).toEqual(head)
        const contents = await contentsOf(pieces)
        expect([writing.contents(), reading.contents(), await contentsOf(back)]).toEqual([contents, contents, contents])
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  it('has one digest for the same data, however its rows are grouped, and another one for any other', async () => {
    await fc.assert(
      fc.asyncProperty(dataPieces, dataPieces, async (one, other) => {
        const { digest } = await contentsOf(one)
        expect((await contentsOf(ungrouped(one))).digest).toBe(digest)
        const lines = (pieces: DataPiece[]) => JSON.stringify(ungrouped(pieces), typed)
        expect((await contentsOf(other)).digest === digest).toBe(lines(one) === lines(other))
      }),
      { numRuns: 100 },
    )
  })

  it('is an error wherever a bit is another, or it is cut', async () => {
    const bytes = await archived(shopPieces(3))
    expect(await read(bytes)).toEqual(shopPieces(3))
    const broken = { name: 'ArchiveError', fault: expect.stringMatching(/^(damaged|no_key)$/) }
    for (let at = 0; at < bytes.length; at++) {
      const other = Buffer.from(bytes)
      other.writeUInt8(other.readUInt8(at) ^ (1 << (at % 8)), at)
      await expect(read(other), `byte ${at}`).rejects.toMatchObject(broken)
      await expect(read(bytes.subarray(0, at)), `cut at ${at}`).rejects.toMatchObject(broken)
    }
    await expect(read(Buffer.concat([bytes, Buffer.alloc(1)]))).rejects.toMatchObject({ fault: 'damaged' })
  }, 60_000)

  it('is an error at a place by chance of a larger one, too', async () => {
    const bytes = await archived(shopPieces(20_000))
    expect(bytes.length).toBeGreaterThan(2 * 65_536)
    const last = shopPieces(1).at(-1)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.boolean(), async (at, isCut) => {
        const other = Buffer.from(isCut ? bytes.subarray(0, at) : bytes)
        if (!isCut) other.writeUInt8(other.readUInt8(at) ^ 1, at)
        const pieces: DataPiece[] = []
        const reading = readArchive(inPieces(other, 50_000), identities)
        await expect(
          (async () => {
            for await (const piece of reading) pieces.push(piece)
          })(),
        ).rejects.toMatchObject({ name: 'ArchiveError' })
        expect(pieces).not.toContainEqual(last)
        expect(() => reading.contents()).toThrow('once all pieces were taken')
      }),
      { numRuns: 12 },
    )
  }, 60_000)

  it('is cut where an error of its source is, and hands that on', async () => {
    const bytes = await archived(shopPieces(2_000))
    async function* source() {
      yield bytes.subarray(0, 5_000)
      throw new StoreError('unreachable', 'the line is cut')
    }
    await expect(Array.fromAsync(readArchive(source(), identities))).rejects.toMatchObject({ fault: 'unreachable' })
    async function* host(): AsyncGenerator<DataPiece> {
      yield* shopPieces(500).slice(0, 3)
      throw new Error('the host is gone')
    }
    const writing = writeArchive(head, host(), identity)
    await expect(Array.fromAsync(writing)).rejects.toThrow('the host is gone')
    expect(() => writing.contents()).toThrow('once all pieces were taken')
  })

  it('lets go of its source where a reader has had enough', async () => {
    const bytes = await archived(shopPieces(20_000))
    let isClosed = 0
    async function* source() {
      try {
        yield* inPieces(bytes)
      } finally {
        isClosed++
      }
    }
    for await (const _ of readArchive(source(), identities)) break
    expect(isClosed).toBe(1)
    async function* host() {
      try {
        yield* shopPieces(200_000)
      } finally {
        isClosed++
      }
    }
    for await (const _ of writeArchive(head, host(), identity)) break
    await expect.poll(() => isClosed).toBe(2)
  })

  it('is opened by age and gunzip, and its digest is that of the lines between the first and the last', async () => {
    const pieces = shopPieces(10)
    const age = new Decrypter()
    age.addIdentity(identity)
    const lines = gunzipSync(await age.decrypt(new Uint8Array(await archived(pieces)))).toString()
    const [first = '', ...rest] = lines.split('\n').slice(0, -1)
    expect(JSON.parse(first)).toEqual({ archive: 1, ...head })
    const contents = await contentsOf(pieces)
    expect(JSON.parse(rest.pop() ?? '')).toEqual({ ...contents, seal: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const between = rest.map((line) => `${line}\n`).join('')
    expect(createHash('sha256').update(between).digest('hex')).toBe(contents.digest)
  })

  it('does not hold its key, nor any text of the data in plain', async () => {
    const bytes = await archived(shopPieces(10))
    for (const text of [identity, identity.slice(20, 40), 'item-3', 'acme', config.tokenKey.toString('hex')])
      expect(bytes.includes(text), text).toBe(false)
  })
})

describe('the key of an archive', () => {
  it('opens its own company alone', async () => {
    const bytes = await archived(shopPieces(2))
    await expect(read(bytes, identitiesOf(config, 4))).rejects.toMatchObject({ name: 'ArchiveError', fault: 'no_key' })
    await expect(read(bytes, [])).rejects.toMatchObject({ fault: 'no_key' })
    expect(await read(bytes, [...identitiesOf(config, 4), identity])).toHaveLength(3)
  })

  it('is opened by the installation key of before, once that is named', async () => {
    const bytes = await archived(shopPieces(2))
    const [other, before] = ['22'.repeat(32), '11'.repeat(32)]
    await expect(read(bytes, identitiesOf(testConfig({ BACKUP_KEY: other }), 3))).rejects.toMatchObject({
      fault: 'no_key',
    })
    const changed = testConfig({ BACKUP_KEY: other, BACKUP_KEYS_BEFORE: `${'33'.repeat(32)}, ${before}` })
    expect(identitiesOf(changed, 3)).toHaveLength(3)
    expect(await read(bytes, identitiesOf(changed, 3))).toHaveLength(3)
  })

  it('is another one for every company and every installation key, and always the same', async () => {
    const all = [testConfig(), testConfig({ BACKUP_KEY: '22'.repeat(32) })].flatMap((one) =>
      [1, 2, 3].map((company) => identitiesOf(one, company)[0]),
    )
    expect(new Set(all).size).toBe(6)
    // Whoever has kept a key has to find it good for ever.
    expect(identity).toBe('AGE-SECRET-KEY-1R2KHP6QW0D4R0CLTANKQY0QNE050FMCR2H2HJTCKY68G8TS34HSSEKC3Y3')
    expect(await recipientOf(config, 3)).toBe('age1t9vmtcnk2aeeevld3ectxx3ndp7n8m7zhn9nfu4lvmncrdnfldpqa7dmp2')
  })
})

describe('an archive that was made to do harm', () => {
  let recipient: string
  beforeAll(async () => {
    recipient = await recipientOf(config, 3)
  })
  const table = '{"table":"t","columns":[{"name":"n","type":"integer","notNull":false,"key":0}],"statement":""}'
  const first = JSON.stringify({ archive: 1, ...head })
  const attempt = async (lines: string[]) => read(await sealedAs(recipient, `${lines.join('\n')}\n`))
  const damaged = { name: 'ArchiveError', fault: 'damaged' }

  it('is refused without the seal, which takes more than the recipient to make', async () => {
    const pieces = shopPieces(2)
    const contents = await contentsOf(pieces)
    const [, ...lines] = gunzipSync(await opened(await archived(pieces)))
      .toString()
      .trimEnd()
      .split('\n')
    const last = lines.pop() ?? ''
    expect(await attempt([first, ...lines, last])).toEqual(pieces)
    await expect(attempt([first, ...lines, JSON.stringify(contents)])).rejects.toMatchObject(damaged)
    await expect(
      attempt([first, ...lines, JSON.stringify({ ...contents, seal: '0'.repeat(64) })]),
    ).rejects.toMatchObject(damaged)
    // Of another service, or another backup.
    for (const other of [{ serviceId: 5 }, { backupId: 8 }, { code: 'shop2' }])
      await expect(attempt([JSON.stringify({ archive: 1, ...head, ...other }), ...lines, last])).rejects.toMatchObject(
        damaged,
      )
    await expect(attempt([first, ...lines, last, last])).rejects.toMatchObject(damaged)
    await expect(attempt([first, ...lines])).rejects.toMatchObject(damaged)
  })

  it.each([
    ['nothing', []],
    ['no JSON', ['x']],
    ['no head', [table]],
    ['a later format', [first.replace('"archive":1', '"archive":2')]],
    ['a head of other types', [first.replace('"backupId":7', '"backupId":"7"')]],
    ['a row before its table', [first, '[1]']],
    ['a row of another length', [first, table, '[1,2]']],
    ['a value of no kind', [first, table, '[true]']],
    ['a value of an unknown kind', [first, table, '[{"date":"1"}]']],
    ['a number that is none', [first, table, '[{"int":"0x10"}]']],
    ['a real that is none', [first, table, '[{"real":"toString"}]']],
    ['a blob that is none', [first, table, '[{"blob":"<>"}]']],
    ['a table without columns', [first, '{"table":"t","statement":""}']],
    ['a column of an unknown type', [first, table.replace('integer', 'date')]],
    ['a statement that is no text', [first, table.replace('"statement":""', '"statement":1')]],
    ['a list of other things', [first, '{"end":[1]}']],
    ['an empty line', [first, '']],
  ])('is refused: %s', async (_, lines) => {
    await expect(attempt(lines)).rejects.toMatchObject(damaged)
  })

  it('is refused with more tables or longer lines than there are', async () => {
    await expect(attempt([first, ...Array<string>(10_001).fill(table)])).rejects.toMatchObject({
      message: expect.stringContaining('too many tables'),
    })
    const bomb = gzipSync(Buffer.concat([Buffer.from(`${first}\n`), Buffer.alloc(2 ** 21, 0x20)]))
    const sealed = await sealedAs(recipient, bomb)
    await expect(
      Array.fromAsync(readArchive(inPieces(sealed), identities, { maxLine: 2 ** 20 })),
    ).rejects.toMatchObject({
      message: expect.stringContaining('no end'),
    })
  }, 60_000)

  it('is refused where its head has no end', async () => {
    const endless = Buffer.from(`age-encryption.org/v1\n${'-> X25519 a\n'.repeat(1_000)}--- x\n`)
    await expect(read(endless)).rejects.toMatchObject(damaged)
    await expect(read(Buffer.alloc(100_000, 0x61))).rejects.toMatchObject(damaged)
  })

  it('is not made where a row is larger than one takes', async () => {
    const pieces: DataPiece[] = [
      { kind: 'table', name: 't', columns: [{ name: 'b', type: 'blob', notNull: false, key: 0 }], statement: '' },
      { kind: 'rows', rows: [[new Uint8Array(2 ** 20)]] },
    ]
    const writing = writeArchive(head, piecesOf(pieces), identity, { maxLine: 2 ** 20 })
    await expect(Array.fromAsync(writing)).rejects.toMatchObject({ name: 'ArchiveError', fault: 'too_large' })
  })
})

async function opened(bytes: Buffer): Promise<Uint8Array> {
  const age = new Decrypter()
  age.addIdentity(identity)
  return await age.decrypt(new Uint8Array(bytes))
}

/** Tells apart what JSON does not. */
function typed(this: unknown, key: string, value: unknown): unknown {
  const own = (this as Record<string, unknown>)[key]
  if (typeof own === 'bigint') return { int: String(own) }
  if (typeof own === 'number') return { real: Object.is(own, -0) ? '-0' : String(own) }
  return own instanceof Uint8Array ? { blob: [...own] } : value
}
