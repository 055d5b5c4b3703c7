type NamedModules = readonly { code: string; name: string }[]

const namesByModules = new WeakMap<NamedModules, ReadonlyMap<string, string>>()

/** Returns the module names by code. Returns the same map for the same `modules` array. */
export function getModuleNames(modules: NamedModules): ReadonlyMap<string, string> {
  const namesByCode = namesByModules.get(modules) ?? new Map(modules.map(({ code, name }) => [code, name]))
  namesByModules.set(modules, namesByCode)
  return namesByCode
}
