/** Apps: which of two versions is the newer one, and what a set of apps lacks (contracts 4, 8). */
import { findCycles, findReachable } from '#domain/catalogue/dependency-cycles.ts'
import { type ModuleDependencies, type JoinConditions, filterJoiningModules } from '#domain/catalogue/modules.ts'

/**
 * Below 0: `one` is the older version; 0: they are the same. Dotted numbers are compared number by number, and a number
 * that is not there is 0: 1.9 < 1.10, 1.0 = 1.0.0. Between the dots, what is not a number comes before every number and is
 * compared as text: 1.beta < 1.rc < 1.0. Published versions are of numbers alone.
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
  // As digits: a number may be longer than can be counted with.
  const [digitsA, digitsB] = [partA, partB].map((digits) => digits.replace(/^0+/, '')) as [string, string]
  return compare(digitsA.length, digitsB.length) || compare(digitsA, digitsB)
}

/** Another app that an app needs, in this version at least (D78). */
export interface AppRequirement {
  code: string
  version: string
}

/** An app in its newest version. */
export interface PublishedApp {
  code: string
  version: string
  requires: readonly AppRequirement[]
}

export interface AppFaults {
  /** Needed, and not brought by the set or not published at all. */
  missing: string[]
  /** Circles of requirements, each beginning with its first code. */
  loops: string[][]
  /** Apps with the requirements that the newest version of the other app is too old for. */
  incompatible: { code: string; requires: AppRequirement[] }[]
}

/**
 * What is wrong with a set of apps: with those that it brings and with all that these need, at first hand or at second,
 * so that one test names everything that is to be added. In the order of the codes.
 */
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

/** A module, as far as a test of a set of them needs to know it. */
export interface TestedModule extends ModuleDependencies, JoinConditions {
  hidden: boolean
  apps: readonly { code: string }[]
}

/**
 * The set with all that it requires, as it would be ordered: what its modules depend on, and what brings a hidden one in
 * where all of that is needed. In the order of `modules`.
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

/** What is wrong with the apps of a set of modules, all that it requires and the hidden modules that it brings in (contracts 4, 8). */
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
