import { describe, expect, it } from 'vitest'
import { type Import, importsOf, isCode, under } from '#tests/architecture/tree.ts'

/**
 * Who may import whom: the same table as in docs/architecture.md. A value is a list of rooms, `room:types` where only
 * types may be taken, a file where only that one. A feature's own folder is always its own.
 */
const table: Record<string, readonly string[]> = {
  domain: [],
  contract: ['domain'],
  local: ['domain', 'contract'],
  request: ['domain', 'contract', 'local'],
  sw: ['contract', 'local', 'request', 'workbox'],
  state: [
    'domain:types',
    'contract:types',
    'src/contract/problem.ts',
    'local:types',
    'src/request/page/api.ts:types',
    'src/request/results.ts:types',
  ],
  ui: ['domain', 'src/contract/problem.ts', 'locales'],
  features: [
    'domain',
    'contract',
    'local',
    'state',
    'ui',
    'locales',
    'src/request/results.ts:types',
    'src/request/page/api.ts:types',
  ],
  app: ['domain', 'contract', 'local', 'request', 'state', 'ui', 'features', 'locales', 'workbox'],
  server: ['domain', 'contract', 'locales'],
  locales: [],
}

/** Inside the server, by folder; `server` stands for the files directly in it. */
const serverTable: Record<string, readonly string[]> = {
  db: ['server'],
  drivers: ['server'],
  services: ['db', 'drivers', 'server'],
  routes: ['services', 'commands', 'queries', 'http', 'server'],
  jobs: ['services', 'db', 'drivers', 'server'],
  http: ['services', 'db', 'server'],
  commands: ['db', 'server'],
  queries: ['db', 'commands', 'server'],
  dev: ['db', 'services', 'server'],
  cli: ['db', 'services', 'server'],
}

/** Only the handle file of the device's database: everyone else asks reads and transitions. */
const databaseFile = 'src/local/storage/database.ts'
const mayOpenDatabase = ['local', 'request', 'sw', 'app']

const roomOf = (file: string) => (file.startsWith('server/') ? 'server' : (file.split('/')[1] ?? ''))
const featureOf = (file: string) => /^src\/features\/([^/]+)\//.exec(file)?.[1]
const wingOf = (file: string) => /^server\/([^/]+)\//.exec(file)?.[1] ?? 'server'

function allows(rule: string, target: { file: string; room: string; typesOnly: boolean }) {
  const [what, how] = rule.split(':')
  return (what === target.room || what === target.file) && (how !== 'types' || target.typesOnly)
}

/** Why this import may not be, or null. */
function complaint(from: string, { file, specifier, typesOnly }: Import): string | null {
  const room = roomOf(from)
  if (file === null) {
    const isWorkbox = specifier.startsWith('workbox-')
    return isWorkbox && !table[room]?.includes('workbox') ? 'only the worker and the roof know Workbox' : null
  }
  if (/^(tests|bench|scripts)\//.test(file)) return 'the product knows nothing of its tests and tools'
  const target = { file, room: roomOf(file), typesOnly }
  if (file === databaseFile && !mayOpenDatabase.includes(room) && !typesOnly) return 'the database handle stays below'
  if (target.room === room) {
    if (featureOf(from) !== featureOf(file)) return 'features do not see each other'
    return room === 'server' ? wingComplaint(from, file, typesOnly) : null
  }
  return table[room]?.some((rule) => allows(rule, target)) ? null : `${room} may not import ${target.room}`
}

function wingComplaint(from: string, file: string, typesOnly: boolean): string | null {
  const [own, other] = [wingOf(from), wingOf(file)]
  // The files directly in server/ put the wings together.
  if (own === other || own === 'server' || typesOnly) return null
  return serverTable[own]?.includes(other) ? null : `server/${own} may not import server/${other}`
}

const sources = under('src', 'server').filter(isCode)
const imports = new Map(sources.map((file) => [file, importsOf(file)]))

/** A circle of imports, those of types and `import()` too, as its files in order; null: none can be reached. */
function circleFrom(start: string, done: Set<string>): string[] | null {
  const path: string[] = []
  const visit = (file: string): string[] | null => {
    const at = path.indexOf(file)
    if (at >= 0) return [...path.slice(at), file]
    if (done.has(file)) return null
    path.push(file)
    for (const { file: next } of imports.get(file) ?? []) {
      const circle = next !== null && next !== file ? visit(next) : null
      if (circle) return circle
    }
    path.pop()
    done.add(file)
    return null
  }
  return visit(start)
}

describe('the arrows of the house point one way', () => {
  it('every room under src and server stands in the table', () => {
    const rooms = new Set(sources.filter((file) => file.split('/').length > 2).map(roomOf))
    expect([...rooms].filter((room) => !(room in table))).toEqual([])
    const wings = new Set(under('server').filter(isCode).map(wingOf))
    expect([...wings].filter((wing) => wing !== 'server' && !(wing in serverTable))).toEqual([])
  })

  it('nobody imports what the table does not allow', () => {
    const complaints = [...imports].flatMap(([from, all]) =>
      all.flatMap((one) => {
        const why = complaint(from, one)
        return why ? [`${from} -> ${one.specifier}: ${why}`] : []
      }),
    )
    expect(complaints).toEqual([])
  })

  it('no modules import each other in a circle', () => {
    const done = new Set<string>()
    expect(sources.flatMap((file) => circleFrom(file, done)?.join(' -> ') ?? [])).toEqual([])
  })

  it('no path climbs two floors, and every import names its file', () => {
    const everywhere = under('src', 'server', 'tests', 'bench').filter(isCode)
    const wrong = everywhere.flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('../../') || /^[.#].*\/[^./]+$/.test(specifier))
        .map(({ specifier }) => `${file}: ${specifier}`),
    )
    expect(wrong).toEqual([])
  })

  it('finds a planted fault', () => {
    const planted: Import = {
      specifier: '#app/connection/api.ts',
      file: 'src/app/connection/api.ts',
      typesOnly: false,
      lazy: false,
    }
    expect(complaint('src/features/users/list/slice.ts', planted)).toBe('features may not import app')
    expect(complaint('src/features/users/list/slice.ts', { ...planted, file: 'src/features/home/slice.ts' })).toBe(
      'features do not see each other',
    )
  })
})
