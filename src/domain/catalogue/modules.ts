/** Modules: what customers choose. Hidden ones join by their conditions and cost nothing (D5, D77). */

/** A module that waits on this device, as it will look. A hidden one without a code is given one by the server (D80). */
export const cataloguedHere = <F extends { name: string; code?: string | undefined }>(
  fields: F,
  named: { intent: string },
) => ({
  type: 'saas' as const,
  hidden: false,
  dependencies: [],
  conditions: [],
  any_condition: false,
  apps: [],
  ...fields,
  code: fields.code ?? '',
  id: `~${named.intent}` as const,
  version: '',
  create_time: '',
  row_version: 0,
})

export interface Dependent {
  code: string
  dependencies: readonly string[]
}

/** What a choice becomes by one click, and the modules that come or go along: these are confirmed first (contracts 2). */
export interface Changed {
  chosen: string[]
  along: string[]
}

/** With all that it needs, and what that needs. Loops end; what the catalogue does not know is left to the server. */
export function chooseModule(catalogue: readonly Dependent[], chosen: readonly string[], code: string): Changed {
  const needs = new Map(catalogue.map((module) => [module.code, module.dependencies]))
  const along = reached(code, (one) => needs.get(one) ?? []).filter((one) => needs.has(one) && !chosen.includes(one))
  return { chosen: inOrder(catalogue, [...chosen, code, ...along]), along }
}

/** Without all of the chosen that need it, and what needs those. */
export function dropModule(catalogue: readonly Dependent[], chosen: readonly string[], code: string): Changed {
  const needing = (one: string) =>
    catalogue.filter((module) => module.dependencies.includes(one)).map((module) => module.code)
  const along = reached(code, needing).filter((one) => chosen.includes(one))
  const gone = new Set([code, ...along])
  return { chosen: chosen.filter((one) => !gone.has(one)), along }
}

/** Everything beyond `from` that can be reached, nearest first, itself left out. */
function reached(from: string, next: (code: string) => readonly string[]): string[] {
  const found = new Set([from])
  // Grows while it is walked.
  for (const code of found) for (const other of next(code)) found.add(other)
  found.delete(from)
  return [...found]
}

/** As the catalogue lists them, each once. */
const inOrder = (catalogue: readonly Dependent[], codes: readonly string[]): string[] => {
  const place = new Map(catalogue.map(({ code }, at) => [code, at]))
  return [...new Set(codes)].toSorted((a, b) => (place.get(a) ?? place.size) - (place.get(b) ?? place.size))
}

/** A hidden module, by what brings it in (D77). */
export interface Joining {
  code: string
  conditions: readonly string[]
  any_condition: boolean
}

/** The hidden modules that the chosen ones bring in; one without conditions never comes. */
export const joined = <M extends Joining>(hidden: readonly M[], chosen: readonly string[]): M[] =>
  hidden.filter(({ conditions, any_condition: any }) => {
    const met = conditions.filter((code) => chosen.includes(code)).length
    return any ? met > 0 : met > 0 && met === conditions.length
  })

/** The modules of a circle that `code` would be in; empty: there is none. */
export function moduleLoop(catalogue: readonly Dependent[], code: string): string[] {
  const needs = new Map(catalogue.map((module) => [module.code, module.dependencies]))
  const next = (one: string) => needs.get(one) ?? []
  if (next(code).includes(code)) return [code]
  const along = reached(code, next)
  const back = along.filter((one) => one !== code && reached(one, next).includes(code))
  return back.length === 0 ? [] : [code, ...back]
}

/** What depends on a module: by what it needs, or, where hidden, by what brings it in. */
export function dependentsOf<M extends Dependent & Joining & { hidden: boolean }>(all: readonly M[], code: string) {
  const needing = all.filter(({ dependencies, conditions }) => [...dependencies, ...conditions].includes(code))
  return { hidden: needing.filter(({ hidden }) => hidden), visible: needing.filter(({ hidden }) => !hidden) }
}
