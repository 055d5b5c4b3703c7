/** Tests that foreign zip files are read completely, or rejected completely with the reason (S-73, U-05 to U-08). */
import { describe, expect, it } from 'vitest'
import { ZipError, readZip } from '#server/drivers/zip-reader.ts'
import { findHeader, swapText, writeNumber, zipFiles } from '#tests/support/uploads/zip.ts'

const limits = { entries: 20, entryBytes: 1_000_000, totalBytes: 1_500_000 }
const createNoise = (length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 2_654_435_761) >>> 13))

async function readFault(bytes: Buffer): Promise<string> {
  try {
    return `read: ${[...(await readZip(bytes, limits)).keys()].join()}`
  } catch (error) {
    if (error instanceof ZipError) return error.fault
    throw error
  }
}

const createSoundZip = () =>
  zipFiles([
    { name: 'manifest.json', bytes: '{"a":1}' },
    { name: 'folder/price.json', bytes: 'x'.repeat(5000) },
    { name: 'icon.png', bytes: createNoise(2000), isStored: true },
  ])

it('readZip reads all files', async () => {
  const files = await readZip(await createSoundZip(), limits)
  expect([...files].map(([name, bytes]) => [name, bytes.length])).toEqual([
    ['manifest.json', 7],
    ['folder/price.json', 5000],
    ['icon.png', 2000],
  ])
  expect(files.get('icon.png')).toEqual(createNoise(2000))
})

describe('readZip rejects names that leave the folder or that a system does not support (U-05)', () => {
  it.each([
    '../inner',
    '..\\inner',
    '/absolut',
    'C:/drive',
    '//a/unc1',
    '%2e%2e/a',
    'a/../bbb',
    'nul\u0000xyz',
    'trailin.',
    'trailin ',
    'con.json',
    'a/LPT1.x',
    './a/bbbb',
    'a//bbbbb',
    'a\u202ebcde'.slice(0, 6),
    '.hidden1',
  ])('%j', async (name) => {
    const plainName = 'q'.repeat(Buffer.byteLength(name))
    const bytes = await zipFiles([{ name: plainName, bytes: 'x' }])
    const changedZip = swapText(bytes, plainName, Buffer.from(name).toString('latin1'))
    expect(['name', 'unreadable']).toContain(await readFault(changedZip))
  })

  it('bytes that are not UTF-8', async () => {
    const bytes = await zipFiles([{ name: 'qqqq', bytes: 'x' }])
    expect(await readFault(swapText(bytes, 'qqqq', '\u00c0\u00ae\u00c0\u00ae'))).toBe('name')
  })
})

describe('readZip rejects more than its limits (U-06)', () => {
  it.each([
    ['one file that is too large', 'entry', [{ name: 'a', bytes: createNoise(1_000_001) }]],
    ['files that are too large in total', 'total', ['a', 'b'].map((name) => ({ name, bytes: createNoise(800_000) }))],
    ['too many files', 'entries', Array.from({ length: 21 }, (_, index) => ({ name: `f${index}`, bytes: '' }))],
    ['too high a compression ratio', 'ratio', [{ name: 'a', bytes: Buffer.alloc(900_000) }]],
  ])('%s', async (_, fault, files) => expect(await readFault(await zipFiles(files))).toBe(fault))

  it('a file that unpacks to more than its headers declare', async () => {
    const bytes = await zipFiles([{ name: 'a', bytes: Buffer.alloc(900_000) }])
    const sizeInLocal = 22
    const sizeInCentral = 24
    let changedZip = writeNumber(bytes, findHeader(bytes, 'central') + sizeInCentral, 1000, 4)
    changedZip = writeNumber(changedZip, findHeader(bytes, 'local') + sizeInLocal, 1000, 4)
    expect(await readFault(changedZip)).toBe('contradiction')
  })

  it('except for an inner archive, which stays packed', async () => {
    const innerZip = await zipFiles([{ name: 'a', bytes: Buffer.alloc(900_000) }])
    expect(await readFault(await zipFiles([{ name: 'inner.zip', bytes: innerZip }]))).toBe('read: inner.zip')
  })
})

describe('readZip rejects special files and duplicates (U-07)', () => {
  it.each([
    ['a link', 0o120_777],
    ['a device', 0o020_666],
    ['a socket', 0o140_666],
  ])('%s', async (_, mode) => expect(await readFault(await zipFiles([{ name: 'a', bytes: '/x', mode }]))).toBe('kind'))

  it.each([
    ['the same name twice', 'aaaa', 'aaaa'],
    ['names that differ only in case', 'aaaa', 'AAAA'],
    ['a name that is a file and a folder', 'aaaa', 'aaaa/b'],
  ])('%s', async (_, first, second) => {
    const placeholder = 'q'.repeat(second.length)
    const bytes = await zipFiles([
      { name: first, bytes: 'x' },
      { name: placeholder, bytes: 'y' },
    ])
    expect(await readFault(swapText(bytes, placeholder, second))).toBe('kind')
  })
})

describe('readZip rejects an inconsistent or unsupported archive (U-08)', () => {
  const inLocal = { flags: 6, method: 8, checksum: 14, size: 22 }
  const inCentral = { flags: 8, method: 10, checksum: 16, disk: 34, local: 42 }

  it('encrypted with a password', async () => {
    const bytes = await createSoundZip()
    const encryptedZip = writeNumber(bytes, findHeader(bytes, 'central') + inCentral.flags, 0x801, 2)
    expect(await readFault(encryptedZip)).toBe('encrypted')
  })

  it('with an unknown compression method', async () => {
    const bytes = await createSoundZip()
    expect(await readFault(writeNumber(bytes, findHeader(bytes, 'central') + inCentral.method, 12, 2))).toBe('packing')
  })

  it.each(['method', 'checksum', 'size'] as const)('whose local header has another %s', async (field) => {
    const bytes = await createSoundZip()
    const position = findHeader(bytes, 'local') + inLocal[field]
    const changedZip = writeNumber(bytes, position, field === 'method' ? 0 : 77, field === 'method' ? 2 : 4)
    expect(await readFault(changedZip)).toBe('contradiction')
  })

  it('with packed bytes that were changed', async () => {
    const bytes = await createSoundZip()
    const position = bytes.indexOf(createNoise(2000)) + 100
    expect(await readFault(writeNumber(bytes, position, 0x0102_0304, 4))).toBe('contradiction')
  })

  it('with two entries that share their bytes', async () => {
    const bytes = await createSoundZip()
    const first = bytes.readUInt32LE(findHeader(bytes, 'central', 0) + inCentral.local)
    expect(await readFault(writeNumber(bytes, findHeader(bytes, 'central', 1) + inCentral.local, first, 4))).toBe(
      'contradiction',
    )
  })

  it.each([
    ['with bytes before it', (bytes: Buffer) => Buffer.concat([Buffer.from('MZ'.repeat(40)), bytes])],
    ['with bytes after it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('more')])],
    ['on several disks', (bytes: Buffer) => writeNumber(bytes, findHeader(bytes, 'end') + 4, 1, 2)],
    ['without its end record', (bytes: Buffer) => bytes.subarray(0, -30)],
    ['with a wrong number of entries', (bytes: Buffer) => writeNumber(bytes, findHeader(bytes, 'end') + 10, 9, 2)],
    ['that is not a zip file', () => Buffer.from('%PDF-1.7 and so on, and on, and on')],
    ['that is empty', () => Buffer.alloc(0)],
  ])('%s', async (_, changeZip) => {
    expect(['unreadable', 'contradiction']).toContain(await readFault(changeZip(await createSoundZip())))
  })

  it('with a comment that could be a second list of files (fault 24c)', async () => {
    const createCommentedZip = (comment: string) => zipFiles([{ name: 'a', bytes: 'x' }], comment)
    expect(await readFault(await createCommentedZip('c'.repeat(65_535)))).toBe('read: a')
    const changedZip = swapText(await createCommentedZip(`PKxx${'c'.repeat(100)}`), 'PKxx', 'PK\u0005\u0006')
    expect(['unreadable', 'contradiction']).toContain(await readFault(changedZip))
  })
})

it('readZip returns the original files or rejects the archive, for any changed bytes', async () => {
  const bytes = await createSoundZip()
  const soundResult = await readZip(bytes, limits)
  const last = bytes.length - 2
  let refusedCount = 0
  for (let position = 0; position <= last; position += position < 120 || position > last - 400 ? 1 : 97) {
    const changedZip = writeNumber(bytes, position, bytes.readUInt16LE(position) ^ ((position * 40_503) & 0xffff), 2)
    const result = await readZip(changedZip, limits).catch((error: unknown) => {
      if (!(error instanceof ZipError)) throw error
      refusedCount += 1
      return soundResult
    })
    expect([position, result]).toEqual([position, soundResult])
  }
  expect(refusedCount).toBeGreaterThan(300)
}, 60_000)
