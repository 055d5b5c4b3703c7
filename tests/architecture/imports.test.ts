import { describe, expect, it } from 'vitest'
import { type ModuleImport, readImports, isCode, listFilesUnder } from '#tests/architecture/tree.ts'

/**
 * Import rules, as in docs/architecture.md. A value lists layers; `layer:types` allows only types; a path allows only that file. A feature
 * may always import its own folder.
 */
const table: Record<string, readonly string[]> = {
  domain: [],
  contract: ['domain'],
  local: ['domain', 'contract'],
  request: ['domain', 'contract', 'local'],
  sw: ['contract', 'local', 'request', 'workbox'],
  state: [
    'domain',
    'contract:types',
    'src/contract/problem.ts',
    'src/contract/http-mapping.ts',
    'local',
    'src/request/page/api.ts:types',
    'src/request/call-results.ts:types',
  ],
  ui: ['domain', 'src/contract/problem.ts', 'locales'],
  patterns: ['domain', 'contract', 'local', 'state', 'ui', 'src/request/call-results.ts:types'],
  features: [
    'domain',
    'contract',
    'local',
    'state',
    'ui',
    'patterns',
    'locales',
    'src/request/call-results.ts:types',
    'src/request/page/api.ts:types',
  ],
  app: ['domain', 'contract', 'local', 'request', 'state', 'ui', 'patterns', 'features', 'locales', 'workbox'],
  server: ['domain', 'contract', 'locales'],
  demo: ['domain', 'contract', 'locales', 'server'],
  locales: [],
}

const basics = ['config', 'context', 'problems', 'text', 'shares']

/** Allowed imports of each server folder, besides `basics`. Type imports are always allowed. */
const serverTable: Record<string, readonly string[]> = {
  composition: ['http', 'routes', 'jobs', 'use-cases', 'drivers', 'db'],
  config: [],
  context: ['drivers'],
  problems: [],
  text: [],
  shares: [],
  db: [],
  drivers: [],
  'use-cases': ['db', 'drivers'],
  routes: ['use-cases', 'commands', 'queries', 'http'],
  jobs: ['use-cases', 'db', 'drivers'],
  http: ['use-cases', 'db'],
  commands: ['db'],
  queries: ['db', 'commands'],
  cli: ['composition', 'use-cases', 'db'],
}

/** File that opens the device database. Only the folders below may import it; others use its read and write functions. */
const databaseFile = 'src/local/storage/database.ts'
const mayOpenDatabase = ['local', 'request', 'sw', 'app']

const getLayer = (file: string) => /^(server|demo)\//.exec(file)?.[1] ?? file.split('/')[1] ?? ''
const getFeature = (file: string) => /^src\/features\/([^/]+)\//.exec(file)?.[1]
const getServerFolder = (file: string) => /^server\/([^/]+)\//.exec(file)?.[1] ?? ''

function isAllowedBy(rule: string, target: { file: string; layer: string; isTypeOnly: boolean }) {
  const [allowedTarget, allowedKind] = rule.split(':')
  return (
    (allowedTarget === target.layer || allowedTarget === target.file) && (allowedKind !== 'types' || target.isTypeOnly)
  )
}

/** Returns the reason why an import is not allowed, or null. */
function findComplaint(from: string, { file, specifier, isTypeOnly }: ModuleImport): string | null {
  const layer = getLayer(from)
  if (file === null) {
    const isWorkbox = specifier.startsWith('workbox-')
    return isWorkbox && !table[layer]?.includes('workbox') ? 'only the worker and the app know Workbox' : null
  }
  if (/^(tests|bench|scripts)\//.test(file)) return 'the product knows nothing of its tests and tools'
  const target = { file, layer: getLayer(file), isTypeOnly }
  if (file === databaseFile && !mayOpenDatabase.includes(layer) && !isTypeOnly) return 'the database handle stays below'
  if (target.layer === layer) {
    if (getFeature(from) !== getFeature(file)) return 'features do not see each other'
    return layer === 'server' ? findServerComplaint(from, file, isTypeOnly) : null
  }
  return table[layer]?.some((rule) => isAllowedBy(rule, target)) ? null : `${layer} may not import ${target.layer}`
}

function findServerComplaint(from: string, file: string, isTypeOnly: boolean): string | null {
  const [ownFolder, otherFolder] = [getServerFolder(from), getServerFolder(file)]
  if (ownFolder === otherFolder || isTypeOnly || basics.includes(otherFolder)) return null
  return serverTable[ownFolder]?.includes(otherFolder)
    ? null
    : `server/${ownFolder} may not import server/${otherFolder}`
}

const sources = listFilesUnder('src', 'server', 'demo').filter(isCode)
const imports = new Map(sources.map((file) => [file, readImports(file)]))

/**
 * Returns the files of an import circle in order, or null if no circle is reachable from `start`. Follows type imports and `import()` too.
 */
function findCircle(start: string, done: Set<string>): string[] | null {
  const path: string[] = []
  const visitFile = (file: string): string[] | null => {
    const index = path.indexOf(file)
    if (index >= 0) return [...path.slice(index), file]
    if (done.has(file)) return null
    path.push(file)
    for (const { file: next } of imports.get(file) ?? []) {
      const circle = next !== null && next !== file ? visitFile(next) : null
      if (circle) return circle
    }
    path.pop()
    done.add(file)
    return null
  }
  return visitFile(start)
}

describe('import rules between layers', () => {
  it('every folder is listed in the table, and the server has no file outside its folders', () => {
    const layers = new Set(sources.filter((file) => file.split('/').length > 2).map(getLayer))
    expect([...layers].filter((layer) => !(layer in table))).toEqual([])
    const folders = new Set(listFilesUnder('server').filter(isCode).map(getServerFolder))
    expect([...folders].filter((folder) => !(folder in serverTable))).toEqual([])
  })

  it('every import is allowed by the table', () => {
    const complaints = [...imports].flatMap(([from, fileImports]) =>
      fileImports.flatMap((entry) => {
        const complaint = findComplaint(from, entry)
        return complaint ? [`${from} -> ${entry.specifier}: ${complaint}`] : []
      }),
    )
    expect(complaints).toEqual([])
  })

  it('no circular imports exist', () => {
    const done = new Set<string>()
    expect(sources.flatMap((file) => findCircle(file, done)?.join(' -> ') ?? [])).toEqual([])
  })

  it('no import path starts with ../../, and every import of a project file has a file extension', () => {
    const allFiles = listFilesUnder('src', 'server', 'demo', 'tests', 'bench').filter(isCode)
    const wrongImports = allFiles.flatMap((file) =>
      readImports(file)
        .filter(({ specifier }) => specifier.startsWith('../../') || /^[.#].*\/[^./]+$/.test(specifier))
        .map(({ specifier }) => `${file}: ${specifier}`),
    )
    expect(wrongImports).toEqual([])
  })

  it('the check finds planted forbidden imports', () => {
    const plantedImport: ModuleImport = {
      specifier: '#app/connection/api.ts',
      file: 'src/app/connection/api.ts',
      isTypeOnly: false,
      isLazy: false,
    }
    expect(findComplaint('src/features/users/slice.ts', plantedImport)).toBe('features may not import app')
    expect(findComplaint('server/composition/serve.ts', { ...plantedImport, file: 'demo/demo.ts', isLazy: true })).toBe(
      'server may not import demo',
    )
    expect(findComplaint('src/features/users/slice.ts', { ...plantedImport, file: 'src/features/home/slice.ts' })).toBe(
      'features do not see each other',
    )
  })
})
