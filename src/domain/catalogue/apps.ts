/** Compares app versions and finds the missing requirements of a set of apps (contracts 4, 8). */
import { findCycles, findReachable } from '#domain/catalogue/dependency-cycles.ts'
import { type ModuleDependencies, type JoinConditions, filterJoiningModules } from '#domain/catalogue/modules.ts'

/**
 * Returns a negative number if `versionA` is older, 0 if both are equal. Dotted numbers are compared one by one, and a missing number is 0:
 * 1.9 < 1.10, 1.0 = 1.0.0. A part that is not a number sorts before every number and is compared as text: 1.beta < 1.rc < 1.0. Published
 * versions have only numbers.
 */
export function compareVersions(versionA: string, versionB: string): number {
  const [partsA, partsB] = [versionA.split('.'), versionB.split('.')]
  const partCount = Math.max(partsA.length, partsB.length)
  for (let i = 0; i < partCount; i++) {
    const order = compareVersionParts(partsA[i] ?? '0', partsB[i] ?? '0')
    if (order !== 0) return order
  }
  return 0
}

const isNumber = (text: string) => /^[0-9]+$/.test(text)
const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

function compareVersionParts(partA: string, partB: string): number {
  if (!isNumber(partA) || !isNumber(partB))
    return compare(Number(isNumber(partA)), Number(isNumber(partB))) || compare(partA, partB)
  // Compared as digits, because a part can exceed the range of numbers.
  const [digitsA, digitsB] = [partA, partB].map((digits) => digits.replace(/^0+/, '')) as [string, string]
  return compare(digitsA.length, digitsB.length) || compare(digitsA, digitsB)
}

/** Another app that an app needs, with its minimum version (D78). */
export interface AppRequirement {
  code: string
  version: string
}

export interface PublishedApp {
  code: string
  version: string
  requires: readonly AppRequirement[]
}

export interface AppFaults {
  missing: string[]
  /** Cycles of requirements, each starting with its first code. */
  loops: string[][]
  /** Apps with the requirements that are newer than the latest version of the required app. */
  incompatible: { code: string; requires: AppRequirement[] }[]
}

/** Checks a set of apps with all direct and indirect requirements, so that all missing apps are reported together. */
export function findAppFaults(publishedApps: readonly PublishedApp[], ownApps: readonly string[]): AppFaults {
  const publishedByCode = new Map(publishedApps.map((app) => [app.code, app]))
  const getRequirements = (code: string) => publishedByCode.get(code)?.requires ?? []
  const ownCodes = new Set(ownApps)
  const codes = [...findReachable(ownCodes, (code) => getCodes(getRequirements(code)))].toSorted()
  const isTooOld = ({ code, version }: AppRequirement) => {
    const publishedApp = publishedByCode.get(code)
    return publishedApp !== undefined && compareVersions(publishedApp.version, version) < 0
  }
  return {
    missing: codes.filter((code) => !ownCodes.has(code) || !publishedByCode.has(code)),
    loops: findCycles(new Map(codes.map((code) => [code, getCodes(getRequirements(code))]))),
    incompatible: codes.flatMap((code) => {
      const requires = getRequirements(code).filter(isTooOld).toSorted(compareRequirements)
      return requires.length === 0 ? [] : [{ code, requires }]
    }),
  }
}

export interface TestedModule extends ModuleDependencies, JoinConditions {
  hidden: boolean
  apps: readonly { code: string }[]
}

/**
 * Returns the set with all modules that it requires, as an order would contain them. A hidden module adds the modules of its conditions if
 * all of them are needed. The result is in the order of `modules`.
 */
export function findRequiredModules(modules: readonly TestedModule[], codes: readonly string[]): string[] {
  const modulesByCode = new Map(modules.map((module) => [module.code, module]))
  const getNeeds = (code: string): readonly string[] => {
    const module = modulesByCode.get(code)
    if (!module) return []
    return module.hidden && !module.any_condition ? [...module.dependencies, ...module.conditions] : module.dependencies
  }
  const reachedCodes = findReachable(codes, getNeeds)
  return modules.flatMap(({ code }) => (reachedCodes.has(code) ? [code] : []))
}

/** Checks the apps of a set of modules, of its requirements and of joining hidden modules (contracts 4, 8). */
export function findModuleFaults(
  modules: readonly TestedModule[],
  publishedApps: readonly PublishedApp[],
  codes: readonly string[],
): AppFaults {
  const requiredCodes = findRequiredModules(modules, codes)
  const requiredCodeSet = new Set(requiredCodes)
  const requiredModules = modules.filter(({ code }) => requiredCodeSet.has(code))
  const joiningModules = filterJoiningModules(
    modules.filter(({ hidden }) => hidden),
    requiredCodes,
  )
  const appCodes = [...requiredModules, ...joiningModules].flatMap(({ apps }) => apps.map(({ code }) => code))
  return findAppFaults(publishedApps, [...new Set(appCodes)])
}

const compareRequirements = (a: AppRequirement, b: AppRequirement) =>
  compare(a.code, b.code) || compareVersions(a.version, b.version)
const getCodes = (requirements: readonly AppRequirement[]) =>
  [...new Set(requirements.map(({ code }) => code))].toSorted()
