/** Finds modules of a price list that need modules missing on the list. Such modules cannot be ordered. */
import { findReachable } from '#domain/catalogue/dependency-cycles.ts'
import type { ModuleDependencies } from '#domain/catalogue/modules.ts'

export interface CatalogueModule extends ModuleDependencies {
  name: string
  hidden: boolean
}

export interface UnmetNeed {
  code: string
  missingCodes: string[]
}

/** Returns the needs in the order of `listedCodes`. Follows only visible modules, as an order does (`checkModules`). */
export function findUnmetNeeds(listedCodes: readonly string[], catalogue: readonly CatalogueModule[]): UnmetNeed[] {
  const dependenciesByCode = new Map(
    catalogue.flatMap((module) => (module.hidden ? [] : [[module.code, module.dependencies] as const])),
  )
  const listedSet = new Set(listedCodes)
  const dependentsByCode = new Map<string, string[]>()
  for (const [code, dependencies] of dependenciesByCode)
    for (const dependency of dependencies)
      dependentsByCode.set(dependency, [...(dependentsByCode.get(dependency) ?? []), code])
  const unlistedCodes = [...dependenciesByCode.keys()].filter((code) => !listedSet.has(code))
  // Searches only from affected modules, because a list can have a thousand modules.
  const affectedCodes = findReachable(unlistedCodes, (code) => dependentsByCode.get(code) ?? [])
  return listedCodes.flatMap((code) => {
    if (!affectedCodes.has(code) || !dependenciesByCode.has(code)) return []
    const neededCodes = findReachable([code], (neededCode) =>
      (dependenciesByCode.get(neededCode) ?? []).filter((dependency) => dependenciesByCode.has(dependency)),
    )
    const missingCodes = [...neededCodes].filter((neededCode) => !listedSet.has(neededCode))
    return missingCodes.length === 0 ? [] : [{ code, missingCodes }]
  })
}

const maxNamedModules = 10

/** Returns "Finance (fin), Core (core)": names and codes of modules, and the number of further ones. */
export function nameModules(codes: readonly string[], catalogue: readonly CatalogueModule[]): string {
  const names = new Map(catalogue.map(({ code, name }) => [code, name]))
  const namedModules = codes.slice(0, maxNamedModules).map((code) => `${names.get(code) ?? code} (${code})`)
  const unnamedCount = codes.length - namedModules.length
  return [...namedModules, ...(unnamedCount > 0 ? [`+${unnamedCount}`] : [])].join(', ')
}
