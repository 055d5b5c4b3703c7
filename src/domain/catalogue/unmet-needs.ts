/** What a price list lacks for its own modules: a module that needs another one cannot be ordered without it. */
import { reached } from '#domain/catalogue/dependency-cycles.ts'
import type { Dependent } from '#domain/catalogue/modules.ts'

export interface CatalogueModule extends Dependent {
  name: string
  hidden: boolean
}

/** A listed module with the visible modules that it needs, directly or not, and that are not on the list. */
export interface UnmetNeed {
  code: string
  missing: string[]
}

/** In the order of `listed`. Follows visible modules only, as an order does (`checkModules`). */
export function findUnmetNeeds(listed: readonly string[], catalogue: readonly CatalogueModule[]): UnmetNeed[] {
  const visible = new Map(catalogue.flatMap((one) => (one.hidden ? [] : [[one.code, one.dependencies] as const])))
  const onList = new Set(listed)
  const needing = new Map<string, string[]>()
  for (const [code, dependencies] of visible)
    for (const need of dependencies) needing.set(need, [...(needing.get(need) ?? []), code])
  const unlisted = [...visible.keys()].filter((code) => !onList.has(code))
  // Only these need a walk of their own: a list has a thousand modules.
  const affected = reached(unlisted, (code) => needing.get(code) ?? [])
  return listed.flatMap((code) => {
    if (!affected.has(code) || !visible.has(code)) return []
    const needs = reached([code], (one) => (visible.get(one) ?? []).filter((need) => visible.has(need)))
    const missing = [...needs].filter((one) => !onList.has(one))
    return missing.length === 0 ? [] : [{ code, missing }]
  })
}

/** So many are named; the others are counted. */
const maxNamed = 10

/** "Finance (fin), Core (core)": a module by its name and code, and how many more there are. */
export function nameModules(codes: readonly string[], catalogue: readonly CatalogueModule[]): string {
  const names = new Map(catalogue.map(({ code, name }) => [code, name]))
  const called = codes.slice(0, maxNamed).map((code) => `${names.get(code) ?? code} (${code})`)
  const more = codes.length - called.length
  return [...called, ...(more > 0 ? [`+${more}`] : [])].join(', ')
}
