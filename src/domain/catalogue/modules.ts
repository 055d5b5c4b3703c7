/** Modules that customers select. Hidden modules are added automatically by their conditions and are free (D5, D77). */

/** Optimistic row of a queued new module. The server assigns a code to a hidden module without one (D80). */
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

/** Selection after one click, and the modules that change too, which the user confirms first (contracts 2). */
export interface ModuleSelectionChange {
  selectedCodes: string[]
  alsoChangedCodes: string[]
}

/**
 * Adds a module with all modules that it needs, directly or indirectly. Modules that are not in `catalogue` are not added; the server
 * checks them.
 */
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

/** Removes a module and all selected modules that need it, directly or indirectly. */
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

/** Returns all codes that can be reached from `from`, nearest first, without `from`. */
function findReachable(from: string, getNext: (code: string) => readonly string[]): string[] {
  const reachedCodes = new Set([from])
  // The set grows during the iteration.
  for (const code of reachedCodes) for (const nextCode of getNext(code)) reachedCodes.add(nextCode)
  reachedCodes.delete(from)
  return [...reachedCodes]
}

const sortByCatalogue = (catalogue: readonly ModuleDependencies[], codes: readonly string[]): string[] => {
  const positionByCode = new Map(catalogue.map(({ code }, index) => [code, index]))
  return [...new Set(codes)].toSorted(
    (a, b) => (positionByCode.get(a) ?? positionByCode.size) - (positionByCode.get(b) ?? positionByCode.size),
  )
}

export interface JoinConditions {
  code: string
  conditions: readonly string[]
  any_condition: boolean
}

/** Returns the hidden modules that the selection adds. A hidden module without conditions is never added. */
export const filterJoiningModules = <M extends JoinConditions>(
  hiddenModules: readonly M[],
  selectedCodes: readonly string[],
): M[] =>
  hiddenModules.filter(({ conditions, any_condition: isAnyEnough }) => {
    const metCount = conditions.filter((code) => selectedCodes.includes(code)).length
    return isAnyEnough ? metCount > 0 : metCount > 0 && metCount === conditions.length
  })

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

/** Returns the modules that depend on a module: by dependency or, if hidden, by condition. */
export function findDependents<M extends ModuleDependencies & JoinConditions & { hidden: boolean }>(
  modules: readonly M[],
  code: string,
) {
  const dependents = modules.filter(({ dependencies, conditions }) => [...dependencies, ...conditions].includes(code))
  return { hidden: dependents.filter(({ hidden }) => hidden), visible: dependents.filter(({ hidden }) => !hidden) }
}
