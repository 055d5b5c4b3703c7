import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isKeptWith, type ModuleGraph, parseLabel, type Part, placeModules } from '#scripts/chunk-placement.ts'

/** `a > b` imports; `a ~ b: label` loads lazily, with what the import() says in its comment. */
function graphOf(lines: string): ModuleGraph {
  const graph = new Map<string, { static: string[]; lazy: { id: string; label: ReturnType<typeof parseLabel> }[] }>()
  for (const line of lines.trim().split('\n')) {
    const [, from = '', sign, to = '', text] = /^\s*(\S+) ([>~]) (\w+)(?:: (.+))?$/.exec(line) ?? []
    for (const id of [from, to]) if (!graph.has(id)) graph.set(id, { static: [], lazy: [] })
    if (sign === '>') graph.get(from)?.static.push(to)
    else graph.get(from)?.lazy.push({ id: to, label: text ? parseLabel(text) : {} })
  }
  return graph
}

const chunks = (lines: string) =>
  Object.fromEntries([...placeModules(['main'], graphOf(lines))].map(([id, { chunk }]) => [id, chunk]))

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

describe('where a module is placed', () => {
  it('puts a new page where its entry says, without a word in the build', () => {
    expect(chunks(`${app}\n main ~ report: staff-reports list\n report > table\n report > figures`)).toMatchObject({
      report: 'staff-reports-list',
      figures: 'staff-reports-list',
      table: 'inside',
    })
  })

  it('puts what several stages need into the earliest', () => {
    expect(chunks(app)).toMatchObject({ main: 'first', react: 'frame', table: 'inside', contracts: 'orders-list' })
    expect(chunks(`${app}\n wizard > price\n contracts > price`).price).toBe('orders-list')
  })

  it('takes what is loaded lazily without a label for later, in the part that loads it', () => {
    expect(chunks(`${app}\n shell ~ banner\n contracts ~ dialog`)).toMatchObject({ banner: 'later', dialog: 'orders' })
  })

  it('gives what staff and people with orders share to the part that both keep', () => {
    expect(chunks(`${app}\n prices > fees\n wizard > fees`).fees).toBe('orders')
    expect(chunks(`${app}\n prices > fees\n modules > fees`).fees).toBe('staff-shared-list')
    expect(chunks(`${app}\n prices > fees\n trail > fees`).fees).toBe('trail-list')
  })

  it('gives what parts share that no device need keep together to all parts', () => {
    expect(chunks(`${app}\n trail ~ drawer\n wizard > dates\n drawer > dates`).dates).toBe('common')
    expect(chunks(`${app}\n contracts > dates\n trail > dates`).dates).toBe('common-list')
  })

  it('keeps on every device what a page of everybody needs too', () => {
    expect(chunks(`${app}\n wizard > dates\n shell ~ help\n help > dates`).dates).toBe('later')
  })

  it('stores nothing that only works online, unless a stored page needs it', () => {
    const placed = placeModules(['main'], graphOf(`${app}\n shell ~ factor: online\n factor > code`))
    expect(placed.get('code')).toEqual({ part: 'online', chunk: 'online' })
    expect(chunks(`${app}\n shell ~ factor: online\n factor > code\n wizard > code`).code).toBe('orders')
  })

  it('lets no module import one that is not kept with it or that comes later', () => {
    const lines = `${app}\n prices > a\n a > b\n wizard > b\n b > c\n trail > c\n c > d\n shell ~ e\n e > d`
    const graph = graphOf(lines)
    const placed = placeModules(['main'], graph)
    for (const [id, { static: imports }] of graph)
      for (const target of imports)
        expect(isKeptWith(placed.get(id)?.part as Part, placed.get(target)?.part as Part), `${id} > ${target}`).toBe(
          true,
        )
  })

  it('refuses a label that it does not know', () => {
    expect(() => parseLabel('stuff list')).toThrow('"stuff"')
  })
})

describe('the built client', () => {
  const dist = join(import.meta.dirname, '..', '..', 'dist')
  const read = (name: string) => JSON.parse(readFileSync(join(dist, name), 'utf8'))
  const built: Record<string, { file: string; imports?: string[]; src?: string }> = read('build-map.json')
  const parts: Record<string, Part> = read('parts.json')
  const partOf = (file: string): Part => parts[file] ?? 'everybody'

  it('has no file that imports one which is not kept with it', () => {
    const torn = Object.values(built).flatMap(({ file, imports = [] }) =>
      imports
        .map((key) => built[key]?.file ?? key)
        .filter((needed) => !isKeptWith(partOf(file), partOf(needed)))
        .map((needed) => `${file} > ${needed}`),
    )
    expect(torn).toEqual([])
  })

  it('tells the worker the part of each file that not every device keeps, and nothing of what none keeps', () => {
    const worker = readFileSync(join(dist, 'sw.js'), 'utf8')
    for (const [file, part] of Object.entries(parts)) {
      const entry = new RegExp(`\\{[^{}]*${file.replaceAll('.', '\\.')}[^{}]*\\}`).exec(worker)?.[0]
      if (part === 'online') expect(entry, file).toBeUndefined()
      else expect(entry, file).toMatch(new RegExp(`part["']?:\\s*["'\`]${part}["'\`]`))
    }
  })
})
