/** What a module of the catalogue may be (contracts 5, M137 to M139, D77, D80): the same under the form and in the server. */
import { type FieldProblem, noHiddenCharacter } from '#domain/checks/field-checks.ts'
import type { OrderProblem } from '#domain/checks/order-checks.ts'
import { type Dependent, moduleLoop } from '#domain/catalogue/modules.ts'
import { isObjectName } from '#domain/checks/json-checks.ts'
import { isReserved } from '#domain/checks/reserved-words.ts'
import { foldText } from '#domain/text.ts'

export type ModuleProblem = FieldProblem | OrderProblem

/** What an app lets a module tell it. */
export interface AppFlag {
  key: string
  type: 'boolean' | 'int'
}

/** An app of a module, with what it is told; a flag that is not told has its default. */
export interface ModuleApp {
  code: string
  flag: Readonly<Record<string, boolean | number>>
}

export interface ModuleFields {
  /** Null: a hidden one that is made is given a code by the server (D80). */
  code: string | null
  name: string
  hidden: boolean
  dependencies: readonly string[]
  conditions: readonly string[]
  apps: readonly ModuleApp[]
}

/** The other modules of the same type. */
export interface OtherModule extends Dependent {
  hidden: boolean
}

/** The flags of every published app, by its code. */
export type KnownApps = ReadonlyMap<string, readonly AppFlag[]>

const codeShape = /^\w{1,60}$/
/** What an app keeps of a flag of type int. */
const maxInt = 2_147_483_647

/**
 * `apps`: null where they are not known, as on a device that has no list of them; the server then says what else is wrong with them.
 * Codes are told apart without case. `savedName`: one that stands already stays allowed, whatever it is.
 */
export function checkModule(
  fields: ModuleFields,
  others: readonly OtherModule[],
  apps: KnownApps | null,
  savedName: string | null = null,
): ModuleProblem[] {
  const { name, hidden, conditions, dependencies } = fields
  const visible = new Set(others.flatMap((other) => (other.hidden ? [] : [other.code])))
  const all = new Set(others.map(({ code }) => code))
  const own = fields.code ?? ''
  const hiddenName = name === savedName ? null : noHiddenCharacter(name)
  const loop = own === '' ? [] : moduleLoop([...others, { code: own, dependencies }], own)
  return [
    ...checkCode(fields, others),
    ...(name.trim() === '' ? [{ field: 'name', code: 'REQUIRED' as const }] : []),
    ...(hiddenName ? [{ field: 'name', ...hiddenName }] : []),
    ...unknown('dependencies', dependencies, (code) => code === own || all.has(code)),
    ...(loop.length > 0 ? [{ field: 'dependencies', code: 'MODULE_LOOP' as const, named: loop.join(', ') }] : []),
    ...unknown('conditions', conditions, (code) => visible.has(code)),
    ...(hidden && conditions.length === 0 ? [{ field: 'conditions', code: 'REQUIRED' as const }] : []),
    ...(hidden && fields.apps.length === 0 ? [{ field: 'apps', code: 'NO_APP' as const }] : []),
    ...(apps ? checkApps(fields.apps, apps) : checkValues(fields.apps)),
  ]
}

function checkCode({ code, hidden }: ModuleFields, others: readonly OtherModule[]): ModuleProblem[] {
  if (code === null || code === '') return hidden ? [] : [{ field: 'code', code: 'REQUIRED' }]
  if (!codeShape.test(code)) return [{ field: 'code', code: 'INVALID_FORMAT' }]
  if (isReserved(code) || isObjectName(code)) return [{ field: 'code', code: 'RESERVED', named: code }]
  const folded = foldText(code)
  return others.some((other) => foldText(other.code) === folded)
    ? [{ field: 'code', code: 'DUPLICATE', named: code }]
    : []
}

function unknown(
  field: 'dependencies' | 'conditions',
  codes: readonly string[],
  isKnown: (code: string) => boolean,
): ModuleProblem[] {
  const named = codes.filter((code) => !isKnown(code))
  return named.length === 0 ? [] : [{ field, code: 'MODULE_UNKNOWN', named: named.join(', ') }]
}

function checkApps(chosen: readonly ModuleApp[], apps: KnownApps): ModuleProblem[] {
  const codes = chosen.map(({ code }) => code)
  const twice = codes.filter((code, at) => codes.indexOf(code) !== at)
  const none = codes.filter((code) => !apps.has(code))
  const told = toldIn(chosen).map((one) => ({
    ...one,
    known: apps.get(one.code)?.find(({ key }) => key === one.key),
    isPublished: apps.has(one.code),
  }))
  const strange = told.filter(({ known, isPublished }) => isPublished && !known).map(({ name }) => name)
  const wrong = told.filter(({ known, value }) => known && !fits(known, value)).map(({ name }) => name)
  return [
    ...about('APP_TWICE', twice),
    ...about('APP_UNKNOWN', none),
    ...about('FLAG_UNKNOWN', strange),
    ...about('FLAG_TYPE', wrong),
  ]
}

/** What no app can be told, whatever its flags are. */
function checkValues(chosen: readonly ModuleApp[]): ModuleProblem[] {
  const wrong = toldIn(chosen).filter(({ value }) => typeof value !== 'boolean' && !isInt(value))
  return about(
    'FLAG_TYPE',
    wrong.map(({ name }) => name),
  )
}

const toldIn = (chosen: readonly ModuleApp[]) =>
  chosen.flatMap(({ code, flag }) =>
    Object.entries(flag).map(([key, value]) => ({ code, key, name: `${code}.${key}`, value })),
  )

const about = (code: 'APP_TWICE' | 'APP_UNKNOWN' | 'FLAG_UNKNOWN' | 'FLAG_TYPE', names: string[]): ModuleProblem[] =>
  names.length === 0 ? [] : [{ field: 'apps', code, named: [...new Set(names)].join(', ') }]

const isInt = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= maxInt

const fits = ({ type }: AppFlag, value: unknown): boolean =>
  type === 'boolean' ? typeof value === 'boolean' : isInt(value)
