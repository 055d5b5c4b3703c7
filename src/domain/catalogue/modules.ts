/** Modules: what customers choose. Hidden ones join by their conditions and cost nothing (D5, D77). */

/** A module that waits on this device, as it will look. A hidden one without a code is given one by the server (D80). */
export const toPendingModule = <F extends { name: string; code?: string | undefined }>(
  fields: F,
  write: { intent: string },
) => ({
  type: 'saas' as const,
  hidden: false,
  dependencies: [],
  conditions: [],
  any_condition: false,
  apps: [],
  ...fields,
  code: fields.code ?? '',
  id: `~${write.intent}` as const,
  version: '',
  create_time: '',
  row_version: 0,
})

export interface ModuleDependencies {
  code: string
  dependencies: readonly string[]
}

/** What a choice becomes by one click, and the modules that come or go along: these are confirmed first (contracts 2). */
export interface ModuleSelectionChange {
  selectedCodes: string[]
  alsoChangedCodes: string[]
}

/** With all that it needs, and what that needs. Loops end; what the catalogue does not know is left to the server. */
export function selectModule(
  catalogue: readonly ModuleDependencies[],
  selectedCodes: readonly string[],
  code: string,
): ModuleSelectionChange {
  const dependenciesByCode = new Map(catalogue.map((module) => [module.code, module.dependencies]))
  const addedCodes = findReachable(code, (neededCode) => dependenciesByCode.get(neededCode) ?? []).filter(
    (neededCode) => dependenciesByCode.has(neededCode) && !selectedCodes.includes(neededCode),
  )
  return {
    selectedCodes: sortByCatalogue(catalogue, [...selectedCodes, code, ...addedCodes]),
    alsoChangedCodes: addedCodes,
  }
}

/** Without all of the chosen that need it, and what needs those. */
export function deselectModule(
  catalogue: readonly ModuleDependencies[],
  selectedCodes: readonly string[],
  code: string,
): ModuleSelectionChange {
  const findNeedingCodes = (neededCode: string) =>
    catalogue.filter((module) => module.dependencies.includes(neededCode)).map((module) => module.code)
  const alsoRemovedCodes = findReachable(code, findNeedingCodes).filter((dependentCode) =>
    selectedCodes.includes(dependentCode),
  )
  const removedCodes = new Set([code, ...alsoRemovedCodes])
  return {
    selectedCodes: selectedCodes.filter((selectedCode) => !removedCodes.has(selectedCode)),
    alsoChangedCodes: alsoRemovedCodes,
  }
}

/** Everything beyond `from` that can be reached, nearest first, itself left out. */
function findReachable(from: string, getNext: (code: string) => readonly string[]): string[] {
  const reachedCodes = new Set([from])
  // Grows while it is walked.
  for (const code of reachedCodes) for (const nextCode of getNext(code)) reachedCodes.add(nextCode)
  reachedCodes.delete(from)
  return [...reachedCodes]
}

/** As the catalogue lists them, each once. */
const sortByCatalogue = (catalogue: readonly ModuleDependencies[], codes: readonly string[]): string[] => {
  const positionByCode = new Map(catalogue.map(({ code }, index) => [code, index]))
  return [...new Set(codes)].toSorted(
    (a, b) => (positionByCode.get(a) ?? positionByCode.size) - (positionByCode.get(b) ?? positionByCode.size),
  )
}

/** A hidden module, by what brings it in (D77). */
export interface JoinConditions {
  code: string
  conditions: readonly string[]
  any_condition: boolean
}

/** The hidden modules that the chosen ones bring in; one without conditions never comes. */
export const filterJoiningModules = <M extends JoinConditions>(
  hiddenModules: readonly M[],
  selectedCodes: readonly string[],
): M[] =>
  hiddenModules.filter(({ conditions, any_condition: isAnyEnough }) => {
    const metCount = conditions.filter((code) => selectedCodes.includes(code)).length
    return isAnyEnough ? metCount > 0 : metCount > 0 && metCount === conditions.length
  })

/** The modules of a circle that `code` would be in; empty: there is none. */
export function findModuleCycle(catalogue: readonly ModuleDependencies[], code: string): string[] {
  const dependenciesByCode = new Map(catalogue.map((module) => [module.code, module.dependencies]))
  const getNext = (moduleCode: string) => dependenciesByCode.get(moduleCode) ?? []
  if (getNext(code).includes(code)) return [code]
  const reachedCodes = findReachable(code, getNext)
  const cycleCodes = reachedCodes.filter(
    (reachedCode) => reachedCode !== code && findReachable(reachedCode, getNext).includes(code),
  )
  return cycleCodes.length === 0 ? [] : [code, ...cycleCodes]
}

/** What depends on a module: by what it needs, or, where hidden, by what brings it in. */
export function findDependents<M extends ModuleDependencies & JoinConditions & { hidden: boolean }>(
  modules: readonly M[],
  code: string,
) {
  const dependents = modules.filter(({ dependencies, conditions }) => [...dependencies, ...conditions].includes(code))
  return { hidden: dependents.filter(({ hidden }) => hidden), visible: dependents.filter(({ hidden }) => !hidden) }
}
