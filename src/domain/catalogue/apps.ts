/** Apps: which of two versions is the newer one, and what a set of apps lacks (contracts 4, 8). */
import { circlesIn, reached } from '#domain/catalogue/dependency-cycles.ts'
import { type Dependent, type Joining, joined } from '#domain/catalogue/modules.ts'

/**
 * Below 0: `one` is the older version; 0: they are the same. Dotted numbers are compared number by number, and a number
 * that is not there is 0: 1.9 < 1.10, 1.0 = 1.0.0. Between the dots, what is not a number comes before every number and is
 * compared as text: 1.beta < 1.rc < 1.0. Published versions are of numbers alone.
 */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one.split('.'), other.split('.')]
  const places = Math.max(left.length, right.length)
  for (let at = 0; at < places; at++) {
    const order = comparePlaces(left[at] ?? '0', right[at] ?? '0')
    if (order !== 0) return order
  }
  return 0
}

const isNumber = (text: string) => /^[0-9]+$/.test(text)
const compare = <T extends string | number>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0)

function comparePlaces(one: string, other: string): number {
  if (!isNumber(one) || !isNumber(other))
    return compare(Number(isNumber(one)), Number(isNumber(other))) || compare(one, other)
  // As digits: a number may be longer than can be counted with.
  const [left, right] = [one, other].map((digits) => digits.replace(/^0+/, '')) as [string, string]
  return compare(left.length, right.length) || compare(left, right)
}

/** Another app that an app needs, in this version at least (D78). */
export interface Requirement {
  code: string
  version: string
}

/** An app in its newest version. */
export interface PublishedApp {
  code: string
  version: string
  requires: readonly Requirement[]
}

export interface AppFaults {
  /** Needed, and not brought by the set or not published at all. */
  missing: string[]
  /** Circles of requirements, each beginning with its first code. */
  loops: string[][]
  /** Apps with the requirements that the newest version of the other app is too old for. */
  incompatible: { code: string; requires: Requirement[] }[]
}

/**
 * What is wrong with a set of apps: with those that it brings and with all that these need, at first hand or at second,
 * so that one test names everything that is to be added. In the order of the codes.
 */
export function appFaults(published: readonly PublishedApp[], brought: readonly string[]): AppFaults {
  const newest = new Map(published.map((app) => [app.code, app]))
  const needsOf = (code: string) => newest.get(code)?.requires ?? []
  const ownCodes = new Set(brought)
  const codes = [...reached(ownCodes, (code) => codesOf(needsOf(code)))].toSorted()
  const isTooOld = ({ code, version }: Requirement) => {
    const there = newest.get(code)
    return there !== undefined && compareVersions(there.version, version) < 0
  }
  return {
    missing: codes.filter((code) => !ownCodes.has(code) || !newest.has(code)),
    loops: circlesIn(new Map(codes.map((code) => [code, codesOf(needsOf(code))]))),
    incompatible: codes.flatMap((code) => {
      const requires = needsOf(code).filter(isTooOld).toSorted(inOrder)
      return requires.length === 0 ? [] : [{ code, requires }]
    }),
  }
}

/** A module, as far as a test of a set of them needs to know it. */
export interface TestedModule extends Dependent, Joining {
  hidden: boolean
  apps: readonly { code: string }[]
}

/**
 * The set with all that it requires, as it would be ordered: what its modules depend on, and what brings a hidden one in
 * where all of that is needed. In the order of `modules`.
 */
export function requiredModules(modules: readonly TestedModule[], codes: readonly string[]): string[] {
  const byCode = new Map(modules.map((module) => [module.code, module]))
  const needs = (code: string): readonly string[] => {
    const module = byCode.get(code)
    if (!module) return []
    return module.hidden && !module.any_condition ? [...module.dependencies, ...module.conditions] : module.dependencies
  }
  const all = reached(codes, needs)
  return modules.flatMap(({ code }) => (all.has(code) ? [code] : []))
}

/** What is wrong with the apps of a set of modules, all that it requires and the hidden modules that it brings in (contracts 4, 8). */
export function moduleFaults(
  modules: readonly TestedModule[],
  published: readonly PublishedApp[],
  codes: readonly string[],
): AppFaults {
  const required = requiredModules(modules, codes)
  const chosen = new Set(required)
  const own = modules.filter(({ code }) => chosen.has(code))
  const joining = joined(
    modules.filter(({ hidden }) => hidden),
    required,
  )
  const brought = [...own, ...joining].flatMap(({ apps }) => apps.map(({ code }) => code))
  return appFaults(published, [...new Set(brought)])
}

const inOrder = (one: Requirement, other: Requirement) =>
  compare(one.code, other.code) || compareVersions(one.version, other.version)
const codesOf = (needs: readonly Requirement[]) => [...new Set(needs.map(({ code }) => code))].toSorted()
