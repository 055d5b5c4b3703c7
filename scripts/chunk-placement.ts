/**
 * Determines the chunk of a module from the graph of imports (docs/decisions/0085). Two things decide: which devices store it (the part),
 * and when it is first needed (the stage). A module that several parts share goes to the part that all of them include, and to the earliest
 * stage. So a chunk imports only chunks that are stored with it and needed no later, and chunks never import each other in a circle.
 */

/** Stages in the order in which the app needs them at start. A module that several stages share belongs to the earliest. */
const stages = [
  /** The entry: it only requests the others. */
  'first',
  /** React and the other libraries of the layout (src/app/libraries.ts). */
  'libraries',
  /** The start, the routes, the login form. */
  'frame',
  /** The session, the device's database, reading lists. */
  'device',
  /** The signed-in layout, the list table and the users list. */
  'inside',
  /** The other pages that a visit may start with. */
  'list',
  'prime',
  'visitors',
  /** Writes, and code that is needed only after the first page has loaded. The default stage of an import(). */
  'later',
  'pages',
] as const
export type ChunkStage = (typeof stages)[number]
const lazyStage = stages.indexOf('later')
const listStage = stages.indexOf('list')

/** For each part, the parts that a device with it also stores (src/app/shell/OptionalParts.tsx). */
const includedParts = {
  everybody: [],
  /** Stored with every part: code that several of them share. */
  common: [],
  users: ['common'],
  orders: ['common'],
  trail: ['common'],
  staff: ['common', 'orders', 'trail'],
  /** Readings of Chinese names, for devices with such a name. */
  pinyin: [],
  /** Code that is useless offline, so no device stores it. */
  online: [],
} as const satisfies Record<string, readonly string[]>
export type ChunkPart = keyof typeof includedParts

const isPart = (word: string): word is ChunkPart => Object.hasOwn(includedParts, word)
const isStage = (word: string): word is ChunkStage => (stages as readonly string[]).includes(word)
export const isStoredWith = (part: ChunkPart, needed: ChunkPart): boolean =>
  needed === 'everybody' || needed === part || (includedParts[part] as readonly string[]).includes(needed)

/** The label of an import(), in a comment: `chunk: staff-prices list`. */
export interface ChunkLabel {
  part?: ChunkPart
  /** A separate chunk within the part, for code that is large and rarely needed with the rest. */
  group?: string
  stage?: ChunkStage
}

/** Throws if a word is neither a part (with or without a group) nor a stage. */
export function parseLabel(text: string): ChunkLabel {
  const label: ChunkLabel = {}
  for (const word of text.trim().split(/\s+/)) {
    const [part = '', ...group] = word.split('-')
    if (isStage(word)) label.stage = word
    else if (isPart(part)) Object.assign(label, { part, ...(group.length > 0 && { group: group.join('-') }) })
    else throw new Error(`"chunk: ${text}" has the word "${word}", which is neither a part nor a stage`)
  }
  return label
}

export interface ModuleImports {
  static: readonly string[]
  lazy: readonly { id: string; label: ChunkLabel }[]
}
export type ModuleGraph = ReadonlyMap<string, ModuleImports>

export interface Placement {
  part: ChunkPart
  chunk: string
}

interface ModuleReach {
  stage: number
  units: ReadonlySet<string>
}

export function placeModules(entries: readonly string[], graph: ModuleGraph): Map<string, Placement> {
  const reachById = new Map<string, ModuleReach>()
  const openIds: string[] = []

  function addReach(id: string, stage: number, units: ReadonlySet<string>): void {
    const previous = reachById.get(id)
    const current = {
      stage: Math.min(stage, previous?.stage ?? stage),
      units: new Set([...units, ...(previous?.units ?? [])]),
    }
    if (previous && current.stage === previous.stage && current.units.size === previous.units.size) return
    reachById.set(id, current)
    openIds.push(id)
  }

  for (const entry of entries) addReach(entry, 0, new Set(['everybody ']))
  for (let id = openIds.pop(); id !== undefined; id = openIds.pop()) {
    const { stage, units } = reachById.get(id) as ModuleReach
    const imports = graph.get(id)
    for (const target of imports?.static ?? []) addReach(target, stage, units)
    for (const { id: target, label } of imports?.lazy ?? []) {
      const nextStage = label.stage ? stages.indexOf(label.stage) : Math.max(stage, lazyStage)
      addReach(target, nextStage, label.part ? new Set([`${label.part} ${label.group ?? ''}`]) : units)
    }
  }
  return new Map([...reachById].map(([id, reach]) => [id, toPlacement(reach)]))
}

function toPlacement({ stage, units }: ModuleReach): Placement {
  const parts = [...new Set([...units].map((unit) => unit.split(' ')[0] as ChunkPart))]
  const part = partForAll(parts)
  if (part === 'everybody') return { part, chunk: stages[stage] as string }
  const groups = new Set([...units].map((unit) => unit.split(' ')[1]))
  const [onlyGroup] = groups
  const group = groups.size === 1 ? onlyGroup : groups.has('') ? '' : 'shared'
  return { part, chunk: [part, group, stage <= listStage && 'list'].filter(Boolean).join('-') }
}

function partForAll(parts: readonly ChunkPart[]): ChunkPart {
  const stored = parts.filter((part) => part !== 'online')
  if (stored.length === 0) return 'online'
  if (stored.includes('everybody')) return 'everybody'
  return stored.find((needed) => stored.every((part) => isStoredWith(part, needed))) ?? 'common'
}
