/** Rules for a module of the catalogue (contracts 5, M137 to M139, D77, D80), used by the form and the server. */
import { type FieldProblem, checkHiddenCharacter } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { type ModuleDependencies, findModuleCycle } from '#domain/catalogue/modules.ts'
import { isObjectName } from '#domain/checks/json-checks.ts'
import { isReserved } from '#domain/checks/reserved-words.ts'
import { normaliseText } from '#domain/text.ts'

export type ModuleProblem = FieldProblem | OrderProblem

export interface AppFlag {
  key: string
  type: 'boolean' | 'int'
}

/** An app of a module with its settings. A flag that is missing has its default value. */
export interface ModuleApp {
  code: string
  flag: Readonly<Record<string, boolean | number>>
}

export interface ModuleFields {
  /** Null for a new hidden module: the server assigns the code (D80). */
  code: string | null
  name: string
  hidden: boolean
  dependencies: readonly string[]
  conditions: readonly string[]
  apps: readonly ModuleApp[]
}

export interface OtherModule extends ModuleDependencies {
  hidden: boolean
}

export type FlagsByApp = ReadonlyMap<string, readonly AppFlag[]>

const codePattern = /^\w{1,60}$/
const maxInt = 2_147_483_647

/**
 * `apps` is null if the apps are unknown, as on a device without the app list; the server then checks them. Codes are compared without
 * case. `savedName`: the saved name is always allowed, even if it breaks the rules.
 */
export function checkModule(
  fields: ModuleFields,
  otherModules: readonly OtherModule[],
  apps: FlagsByApp | null,
  savedName: string | null = null,
): ModuleProblem[] {
  const { name, hidden, conditions, dependencies } = fields
  const visibleCodes = new Set(otherModules.flatMap((otherModule) => (otherModule.hidden ? [] : [otherModule.code])))
  const allCodes = new Set(otherModules.map(({ code }) => code))
  const ownCode = fields.code ?? ''
  const hiddenCharacter = name === savedName ? null : checkHiddenCharacter(name)
  const cycle = ownCode === '' ? [] : findModuleCycle([...otherModules, { code: ownCode, dependencies }], ownCode)
  return [
    ...checkCode(fields, otherModules),
    ...(name.trim() === '' ? [{ field: 'name', code: 'REQUIRED' as const }] : []),
    ...(hiddenCharacter ? [{ field: 'name', ...hiddenCharacter }] : []),
    ...checkKnownModules('dependencies', dependencies, (code) => code === ownCode || allCodes.has(code)),
    ...(cycle.length > 0 ? [{ field: 'dependencies', code: 'MODULE_LOOP' as const, named: cycle.join(', ') }] : []),
    ...checkKnownModules('conditions', conditions, (code) => visibleCodes.has(code)),
    ...(hidden && conditions.length === 0 ? [{ field: 'conditions', code: 'REQUIRED' as const }] : []),
    ...(hidden && fields.apps.length === 0 ? [{ field: 'apps', code: 'NO_APP' as const }] : []),
    ...(apps ? checkApps(fields.apps, apps) : checkValues(fields.apps)),
  ]
}

function checkCode({ code, hidden }: ModuleFields, otherModules: readonly OtherModule[]): ModuleProblem[] {
  if (code === null || code === '') return hidden ? [] : [{ field: 'code', code: 'REQUIRED' }]
  if (!codePattern.test(code)) return [{ field: 'code', code: 'INVALID_FORMAT' }]
  if (isReserved(code) || isObjectName(code)) return [{ field: 'code', code: 'RESERVED', named: code }]
  const normalisedCode = normaliseText(code)
  return otherModules.some((otherModule) => normaliseText(otherModule.code) === normalisedCode)
    ? [{ field: 'code', code: 'DUPLICATE', named: code }]
    : []
}

function checkKnownModules(
  field: 'dependencies' | 'conditions',
  codes: readonly string[],
  isKnown: (code: string) => boolean,
): ModuleProblem[] {
  const unknownCodes = codes.filter((code) => !isKnown(code))
  return unknownCodes.length === 0 ? [] : [{ field, code: 'MODULE_UNKNOWN', named: unknownCodes.join(', ') }]
}

function checkApps(moduleApps: readonly ModuleApp[], apps: FlagsByApp): ModuleProblem[] {
  const codes = moduleApps.map(({ code }) => code)
  const repeatedCodes = codes.filter((code, index) => codes.indexOf(code) !== index)
  const unknownCodes = codes.filter((code) => !apps.has(code))
  const flagValues = listFlagValues(moduleApps).map((flagValue) => ({
    ...flagValue,
    appFlag: apps.get(flagValue.code)?.find(({ key }) => key === flagValue.key),
    isPublished: apps.has(flagValue.code),
  }))
  const unknownFlags = flagValues.filter(({ appFlag, isPublished }) => isPublished && !appFlag).map(({ name }) => name)
  const wrongFlags = flagValues
    .filter(({ appFlag, value }) => appFlag && !isFlagValue(appFlag, value))
    .map(({ name }) => name)
  return [
    ...createProblems('APP_TWICE', repeatedCodes),
    ...createProblems('APP_UNKNOWN', unknownCodes),
    ...createProblems('FLAG_UNKNOWN', unknownFlags),
    ...createProblems('FLAG_TYPE', wrongFlags),
  ]
}

/** Checks that values have a type that a flag can have, without knowing the app's flags. */
function checkValues(moduleApps: readonly ModuleApp[]): ModuleProblem[] {
  const wrongFlags = listFlagValues(moduleApps).filter(({ value }) => typeof value !== 'boolean' && !isInt(value))
  return createProblems(
    'FLAG_TYPE',
    wrongFlags.map(({ name }) => name),
  )
}

const listFlagValues = (moduleApps: readonly ModuleApp[]) =>
  moduleApps.flatMap(({ code, flag }) =>
    Object.entries(flag).map(([key, value]) => ({ code, key, name: `${code}.${key}`, value })),
  )

const createProblems = (
  code: 'APP_TWICE' | 'APP_UNKNOWN' | 'FLAG_UNKNOWN' | 'FLAG_TYPE',
  names: string[],
): ModuleProblem[] => (names.length === 0 ? [] : [{ field: 'apps', code, named: [...new Set(names)].join(', ') }])

const isInt = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= maxInt

const isFlagValue = ({ type }: AppFlag, value: unknown): boolean =>
  type === 'boolean' ? typeof value === 'boolean' : isInt(value)
