import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ModuleImport, readImports, isCode, listFilesUnder } from '#tests/architecture/tree.ts'

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

type ImportsByFile = ReadonlyMap<string, readonly Pick<ModuleImport, 'file'>[]>

/** Each import of a file in another folder: both files. Types and dynamic imports count. */
const listImportsAcrossFolders = (imports: ImportsByFile) =>
  [...imports].flatMap(([from, fileImports]) =>
    fileImports.flatMap(({ file }) =>
      file !== null && posix.dirname(file) !== posix.dirname(from) ? [{ from, file }] : [],
    ),
  )

/** Pairs of folders, a folder and its own subfolder too, where files of each import files of the other. */
function findPairs(imports: ImportsByFile): string[] {
  const edges = new Set(
    listImportsAcrossFolders(imports).map(({ from, file }) => `${posix.dirname(from)} ${posix.dirname(file)}`),
  )
  return [...edges].filter((edge) => {
    const [a = '', b = ''] = edge.split(' ')
    return a < b && edges.has(`${b} ${a}`)
  })
}

/** Imports in src/local of a folder that stands above the importing one. */
function findUpwardImports(imports: ImportsByFile): string[] {
  const getFolderRank = (file: string) => localOrder.indexOf(file.split('/')[2] ?? '')
  const isLocal = (file: string) => file.startsWith('src/local/')
  return listImportsAcrossFolders(imports)
    .filter(({ from, file }) => isLocal(from) && isLocal(file) && getFolderRank(file) > getFolderRank(from))
    .map(({ from, file }) => `${from} -> ${file}`)
}

/** Imports of the index of long lists from outside, past its one file. */
const findIndexImports = (imports: ImportsByFile): string[] =>
  listImportsAcrossFolders(imports)
    .filter(({ file }) => posix.dirname(file) === posix.dirname(listIndex) && file !== listIndex)
    .map(({ from, file }) => `${from} -> ${file}`)

const imports = new Map(
  listFilesUnder('src', 'server', 'demo')
    .filter(isCode)
    .map((file) => [file, readImports(file)]),
)

describe('folders', () => {
  it('in src/local never import each other', () => {
    expect(
      findPairs(imports).filter((pair) => pair.split(' ').every((folder) => folder.startsWith('src/local'))),
    ).toEqual([])
  })

  it('in src/local import only lower ones', () => {
    const folders = new Set(listFilesUnder('src/local').map((file) => file.split('/')[2]))
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
    const plantedImports: ImportsByFile = new Map([
      ['src/local/storage/eviction.ts', [{ file: 'src/local/list-index/buckets.ts' }]],
      ['src/local/list-index/buckets.ts', [{ file: 'src/local/storage/database.ts' }]],
    ])
    expect(findPairs(plantedImports)).toEqual(['src/local/list-index src/local/storage'])
    const upwardImports = ['src/local/storage/eviction.ts -> src/local/list-index/buckets.ts']
    expect(findUpwardImports(plantedImports)).toEqual(upwardImports)
    expect(findIndexImports(plantedImports)).toEqual(upwardImports)
  })

  it('are found where a folder and its subfolder import each other', () => {
    const plantedImports: ImportsByFile = new Map([
      ['src/domain/dues.ts', [{ file: 'src/domain/fees/traffic.ts' }]],
      ['src/domain/fees/annual.ts', [{ file: 'src/domain/money.ts' }]],
    ])
    expect(findPairs(plantedImports)).toEqual(['src/domain src/domain/fees'])
  })
})
