/**
 * Tests that packages of other authors are read completely, or rejected with the change that the author has to make (D78, D88; U-05 to
 * U-10).
 */
import { createHash, hash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { formatMappFault, mappFaults, mappLimits } from '#domain/catalogue/mapp.ts'
import { readPackageFile } from '#server/drivers/packages/package-reader.ts'
import { readPackage, type PackageReadResult } from '#server/drivers/packages/read-package.ts'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'
import { mutateBytes } from '#tests/support/uploads/mutate-bytes.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { facts, buildNoise, packApp } from '#tests/support/uploads/packages.ts'
import { blackPng, jpeg, png } from '#tests/support/uploads/pictures.ts'
import { findHeader, swapText, writeNumber, zipFiles } from '#tests/support/uploads/zip.ts'

const describeResult = (result: PackageReadResult) => ('fault' in result ? formatMappFault(result.fault) : 'read')
const readFault = async (bytes: Buffer) => describeResult(await readPackage(bytes))
const readContent = async (bytes: Buffer) => {
  const result = await readPackage(bytes)
  if ('fault' in result) throw new Error(formatMappFault(result.fault))
  return result.content
}
const buildManifest = async (files: object) => {
  const { manifest } = await readContent(await packApp())
  return JSON.stringify({ ...manifest, files })
}

describe('readPackage', () => {
  test('returns the manifest, icon, change log, size and hashes', async () => {
    const bytes = await packApp()
    const { manifest, size, md5, sha256, icon, changeLog } = await readContent(bytes)
    const { files, format, format_version, ...ownFields } = manifest
    expect([ownFields, format, format_version]).toEqual([facts, 'portal-app', 1])
    expect(Object.keys(files)).toEqual(['icon.png', 'changelog.md', 'data/forms.json'])
    const computeHash = (kind: string) => createHash(kind).update(bytes).digest('hex')
    expect([size, md5, sha256]).toEqual([bytes.length, computeHash('md5'), computeHash('sha256')])
    expect(icon).toEqual(Buffer.from(await png(32)))
    expect(changeLog).toContain('<h1>1.0</h1>')
    expect(await packApp()).toEqual(bytes)
  })

  test('accepts a zip comment, which some programs write (fault 24d)', async () => {
    const bytes = await packApp()
    const commentedPackage = Buffer.concat([
      writeNumber(bytes, findHeader(bytes, 'end') + 20, 5, 2),
      Buffer.from('by me'),
    ])
    expect((await readContent(commentedPackage)).manifest.code).toBe('pay')
  })

  test('accepts a package without icon, change log and files', async () => {
    const withoutFiles = { 'icon.png': null, 'changelog.md': null, 'data/forms.json': null }
    expect(await readContent(await packApp({ files: withoutFiles }))).toMatchObject({ icon: null, changeLog: null })
  })

  it.each([
    ['MANIFEST_MISSING', () => zipFiles([{ name: 'a', bytes: '' }])],
    ['MANIFEST_NO_JSON', () => zipFiles([{ name: 'manifest.json', bytes: Buffer.from([0xff, 0xfe]) }])],
    ['MANIFEST_TOO_LARGE', () => zipFiles([{ name: 'manifest.json', bytes: buildNoise(mappLimits.manifest + 1) }])],
    ['FILE_EMPTY', async () => Buffer.alloc(0)],
    ['FILE_TOO_LARGE', async () => Buffer.alloc(mappLimits.packed + 1)],
    ['NO_ZIP', async () => buildNoise(5000)],
    ['NO_ZIP', async () => Buffer.from('MZ this program cannot be run')],
    ['NO_ZIP', async () => (await packApp()).subarray(0, -1)],
    ['BAD_PROVIDER provider', () => packApp({ facts: { provider: '18m' } })],
    ['WRONG_HASH data/forms.json', () => createTamperedPackage()],
    ['ICON_TOO_LARGE', () => packApp({ files: { 'icon.png': buildNoise(mappLimits.icon + 1) } })],
    ['ICON_NO_PNG', async () => packApp({ files: { 'icon.png': await jpeg(8) } })],
    ['ICON_NO_PNG', () => packApp({ files: { 'icon.png': '<svg onload="alert(1)"/>' } })],
    ['ICON_NO_PNG', () => packApp({ files: { 'icon.png': blackPng({ width: 1100, height: 100 }) } })],
    ['CHANGE_LOG_TOO_LARGE', () => packApp({ files: { 'changelog.md': buildNoise(mappLimits.changeLog + 1) } })],
    ['CHANGE_LOG_NO_TEXT', () => packApp({ files: { 'changelog.md': Buffer.from([0xc0, 0xae]) } })],
    ['CHANGE_LOG_NO_TEXT', () => packApp({ files: { 'changelog.md': 'a\0b' } })],
    ['MAC_FILES __MACOSX/._icon.png', () => packApp({ files: { '__MACOSX/._icon.png': 'x' } })],
    ['MAC_FILES __MACOSX/icon.png', () => packApp({ files: { '__MACOSX/icon.png': 'x' } })],
    ['MAC_FILES data/._forms.json', () => packApp({ files: { 'data/._forms.json': 'x' } })],
    ['MAC_FILES .DS_Store', () => packApp({ files: { '.DS_Store': 'x' } })],
    ['UNSAFE_NAME .hidden', () => packApp({ files: { '.hidden': 'x' } })],
    [
      'UNSAFE_NAME ../outside',
      async () => swapText(await packApp({ files: { qqqqqqqqqq: 'x' } }), 'qqqqqqqqqq', '../outside'),
    ],
    ['UNPACKS_TOO_MUCH data/zeros', () => packApp({ files: { 'data/zeros': Buffer.alloc(1_000_000) } })],
  ])('rejects a package with the fault %s', async (fault, createPackage) =>
    expect(await readFault(await createPackage())).toBe(fault),
  )

  async function createTamperedPackage() {
    const manifest = await buildManifest({ 'data/forms.json': '0'.repeat(64) })
    return zipFiles([
      { name: 'manifest.json', bytes: manifest },
      { name: 'data/forms.json', bytes: '{}' },
    ])
  }
  test('rejects a file that is not in the manifest, and a manifest entry without a file', async () => {
    const manifest = await buildManifest({})
    const packageWithExtraFile = await zipFiles([
      { name: 'manifest.json', bytes: manifest },
      { name: 'extra', bytes: '' },
    ])
    expect(await readFault(packageWithExtraFile)).toBe('FILE_NOT_LISTED extra')
    const manifestWithMissingFile = await buildManifest({ 'data/lost': '0'.repeat(64) })
    expect(await readFault(await zipFiles([{ name: 'manifest.json', bytes: manifestWithMissingFile }]))).toBe(
      'FILE_MISSING data/lost',
    )
  })

  test('rejects too many files, an encrypted file, a link and contradicting headers', async () => {
    const files = Array.from({ length: 2001 }, (_, index) => ({ name: `f${index}`, bytes: '', isStored: true }))
    expect(await readFault(await zipFiles(files))).toBe('TOO_MANY_ENTRIES')
    const bytes = await packApp()
    const centralHeader = findHeader(bytes, 'central')
    expect(await readFault(writeNumber(bytes, centralHeader + 8, 0x801, 2))).toBe('ENCRYPTED manifest.json')
    expect(await readFault(writeNumber(bytes, centralHeader + 10, 12, 2))).toBe('PACKING_UNKNOWN manifest.json')
    expect(await readFault(writeNumber(bytes, centralHeader + 24, 10, 4))).toBe('DAMAGED manifest.json')
    expect(await readFault(await zipFiles([{ name: 'a', bytes: '/etc/passwd', mode: 0o120_777 }]))).toBe(
      'NO_PLAIN_FILE a',
    )
  })
})

describe('the rendered change log', () => {
  const renderChangeLog = async (markdown: string) =>
    (await readContent(await packApp({ files: { 'changelog.md': markdown } }))).changeLog ?? ''

  test('keeps text, lists, tables and links to other sites', async () => {
    const page = await renderChangeLog(
      '## 2.1\n\n- **new** [site](https://a.example/x)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    )
    expect(page).toContain('<a href="https://a.example/x" rel="noopener noreferrer" target="_blank">site</a>')
    for (const piece of ['<h2>2.1</h2>', '<strong>new</strong>', '<td>1</td>', 'lang="en"', 'charset="utf-8"'])
      expect(page).toContain(piece)
    expect(await renderChangeLog('新增条码')).toContain('lang="zh-Hans"')
  })

  it.each([
    ['<script>alert(1)</script>', /script/i],
    ['<img src=x onerror=alert(1)>![x](https://a.example/x.png)', /<img|onerror|x\.png/i],
    ['[a](javascript:alert(1)) [b](JaVaScRiPt:1) [c](data:text/html,x)', /href|javascript:/i],
    ['[a](/api/m18s/token) [b](//a.example) [c](http://a.example)', /href/i],
    ['<iframe src="https://a.example"></iframe><form action="/x"><input></form>', /<iframe|<form|<input/i],
    ['<style>body{background:url(https://a.example)}</style><link rel=stylesheet href=//a>', /a\.example|<link/i],
    ['<a href="https://a.example" onclick="x()" style="position:fixed">a</a>', /onclick|position/i],
    ['<svg><a xlink:href="javascript:x">x</a></svg><math><mtext></mtext></math>', /<svg|<math|javascript/i],
    ['<base href="https://a.example"><meta http-equiv=refresh content="0;url=https://a.example">', /<base|http-equiv/i],
  ])('leaves out everything else: %s', async (markdown, forbiddenText) => {
    const page = await renderChangeLog(markdown)
    expect(page.slice(page.indexOf('<body>'))).not.toMatch(forbiddenText)
  })

  test('is rendered or rejected quickly if it is deeply nested', async () => {
    for (const markdown of ['>'.repeat(200_000), '['.repeat(200_000), '<div>'.repeat(40_000), '- '.repeat(100_000)])
      expect(['read', 'CHANGE_LOG_NO_TEXT', 'TOO_COSTLY']).toContain(
        describeResult(
          await readInProcess(
            await packApp({ files: { 'changelog.md': `${markdown}\n\n${buildNoise(4000).toString('hex')}` } }),
          ),
        ),
      )
  }, 120_000)
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-packages-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function readInProcess(bytes: Buffer, limits: Parameters<typeof readPackageFile>[1] = {}) {
  const path = join(folder, 'one.mapp')
  await writeFile(path, bytes)
  return readPackageFile(path, limits)
}

describe('readInProcess', () => {
  test('returns the same as readPackage', async () => {
    const bytes = await packApp()
    expect(await readInProcess(bytes)).toEqual(await readPackage(bytes))
    expect(describeResult(await readInProcess(buildNoise(100)))).toBe('NO_ZIP')
  })

  test('rejects a zip bomb', async () => {
    const zeros = await packApp({ files: { 'data/zeros': Buffer.alloc(49 * 1024 * 1024) } })
    expect(describeResult(await readInProcess(zeros))).toBe('UNPACKS_TOO_MUCH data/zeros')
  })

  nightly(
    'reads the largest accepted package within the limits',
    async () => {
      const part = buildNoise(12 * 1024 * 1024)
      const files = [
        { name: 'icon.png', bytes: Buffer.from(await png(32)) },
        { name: 'changelog.md', bytes: Buffer.from('# 1.0') },
        // Random bytes have the same size at any compression level.
        ...[1, 2, 3, 4, 5].map((fileNumber) => ({ name: `data/${fileNumber}.bin`, bytes: part, level: 1 })),
      ]
      const manifest = await buildManifest(
        Object.fromEntries(files.map(({ name, bytes }) => [name, hash('sha256', bytes)])),
      )
      expect(
        describeResult(await readInProcess(await zipFiles([{ name: 'manifest.json', bytes: manifest }, ...files]))),
      ).toBe('read')
    },
    60_000,
  )

  test('rejects a package that exceeds the limit of time, memory or output, and continues to work', async () => {
    const bytes = await packApp()
    expect(describeResult(await readInProcess(bytes, { wallMs: 20 }))).toBe('TOO_COSTLY')
    expect(describeResult(await readInProcess(bytes, { dataKb: 20_000 }))).toBe('TOO_COSTLY')
    expect(describeResult(await readInProcess(bytes, { maxOutputBytes: 100 }))).toBe('TOO_COSTLY')
    expect(describeResult(await readInProcess(bytes))).toBe('read')
  })
})

test('500 damaged packages are each read or rejected quickly, and no file is written (R-29)', async () => {
  const random = createRandom(suiteSeed)
  const soundPackage = await packApp()
  const otherPackage = await packApp({
    facts: { code: 'tax', requires: [{ code: 'pay', version: '1' }] },
    files: { 'b.txt': 'b' },
  })
  const filesBefore = await readdir(process.cwd())
  const countsByWord = new Map<string, number>()
  for (let index = 0; index < 500; index++) {
    const startedAt = performance.now()
    const word = describeResult(await readPackage(mutateBytes(random, soundPackage, otherPackage))).split(' ')[0] ?? ''
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(['read', ...mappFaults]).toContain(word)
    countsByWord.set(word, (countsByWord.get(word) ?? 0) + 1)
  }
  expect(await readdir(process.cwd())).toEqual(filesBefore)
  // The random changes cause more kinds of faults than the first check finds.
  expect(countsByWord.size).toBeGreaterThan(4)
}, 60_000)
