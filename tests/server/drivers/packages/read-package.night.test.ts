/** Packages of others: read whole, or refused with what their maker has to change (D78, D88; U-05 to U-10). */
import { createHash, hash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { faultAsWord, mappFaults, mappLimits } from '#domain/catalogue/mapp.ts'
import { readPackageFile } from '#server/drivers/packages/package-reader.ts'
import { readPackage, type ReadPackage } from '#server/drivers/packages/read-package.ts'
import { chanceOf, suiteSeed } from '#tests/support/runner/chance.ts'
import { mutated } from '#tests/support/uploads/mutated.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { facts, noise, packed } from '#tests/support/uploads/packages.ts'
import { blackPng, jpeg, png } from '#tests/support/uploads/pictures.ts'
import { headerAt, swapped, withNumber, zipped } from '#tests/support/uploads/zip.ts'

const said = (read: ReadPackage) => ('fault' in read ? faultAsWord(read.fault) : 'read')
const faultOf = async (bytes: Buffer) => said(await readPackage(bytes))
const contentOf = async (bytes: Buffer) => {
  const read = await readPackage(bytes)
  if ('fault' in read) throw new Error(faultAsWord(read.fault))
  return read.content
}
const manifestOf = async (files: object) => {
  const { manifest } = await contentOf(await packed())
  return JSON.stringify({ ...manifest, files })
}

describe('a package', () => {
  test('says what it is, with its icon, its change log and what its bytes come to', async () => {
    const bytes = await packed()
    const { manifest, size, md5, sha256, icon, changeLog } = await contentOf(bytes)
    const { files, format, format_version, ...own } = manifest
    expect([own, format, format_version]).toEqual([facts, 'portal-app', 1])
    expect(Object.keys(files)).toEqual(['icon.png', 'changelog.md', 'data/forms.json'])
    const sum = (kind: string) => createHash(kind).update(bytes).digest('hex')
    expect([size, md5, sha256]).toEqual([bytes.length, sum('md5'), sum('sha256')])
    expect(icon).toEqual(Buffer.from(await png(32)))
    expect(changeLog).toContain('<h1>1.0</h1>')
    expect(await packed()).toEqual(bytes)
  })

  test('fault 24d may have a comment, as some programs write one', async () => {
    const bytes = await packed()
    const commented = Buffer.concat([withNumber(bytes, headerAt(bytes, 'end') + 20, 5, 2), Buffer.from('by me')])
    expect((await contentOf(commented)).manifest.code).toBe('pay')
  })

  test('may be without icon, change log and files', async () => {
    const none = { 'icon.png': null, 'changelog.md': null, 'data/forms.json': null }
    expect(await contentOf(await packed({ files: none }))).toMatchObject({ icon: null, changeLog: null })
  })

  it.each([
    ['MANIFEST_MISSING', () => zipped([{ name: 'a', bytes: '' }])],
    ['MANIFEST_NO_JSON', () => zipped([{ name: 'manifest.json', bytes: Buffer.from([0xff, 0xfe]) }])],
    ['MANIFEST_TOO_LARGE', () => zipped([{ name: 'manifest.json', bytes: noise(mappLimits.manifest + 1) }])],
    ['FILE_EMPTY', async () => Buffer.alloc(0)],
    ['FILE_TOO_LARGE', async () => Buffer.alloc(mappLimits.packed + 1)],
    ['NO_ZIP', async () => noise(5000)],
    ['NO_ZIP', async () => Buffer.from('MZ this program cannot be run')],
    ['NO_ZIP', async () => (await packed()).subarray(0, -1)],
    ['BAD_PROVIDER provider', () => packed({ facts: { provider: '18m' } })],
    ['WRONG_HASH data/forms.json', () => tampered()],
    ['ICON_TOO_LARGE', () => packed({ files: { 'icon.png': noise(mappLimits.icon + 1) } })],
    ['ICON_NO_PNG', async () => packed({ files: { 'icon.png': await jpeg(8) } })],
    ['ICON_NO_PNG', () => packed({ files: { 'icon.png': '<svg onload="alert(1)"/>' } })],
    ['ICON_NO_PNG', () => packed({ files: { 'icon.png': blackPng({ width: 1100, height: 100 }) } })],
    ['CHANGE_LOG_TOO_LARGE', () => packed({ files: { 'changelog.md': noise(mappLimits.changeLog + 1) } })],
    ['CHANGE_LOG_NO_TEXT', () => packed({ files: { 'changelog.md': Buffer.from([0xc0, 0xae]) } })],
    ['CHANGE_LOG_NO_TEXT', () => packed({ files: { 'changelog.md': 'a\0b' } })],
    ['MAC_FILES __MACOSX/._icon.png', () => packed({ files: { '__MACOSX/._icon.png': 'x' } })],
    ['MAC_FILES __MACOSX/icon.png', () => packed({ files: { '__MACOSX/icon.png': 'x' } })],
    ['MAC_FILES data/._forms.json', () => packed({ files: { 'data/._forms.json': 'x' } })],
    ['MAC_FILES .DS_Store', () => packed({ files: { '.DS_Store': 'x' } })],
    ['UNSAFE_NAME .hidden', () => packed({ files: { '.hidden': 'x' } })],
    [
      'UNSAFE_NAME ../outside',
      async () => swapped(await packed({ files: { qqqqqqqqqq: 'x' } }), 'qqqqqqqqqq', '../outside'),
    ],
    ['UNPACKS_TOO_MUCH data/zeros', () => packed({ files: { 'data/zeros': Buffer.alloc(1_000_000) } })],
  ])('is refused with %s', async (fault, make) => expect(await faultOf(await make())).toBe(fault))

  async function tampered() {
    const manifest = await manifestOf({ 'data/forms.json': '0'.repeat(64) })
    return zipped([
      { name: 'manifest.json', bytes: manifest },
      { name: 'data/forms.json', bytes: '{}' },
    ])
  }
  test('names each file in its manifest, and each that is named is there', async () => {
    const manifest = await manifestOf({})
    const stray = await zipped([
      { name: 'manifest.json', bytes: manifest },
      { name: 'extra', bytes: '' },
    ])
    expect(await faultOf(stray)).toBe('FILE_NOT_LISTED extra')
    const lacking = await manifestOf({ 'data/lost': '0'.repeat(64) })
    expect(await faultOf(await zipped([{ name: 'manifest.json', bytes: lacking }]))).toBe('FILE_MISSING data/lost')
  })

  test('with too many files, a locked one, a link, or parts that contradict each other is refused', async () => {
    const many = Array.from({ length: 2001 }, (_, at) => ({ name: `f${at}`, bytes: '', stored: true }))
    expect(await faultOf(await zipped(many))).toBe('TOO_MANY_ENTRIES')
    const bytes = await packed()
    const central = headerAt(bytes, 'central')
    expect(await faultOf(withNumber(bytes, central + 8, 0x801, 2))).toBe('ENCRYPTED manifest.json')
    expect(await faultOf(withNumber(bytes, central + 10, 12, 2))).toBe('PACKING_UNKNOWN manifest.json')
    expect(await faultOf(withNumber(bytes, central + 24, 10, 4))).toBe('DAMAGED manifest.json')
    expect(await faultOf(await zipped([{ name: 'a', bytes: '/etc/passwd', mode: 0o120_777 }]))).toBe('NO_PLAIN_FILE a')
  })
})

describe('of a change log', () => {
  const logOf = async (markdown: string) =>
    (await contentOf(await packed({ files: { 'changelog.md': markdown } }))).changeLog ?? ''

  test('text, lists, tables and links to other sites are left', async () => {
    const page = await logOf('## 2.1\n\n- **new** [site](https://a.example/x)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n')
    expect(page).toContain('<a href="https://a.example/x" rel="noopener noreferrer" target="_blank">site</a>')
    for (const piece of ['<h2>2.1</h2>', '<strong>new</strong>', '<td>1</td>', 'lang="en"', 'charset="utf-8"'])
      expect(page).toContain(piece)
    expect(await logOf('新增条码')).toContain('lang="zh-Hans"')
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
  ])('%s nothing else is', async (markdown, bad) => {
    const page = await logOf(markdown)
    expect(page.slice(page.indexOf('<body>'))).not.toMatch(bad)
  })

  test('that is nested without end it is read or refused, and soon', async () => {
    for (const markdown of ['>'.repeat(200_000), '['.repeat(200_000), '<div>'.repeat(40_000), '- '.repeat(100_000)])
      expect(['read', 'CHANGE_LOG_NO_TEXT', 'TOO_COSTLY']).toContain(
        said(
          await inProcess(await packed({ files: { 'changelog.md': `${markdown}\n\n${noise(4000).toString('hex')}` } })),
        ),
      )
  }, 120_000)
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-packages-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function inProcess(bytes: Buffer, limits: Parameters<typeof readPackageFile>[1] = {}) {
  const path = join(folder, 'one.mapp')
  await writeFile(path, bytes)
  return readPackageFile(path, limits)
}

describe('in a process of its own', () => {
  test('a package is read as anywhere else', async () => {
    const bytes = await packed()
    expect(await inProcess(bytes)).toEqual(await readPackage(bytes))
    expect(said(await inProcess(noise(100)))).toBe('NO_ZIP')
  })

  test('a bomb is refused', async () => {
    const zeros = await packed({ files: { 'data/zeros': Buffer.alloc(49 * 1024 * 1024) } })
    expect(said(await inProcess(zeros))).toBe('UNPACKS_TOO_MUCH data/zeros')
  })

  nightly(
    'the largest that is let in is read within the limits',
    async () => {
      const part = noise(12 * 1024 * 1024)
      const files = [
        { name: 'icon.png', bytes: Buffer.from(await png(32)) },
        { name: 'changelog.md', bytes: Buffer.from('# 1.0') },
        // Noise is as large whatever the level.
        ...[1, 2, 3, 4, 5].map((at) => ({ name: `data/${at}.bin`, bytes: part, level: 1 })),
      ]
      const manifest = await manifestOf(
        Object.fromEntries(files.map(({ name, bytes }) => [name, hash('sha256', bytes)])),
      )
      expect(said(await inProcess(await zipped([{ name: 'manifest.json', bytes: manifest }, ...files])))).toBe('read')
    },
    60_000,
  )

  test('what takes too long, too much memory or too much of a core is refused, and the reader goes on', async () => {
    const bytes = await packed()
    expect(said(await inProcess(bytes, { wallMs: 20 }))).toBe('TOO_COSTLY')
    expect(said(await inProcess(bytes, { dataKb: 20_000 }))).toBe('TOO_COSTLY')
    expect(said(await inProcess(bytes, { bytesOut: 100 }))).toBe('TOO_COSTLY')
    expect(said(await inProcess(bytes))).toBe('read')
  })
})

test('500 damaged packages are read or refused, each soon, and nothing is written (R-29)', async () => {
  const chance = chanceOf(suiteSeed)
  const sound = await packed()
  const other = await packed({
    facts: { code: 'tax', requires: [{ code: 'pay', version: '1' }] },
    files: { 'b.txt': 'b' },
  })
  const before = await readdir(process.cwd())
  const counts = new Map<string, number>()
  for (let at = 0; at < 500; at++) {
    const began = performance.now()
    const word = said(await readPackage(mutated(chance, sound, other))).split(' ')[0] ?? ''
    expect(performance.now() - began).toBeLessThan(5000)
    expect(['read', ...mappFaults]).toContain(word)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  expect(await readdir(process.cwd())).toEqual(before)
  // The draws reach deeper than the first check.
  expect(counts.size).toBeGreaterThan(4)
}, 60_000)
