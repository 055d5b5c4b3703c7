import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ModuleImport, readImports, isCode, listFilesUnder } from '#tests/architecture/tree.ts'

/** Maximum number of folder pairs in src, server and demo that import each other. May only decrease. */
const maxPairs = 15

/** The folders of src/local, lowest first: each imports only folders before it (docs/architecture.md). */
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

/** The only file of the list index that code outside it may import. */
const listIndex = 'src/local/list-index/list-index.ts'

type ImportsByFile = ReadonlyMap<string, readonly Pick<ModuleImport, 'file'>[]>

/** Returns the importing and the imported file for each import from another folder. Includes type imports and dynamic imports. */
const listImportsAcrossFolders = (imports: ImportsByFile) =>
  [...imports].flatMap(([from, fileImports]) =>
    fileImports.flatMap(({ file }) =>
      file !== null && posix.dirname(file) !== posix.dirname(from) ? [{ from, file }] : [],
    ),
  )

/** Returns the pairs of folders whose files import each other. A pair can be a folder and its subfolder. */
function findPairs(imports: ImportsByFile): string[] {
  const edges = new Set(
    listImportsAcrossFolders(imports).map(({ from, file }) => `${posix.dirname(from)} ${posix.dirname(file)}`),
  )
  return [...edges].filter((edge) => {
    const [a = '', b = ''] = edge.split(' ')
    return a < b && edges.has(`${b} ${a}`)
  })
}

function findUpwardImports(imports: ImportsByFile): string[] {
  const getFolderRank = (file: string) => localOrder.indexOf(file.split('/')[2] ?? '')
  const isLocal = (file: string) => file.startsWith('src/local/')
  return listImportsAcrossFolders(imports)
    .filter(({ from, file }) => isLocal(from) && isLocal(file) && getFolderRank(file) > getFolderRank(from))
    .map(({ from, file }) => `${from} -> ${file}`)
}

const findIndexImports = (imports: ImportsByFile): string[] =>
  listImportsAcrossFolders(imports)
    .filter(({ file }) => posix.dirname(file) === posix.dirname(listIndex) && file !== listIndex)
    .map(({ from, file }) => `${from} -> ${file}`)

const imports = new Map(
  listFilesUnder('src', 'server', 'demo')
    .filter(isCode)
    .map((file) => [file, readImports(file)]),
)

describe('import rules between folders', () => {
  it('no two folders of src/local import each other', () => {
    expect(
      findPairs(imports).filter((pair) => pair.split(' ').every((folder) => folder.startsWith('src/local'))),
    ).toEqual([])
  })

  it('a folder of src/local imports only lower folders', () => {
    const folders = new Set(listFilesUnder('src/local').map((file) => file.split('/')[2]))
    expect([...folders].sort()).toEqual([...localOrder].sort())
    expect(findUpwardImports(imports)).toEqual([])
  })

  it('the number of folder pairs that import each other stays within its limit', () => {
    const pairs = findPairs(imports)
    expect(pairs.length, pairs.join('\n')).toBeLessThanOrEqual(maxPairs)
  })

  it('other folders import the list index only through list-index.ts', () => {
    expect(findIndexImports(imports)).toEqual([])
  })

  it('the checks find planted imports that break these rules', () => {
    const plantedImports: ImportsByFile = new Map([
      ['src/local/storage/eviction.ts', [{ file: 'src/local/list-index/buckets.ts' }]],
      ['src/local/list-index/buckets.ts', [{ file: 'src/local/storage/database.ts' }]],
    ])
    expect(findPairs(plantedImports)).toEqual(['src/local/list-index src/local/storage'])
    const upwardImports = ['src/local/storage/eviction.ts -> src/local/list-index/buckets.ts']
    expect(findUpwardImports(plantedImports)).toEqual(upwardImports)
    expect(findIndexImports(plantedImports)).toEqual(upwardImports)
  })

  it('the check finds a folder and its subfolder that import each other', () => {
    const plantedImports: ImportsByFile = new Map([
      ['src/domain/dues.ts', [{ file: 'src/domain/fees/traffic.ts' }]],
      ['src/domain/fees/annual.ts', [{ file: 'src/domain/money.ts' }]],
    ])
    expect(findPairs(plantedImports)).toEqual(['src/domain src/domain/fees'])
  })
})
