import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Import, importsOf, isCode, under } from '#tests/architecture/tree.ts'

/** Pairs of folders in src, server and demo that import each other. It may only become smaller. */
const maxPairs = 15

/** The folders of src/local, the lowest first: each imports only those before it (docs/architecture.md). */
const localOrder = [
  'storage',
  'seals',
  'session',
  'list-query',
  'list-index',
  'lists',
  'jobs',
  'outbox',
  'audit-trail',
  'drafts',
  'preparation',
  'space',
]

/** What code outside the index of long lists imports of it. */
const listIndex = 'src/local/list-index/list-index.ts'

type Imports = ReadonlyMap<string, readonly Pick<Import, 'file'>[]>

/** Each import of a file in another folder: both files. Types and dynamic imports count. */
const importsAcross = (imports: Imports) =>
  [...imports].flatMap(([from, all]) =>
    all.flatMap(({ file }) => (file !== null && posix.dirname(file) !== posix.dirname(from) ? [{ from, file }] : [])),
  )

/** Pairs of folders, a folder and its own subfolder too, where files of each import files of the other. */
function findPairs(imports: Imports): string[] {
  const edges = new Set(importsAcross(imports).map(({ from, file }) => `${posix.dirname(from)} ${posix.dirname(file)}`))
  return [...edges].filter((edge) => {
    const [a = '', b = ''] = edge.split(' ')
    return a < b && edges.has(`${b} ${a}`)
  })
}

/** Imports in src/local of a folder that stands above the importing one. */
function findUpwardImports(imports: Imports): string[] {
  const rank = (file: string) => localOrder.indexOf(file.split('/')[2] ?? '')
  const isLocal = (file: string) => file.startsWith('src/local/')
  return importsAcross(imports)
    .filter(({ from, file }) => isLocal(from) && isLocal(file) && rank(file) > rank(from))
    .map(({ from, file }) => `${from} -> ${file}`)
}

/** Imports of the index of long lists from outside, past its one file. */
const findIndexImports = (imports: Imports): string[] =>
  importsAcross(imports)
    .filter(({ file }) => posix.dirname(file) === posix.dirname(listIndex) && file !== listIndex)
    .map(({ from, file }) => `${from} -> ${file}`)

const imports = new Map(
  under('src', 'server', 'demo')
    .filter(isCode)
    .map((file) => [file, importsOf(file)]),
)

describe('folders', () => {
  it('in src/local never import each other', () => {
    expect(findPairs(imports).filter((pair) => pair.split(' ').every((one) => one.startsWith('src/local')))).toEqual([])
  })

  it('in src/local import only lower ones', () => {
    const folders = new Set(under('src/local').map((file) => file.split('/')[2]))
    expect([...folders].sort()).toEqual([...localOrder].sort())
    expect(findUpwardImports(imports)).toEqual([])
  })

  it('import each other in few places', () => {
    const pairs = findPairs(imports)
    expect(pairs.length, pairs.join('\n')).toBeLessThanOrEqual(maxPairs)
  })

  it('use the index of long lists through one file', () => {
    expect(findIndexImports(imports)).toEqual([])
  })

  it('are found where they import each other', () => {
    const planted: Imports = new Map([
      ['src/local/storage/eviction.ts', [{ file: 'src/local/list-index/buckets.ts' }]],
      ['src/local/list-index/buckets.ts', [{ file: 'src/local/storage/database.ts' }]],
    ])
    expect(findPairs(planted)).toEqual(['src/local/list-index src/local/storage'])
    const upward = ['src/local/storage/eviction.ts -> src/local/list-index/buckets.ts']
    expect(findUpwardImports(planted)).toEqual(upward)
    expect(findIndexImports(planted)).toEqual(upward)
  })

  it('are found where a folder and its subfolder import each other', () => {
    const planted: Imports = new Map([
      ['src/domain/dues.ts', [{ file: 'src/domain/fees/traffic.ts' }]],
      ['src/domain/fees/annual.ts', [{ file: 'src/domain/money.ts' }]],
    ])
    expect(findPairs(planted)).toEqual(['src/domain src/domain/fees'])
  })
})
