import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStoredWith, type ModuleGraph, parseLabel, type ChunkPart, placeModules } from '#scripts/chunk-placement.ts'

/** Parses a graph of modules. `a > b` is an import; `a ~ b: label` is a lazy import with the label in the comment of its import(). */
function parseGraph(lines: string): ModuleGraph {
  const graph = new Map<string, { static: string[]; lazy: { id: string; label: ReturnType<typeof parseLabel> }[] }>()
  for (const line of lines.trim().split('\n')) {
    const [, from = '', sign, to = '', text] = /^\s*(\S+) ([>~]) (\w+)(?:: (.+))?$/.exec(line) ?? []
    for (const id of [from, to]) if (!graph.has(id)) graph.set(id, { static: [], lazy: [] })
    if (sign === '>') graph.get(from)?.static.push(to)
    else graph.get(from)?.lazy.push({ id: to, label: text ? parseLabel(text) : {} })
  }
  return graph
}

const placeChunks = (lines: string) =>
  Object.fromEntries([...placeModules(['main'], parseGraph(lines))].map(([id, { chunk }]) => [id, chunk]))

const app = `
  main ~ start: frame
  main ~ shell: inside
  main ~ contracts: orders list
  main ~ wizard: orders
  main ~ modules: staff-modules list
  main ~ prices: staff-prices
  main ~ trail: trail list
  start > react
  shell > table
  contracts > table
`

describe('placing modules in chunks', () => {
  it('puts a new page into the chunk that its import label names', () => {
    expect(placeChunks(`${app}\n main ~ report: staff-reports list\n report > table\n report > figures`)).toMatchObject(
      {
        report: 'staff-reports-list',
        figures: 'staff-reports-list',
        table: 'inside',
      },
    )
  })

  it('puts a module that several loading stages need into the earliest one', () => {
    expect(placeChunks(app)).toMatchObject({ main: 'first', react: 'frame', table: 'inside', contracts: 'orders-list' })
    expect(placeChunks(`${app}\n wizard > price\n contracts > price`).price).toBe('orders-list')
  })

  it('puts lazy modules without a label into the chunk "later", or into the part that loads them', () => {
    expect(placeChunks(`${app}\n shell ~ banner\n contracts ~ dialog`)).toMatchObject({
      banner: 'later',
      dialog: 'orders',
    })
  })

  it('puts modules shared by staff and ordering users into the part that both store', () => {
    expect(placeChunks(`${app}\n prices > fees\n wizard > fees`).fees).toBe('orders')
    expect(placeChunks(`${app}\n prices > fees\n modules > fees`).fees).toBe('staff-shared-list')
    expect(placeChunks(`${app}\n prices > fees\n trail > fees`).fees).toBe('trail-list')
  })

  it('puts modules shared by unrelated parts into a common chunk', () => {
    expect(placeChunks(`${app}\n trail ~ drawer\n wizard > dates\n drawer > dates`).dates).toBe('common')
    expect(placeChunks(`${app}\n contracts > dates\n trail > dates`).dates).toBe('common-list')
  })

  it('stores a module on every device if a page for everybody needs it', () => {
    expect(placeChunks(`${app}\n wizard > dates\n shell ~ help\n help > dates`).dates).toBe('later')
  })

  it('does not store modules that only work online, unless a stored page needs them', () => {
    const placements = placeModules(['main'], parseGraph(`${app}\n shell ~ factor: online\n factor > code`))
    expect(placements.get('code')).toEqual({ part: 'online', chunk: 'online' })
    expect(placeChunks(`${app}\n shell ~ factor: online\n factor > code\n wizard > code`).code).toBe('orders')
  })

  it('lets no module import a module that is stored elsewhere or loaded later', () => {
    const lines = `${app}\n prices > a\n a > b\n wizard > b\n b > c\n trail > c\n c > d\n shell ~ e\n e > d`
    const graph = parseGraph(lines)
    const placements = placeModules(['main'], graph)
    for (const [id, { static: imports }] of graph)
      for (const target of imports)
        expect(
          isStoredWith(placements.get(id)?.part as ChunkPart, placements.get(target)?.part as ChunkPart),
          `${id} > ${target}`,
        ).toBe(true)
  })

  it('rejects an unknown label', () => {
    expect(() => parseLabel('stuff list')).toThrow('"stuff"')
  })
})

describe('the built client', () => {
  const dist = join(import.meta.dirname, '..', '..', 'dist')
  const readDistJson = (name: string) => JSON.parse(readFileSync(join(dist, name), 'utf8'))
  const builtFiles: Record<string, { file: string; imports?: string[]; src?: string }> = readDistJson('build-map.json')
  const parts: Record<string, ChunkPart> = readDistJson('parts.json')
  const getPart = (file: string): ChunkPart => parts[file] ?? 'everybody'

  it('has no file that imports a file which is not stored with it', () => {
    const brokenImports = Object.values(builtFiles).flatMap(({ file, imports = [] }) =>
      imports
        .map((key) => builtFiles[key]?.file ?? key)
        .filter((neededFile) => !isStoredWith(getPart(file), getPart(neededFile)))
        .map((neededFile) => `${file} > ${neededFile}`),
    )
    expect(brokenImports).toEqual([])
  })

  it('lists for the worker the part of each optional file, and no file that is never stored', () => {
    const workerText = readFileSync(join(dist, 'sw.js'), 'utf8')
    for (const [file, part] of Object.entries(parts)) {
      const entry = new RegExp(`\\{[^{}]*${file.replaceAll('.', '\\.')}[^{}]*\\}`).exec(workerText)?.[0]
      if (part === 'online') expect(entry, file).toBeUndefined()
      else expect(entry, file).toMatch(new RegExp(`part["']?:\\s*["'\`]${part}["'\`]`))
    }
  })
})
