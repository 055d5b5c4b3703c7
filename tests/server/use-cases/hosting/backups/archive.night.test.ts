/** Tests that an archive is read exactly as it was written or fails with an error, and cannot be read without its key. */
import { Decrypter } from 'age-encryption'
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { readArchive, writeArchive } from '#server/use-cases/hosting/backups/archive.ts'
import type { ArchiveHead } from '#server/use-cases/hosting/backups/archive-lines.ts'
import { withDigest } from '#server/use-cases/hosting/backups/digest.ts'
import { getIdentities, getRecipient } from '#server/use-cases/hosting/backups/backup-identities.ts'
import { testConfig } from '#tests/support/server/database.ts'
import { dataPieces, streamPieces, buildShopPieces, ungroupRows } from '#tests/support/hosting/data-pieces.ts'
import { sealArchive } from '#tests/support/hosting/sealed-archive.ts'

const config = testConfig()
const identities = getIdentities(config, 3)
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

const buildArchive = async (pieces: readonly DataPiece[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(writeArchive(head, streamPieces(pieces), identity)))

async function* splitBytes(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

const readPieces = (bytes: Uint8Array, keys: readonly string[] = identities) =>
  Array.fromAsync(readArchive(splitBytes(bytes), keys))

const digestPieces = (pieces: readonly DataPiece[]) => withDigest(streamPieces(pieces))
async function readContents(pieces: readonly DataPiece[]) {
  const digestStream = digestPieces(pieces)
  for await (const _ of digestStream);
  return digestStream.getContents()
}

describe('the archive of a backup', () => {
  it('returns the data that was written, for any data', async () => {
    await fc.assert(
      fc.asyncProperty(dataPieces, async (pieces) => {
        const archiveWriter = writeArchive(head, streamPieces(pieces), identity)
        const bytes = Buffer.concat(await Array.fromAsync(archiveWriter))
        const archiveReader = readArchive(splitBytes(bytes, 77), identities)
        const restoredPieces = await Array.fromAsync(archiveReader)
        // In an integer column 5 and 5n are the same value. A host returns 5.
        expect(ungroupRows(restoredPieces)).toEqual(ungroupRows(pieces))
        expect(archiveReader.getHead()).toEqual(head)
        const contents = await readContents(pieces)
        expect([archiveWriter.getContents(), archiveReader.getContents(), await readContents(restoredPieces)]).toEqual([
          contents,
          contents,
          contents,
        ])
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  it('has the same digest for the same rows in any grouping, and another for other data', async () => {
    await fc.assert(
      fc.asyncProperty(dataPieces, dataPieces, async (leftPieces, rightPieces) => {
        const { digest } = await readContents(leftPieces)
        expect((await readContents(ungroupRows(leftPieces))).digest).toBe(digest)
        const serialize = (pieces: DataPiece[]) => JSON.stringify(ungroupRows(pieces), encodeValue)
        expect((await readContents(rightPieces)).digest === digest).toBe(
          serialize(leftPieces) === serialize(rightPieces),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('is rejected if any bit is changed or it is truncated', async () => {
    const bytes = await buildArchive(buildShopPieces(3))
    expect(await readPieces(bytes)).toEqual(buildShopPieces(3))
    const archiveError = { name: 'ArchiveError', fault: expect.stringMatching(/^(damaged|no_key)$/) }
    for (let index = 0; index < bytes.length; index++) {
      const damagedBytes = Buffer.from(bytes)
      damagedBytes.writeUInt8(damagedBytes.readUInt8(index) ^ (1 << (index % 8)), index)
      await expect(readPieces(damagedBytes), `byte ${index}`).rejects.toMatchObject(archiveError)
      await expect(readPieces(bytes.subarray(0, index)), `cut at ${index}`).rejects.toMatchObject(archiveError)
    }
    await expect(readPieces(Buffer.concat([bytes, Buffer.alloc(1)]))).rejects.toMatchObject({ fault: 'damaged' })
  }, 60_000)

  it('is rejected if a larger archive is damaged at a random position', async () => {
    const bytes = await buildArchive(buildShopPieces(20_000))
    expect(bytes.length).toBeGreaterThan(2 * 65_536)
    const lastPiece = buildShopPieces(1).at(-1)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.boolean(), async (index, isCut) => {
        const damagedBytes = Buffer.from(isCut ? bytes.subarray(0, index) : bytes)
        if (!isCut) damagedBytes.writeUInt8(damagedBytes.readUInt8(index) ^ 1, index)
        const pieces: DataPiece[] = []
        const archiveReader = readArchive(splitBytes(damagedBytes, 50_000), identities)
        await expect(
          (async () => {
            for await (const piece of archiveReader) pieces.push(piece)
          })(),
        ).rejects.toMatchObject({ name: 'ArchiveError' })
        expect(pieces).not.toContainEqual(lastPiece)
        expect(() => archiveReader.getContents()).toThrow('until all pieces were read')
      }),
      { numRuns: 12 },
    )
  }, 60_000)

  it('passes on the error of its source when it is read', async () => {
    const bytes = await buildArchive(buildShopPieces(2_000))
    async function* source() {
      yield bytes.subarray(0, 5_000)
      throw new StoreError('unreachable', 'the line is cut')
    }
    await expect(Array.fromAsync(readArchive(source(), identities))).rejects.toMatchObject({ fault: 'unreachable' })
    async function* host(): AsyncGenerator<DataPiece> {
      yield* buildShopPieces(500).slice(0, 3)
      throw new Error('the host is gone')
    }
    const archiveWriter = writeArchive(head, host(), identity)
    await expect(Array.fromAsync(archiveWriter)).rejects.toThrow('the host is gone')
    expect(() => archiveWriter.getContents()).toThrow('until all pieces were read')
  })

  it('closes its source when the reader stops early', async () => {
    const bytes = await buildArchive(buildShopPieces(20_000))
    let closedCount = 0
    async function* source() {
      try {
        yield* splitBytes(bytes)
      } finally {
        closedCount++
      }
    }
    for await (const _ of readArchive(source(), identities)) break
    expect(closedCount).toBe(1)
    async function* host() {
      try {
        yield* buildShopPieces(200_000)
      } finally {
        closedCount++
      }
    }
    for await (const _ of writeArchive(head, host(), identity)) break
    await expect.poll(() => closedCount).toBe(2)
  })

  it('can be opened with age and gunzip, and its digest covers the lines between first and last', async () => {
    const pieces = buildShopPieces(10)
    const age = new Decrypter()
    age.addIdentity(identity)
    const lines = gunzipSync(await age.decrypt(new Uint8Array(await buildArchive(pieces)))).toString()
    const [headLine = '', ...rest] = lines.split('\n').slice(0, -1)
    expect(JSON.parse(headLine)).toEqual({ archive: 1, ...head })
    const contents = await readContents(pieces)
    expect(JSON.parse(rest.pop() ?? '')).toEqual({ ...contents, seal: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const dataText = rest.map((line) => `${line}\n`).join('')
    expect(createHash('sha256').update(dataText).digest('hex')).toBe(contents.digest)
  })

  it('contains neither its key nor plain text of the data', async () => {
    const bytes = await buildArchive(buildShopPieces(10))
    for (const text of [identity, identity.slice(20, 40), 'item-3', 'acme', config.tokenKey.toString('hex')])
      expect(bytes.includes(text), text).toBe(false)
  })
})

describe('the key of an archive', () => {
  it('opens archives of its own company only', async () => {
    const bytes = await buildArchive(buildShopPieces(2))
    await expect(readPieces(bytes, getIdentities(config, 4))).rejects.toMatchObject({
      name: 'ArchiveError',
      fault: 'no_key',
    })
    await expect(readPieces(bytes, [])).rejects.toMatchObject({ fault: 'no_key' })
    expect(await readPieces(bytes, [...getIdentities(config, 4), identity])).toHaveLength(3)
  })

  it('opens archives of an earlier installation once the earlier key is configured', async () => {
    const bytes = await buildArchive(buildShopPieces(2))
    const [newKey, oldKey] = ['22'.repeat(32), '11'.repeat(32)]
    await expect(readPieces(bytes, getIdentities(testConfig({ BACKUP_KEY: newKey }), 3))).rejects.toMatchObject({
      fault: 'no_key',
    })
    const changedConfig = testConfig({ BACKUP_KEY: newKey, BACKUP_KEYS_BEFORE: `${'33'.repeat(32)}, ${oldKey}` })
    expect(getIdentities(changedConfig, 3)).toHaveLength(3)
    expect(await readPieces(bytes, getIdentities(changedConfig, 3))).toHaveLength(3)
  })

  it('differs for each company and installation key, and never changes', async () => {
    const identityKeys = [testConfig(), testConfig({ BACKUP_KEY: '22'.repeat(32) })].flatMap((keyConfig) =>
      [1, 2, 3].map((company) => getIdentities(keyConfig, company)[0]),
    )
    expect(new Set(identityKeys).size).toBe(6)
    // A stored key must stay valid forever, so these values must not change.
    expect(identity).toBe('AGE-SECRET-KEY-1R2KHP6QW0D4R0CLTANKQY0QNE050FMCR2H2HJTCKY68G8TS34HSSEKC3Y3')
    expect(await getRecipient(config, 3)).toBe('age1t9vmtcnk2aeeevld3ectxx3ndp7n8m7zhn9nfu4lvmncrdnfldpqa7dmp2')
  })
})

describe('a malicious archive', () => {
  let recipient: string
  beforeAll(async () => {
    recipient = await getRecipient(config, 3)
  })
  const tableLine = '{"table":"t","columns":[{"name":"n","type":"integer","notNull":false,"key":0}],"statement":""}'
  const headLine = JSON.stringify({ archive: 1, ...head })
  const readSealed = async (lines: string[]) => readPieces(await sealArchive(recipient, `${lines.join('\n')}\n`))
  const damagedError = { name: 'ArchiveError', fault: 'damaged' }

  it('is rejected without the seal, which nobody can create with the public key alone', async () => {
    const pieces = buildShopPieces(2)
    const contents = await readContents(pieces)
    const [, ...lines] = gunzipSync(await decryptArchive(await buildArchive(pieces)))
      .toString()
      .trimEnd()
      .split('\n')
    const lastLine = lines.pop() ?? ''
    expect(await readSealed([headLine, ...lines, lastLine])).toEqual(pieces)
    await expect(readSealed([headLine, ...lines, JSON.stringify(contents)])).rejects.toMatchObject(damagedError)
    await expect(
      readSealed([headLine, ...lines, JSON.stringify({ ...contents, seal: '0'.repeat(64) })]),
    ).rejects.toMatchObject(damagedError)
    // The archive of another service or another backup is rejected.
    for (const otherFields of [{ serviceId: 5 }, { backupId: 8 }, { code: 'shop2' }])
      await expect(
        readSealed([JSON.stringify({ archive: 1, ...head, ...otherFields }), ...lines, lastLine]),
      ).rejects.toMatchObject(damagedError)
    await expect(readSealed([headLine, ...lines, lastLine, lastLine])).rejects.toMatchObject(damagedError)
    await expect(readSealed([headLine, ...lines])).rejects.toMatchObject(damagedError)
  })

  it.each([
    ['no lines', []],
    ['a line that is not JSON', ['x']],
    ['no head line', [tableLine]],
    ['a later format', [headLine.replace('"archive":1', '"archive":2')]],
    ['a head with a wrong type', [headLine.replace('"backupId":7', '"backupId":"7"')]],
    ['a row before its table', [headLine, '[1]']],
    ['a row with another number of values', [headLine, tableLine, '[1,2]']],
    ['a value of an unsupported type', [headLine, tableLine, '[true]']],
    ['a value of an unknown kind', [headLine, tableLine, '[{"date":"1"}]']],
    ['an invalid integer', [headLine, tableLine, '[{"int":"0x10"}]']],
    ['an invalid real number', [headLine, tableLine, '[{"real":"toString"}]']],
    ['an invalid blob', [headLine, tableLine, '[{"blob":"<>"}]']],
    ['a table without columns', [headLine, '{"table":"t","statement":""}']],
    ['a column of an unknown type', [headLine, tableLine.replace('integer', 'date')]],
    ['a statement that is not text', [headLine, tableLine.replace('"statement":""', '"statement":1')]],
    ['an end with a wrong type', [headLine, '{"end":[1]}']],
    ['an empty line', [headLine, '']],
  ])('is rejected with damaged lines: %s', async (_, lines) => {
    await expect(readSealed(lines)).rejects.toMatchObject(damagedError)
  })

  it('is rejected with too many tables or too long lines', async () => {
    await expect(readSealed([headLine, ...Array<string>(10_001).fill(tableLine)])).rejects.toMatchObject({
      message: expect.stringContaining('too many tables'),
    })
    const bomb = gzipSync(Buffer.concat([Buffer.from(`${headLine}\n`), Buffer.alloc(2 ** 21, 0x20)]))
    const sealedArchive = await sealArchive(recipient, bomb)
    await expect(
      Array.fromAsync(readArchive(splitBytes(sealedArchive), identities, { maxLine: 2 ** 20 })),
    ).rejects.toMatchObject({
      message: expect.stringContaining('a line is too long'),
    })
  }, 60_000)

  it('is rejected if its header does not end', async () => {
    const endlessHead = Buffer.from(`age-encryption.org/v1\n${'-> X25519 a\n'.repeat(1_000)}--- x\n`)
    await expect(readPieces(endlessHead)).rejects.toMatchObject(damagedError)
    await expect(readPieces(Buffer.alloc(100_000, 0x61))).rejects.toMatchObject(damagedError)
  })

  it('An archive is not written if one of its rows is too large to be read', async () => {
    const pieces: DataPiece[] = [
      { kind: 'table', name: 't', columns: [{ name: 'b', type: 'blob', notNull: false, key: 0 }], statement: '' },
      { kind: 'rows', rows: [[new Uint8Array(2 ** 20)]] },
    ]
    const archiveWriter = writeArchive(head, streamPieces(pieces), identity, { maxLine: 2 ** 20 })
    await expect(Array.fromAsync(archiveWriter)).rejects.toMatchObject({ name: 'ArchiveError', fault: 'too_large' })
  })
})

async function decryptArchive(bytes: Buffer): Promise<Uint8Array> {
  const age = new Decrypter()
  age.addIdentity(identity)
  return await age.decrypt(new Uint8Array(bytes))
}

/** Replacer of `JSON.stringify` that encodes values differently which JSON would write in the same way. */
function encodeValue(this: unknown, key: string, value: unknown): unknown {
  const rawValue = (this as Record<string, unknown>)[key]
  if (typeof rawValue === 'bigint') return { int: String(rawValue) }
  if (typeof rawValue === 'number') return { real: Object.is(rawValue, -0) ? '-0' : String(rawValue) }
  return rawValue instanceof Uint8Array ? { blob: [...rawValue] } : value
}
