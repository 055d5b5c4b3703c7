/** Price lists: what applies from a day on, for one client type. */
import type { BackupPrices, PriceList } from '#domain/fees/price-list.ts'

/** The fields of a list that nothing was entered in. */
export const emptyFees = {
  uat_charge: '0.00',
  uat_cap_hkd: '0.00',
  uat_cap_usd: '0.00',
  uat_cap_rmb: '0.00',
  min_concurrent_user: 0,
  min_named_user: 0,
  min_fee_hkd: '0.00',
  min_fee_usd: '0.00',
  min_fee_rmb: '0.00',
}

/** A list that waits on this device, as it will look; what its form does not name is empty. */
export const listedHere = <F extends { type: string; effective_date: string; desc: string }>(
  fields: F,
  named: { intent: string },
) => ({
  ...emptyFees,
  ...fields,
  confirmed: false,
  withdrawn: false,
  id: `~${named.intent}` as const,
  update_time: '',
  update_user_name: '',
  row_version: 0,
})

type Charges = Record<'hkd' | 'usd' | 'rmb', string>

/** A list whole, without its ids: amounts and percents are text with two decimals. */
export interface ComparedPrices extends Omit<PriceList, 'module'> {
  type?: string
  effective_date: string
  desc: string
  confirmed?: boolean
  module: readonly (Charges & { code: string })[]
  pdbPrice: BackupPrices | null
}

/**
 * `field`: `uat_charge`, `concurrentUser.1-10.hkd` by the users of the range, `module.basic.hkd` by its code,
 * `module` for the order of modules, `pdbPrice.pdb2s3_traffic`. Null: it is not there. A range whose limit was moved is
 * named by its former users; only then has it a `from` or a `to`.
 */
export interface PriceDifference {
  field: string
  before: string | null
  after: string | null
}

/**
 * Field by field, in the order of the form. Empty if and only if both say the same; `type` and `confirmed` count where both
 * have them. What was added or taken out is named with each of its fields. The order of modules differs where those that
 * both have stand otherwise to each other.
 */
export function priceDifferences(before: ComparedPrices, after: ComparedPrices): PriceDifference[] {
  const pairs = pairRanges(before, after)
  const [was, is] = [fieldsOf(before, pairs.before), fieldsOf(after, pairs.after)]
  const fields = new Set([...was.keys(), ...is.keys()])
  const [had, has] = [codesOf(before), codesOf(after)]
  const isMoved = shared(had, has).join() !== shared(has, had).join()
  const moved = { field: 'module', before: had.join(', '), after: has.join(', ') }
  return [
    ...[...fields].flatMap((field): PriceDifference[] => {
      const [one, other] = [was.get(field) ?? null, is.get(field) ?? null]
      const isUnsaid = (perhaps.has(field) || isRangeLimit(field)) && (one === null || other === null)
      return one === other || isUnsaid ? [] : [{ field, before: one, after: other }]
    }),
    ...(isMoved ? [moved] : []),
  ]
}

/** Every field of a list with its value, named as `PriceDifference` does, in the order of the form. */
export const priceFields = (list: ComparedPrices): [string, string][] =>
  [...fieldsOf(list, pairRanges(list, list).before)].filter(([field]) => !isRangeLimit(field))

/** What an uploaded list or a form may leave unsaid. */
const perhaps = new Set(['type', 'confirmed'])
const header = [
  'type',
  'effective_date',
  'desc',
  'confirmed',
  'uat_charge',
  'uat_cap_hkd',
  'uat_cap_usd',
  'uat_cap_rmb',
  'min_concurrent_user',
  'min_named_user',
  'min_fee_hkd',
  'min_fee_usd',
  'min_fee_rmb',
] as const

function fieldsOf(list: ComparedPrices, rangeNames: RangeNames): Map<string, string> {
  const found = new Map<string, string>()
  const say = (field: string, value: string | number | boolean | undefined) =>
    value === undefined ? undefined : found.set(field, String(value))
  for (const name of header) say(name, list[name])
  for (const users of userTables)
    for (const [at, range] of list[users].entries())
      for (const name of ['from', 'to', ...charges] as const)
        say(`${users}.${rangeNames[users][at]}.${name}`, range[name])
  const codes = codesOf(list)
  for (const [at, row] of list.module.entries())
    for (const name of charges) say(`module.${codes[at]}.${name}`, row[name])
  for (const name of Object.keys(list.pdbPrice ?? {}) as (keyof BackupPrices)[])
    say(`pdbPrice.${name}`, list.pdbPrice?.[name])
  return found
}

const charges = ['hkd', 'usd', 'rmb'] as const

function shared(codes: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return codes.filter((code) => known.has(code))
}

const userTables = ['concurrentUser', 'namedUser'] as const
type Range = ComparedPrices['concurrentUser'][number]
type RangeNames = Record<(typeof userTables)[number], readonly string[]>

const isRangeLimit = (field: string) => /^(concurrent|named)User\..+\.(from|to)$/.test(field)

/** The name of each range: a range of `after` has that of its counterpart in `before`. */
function pairRanges(before: ComparedPrices, after: ComparedPrices): { before: RangeNames; after: RangeNames } {
  const concurrent = pairedNames(before.concurrentUser, after.concurrentUser)
  const named = pairedNames(before.namedUser, after.namedUser)
  return {
    before: { concurrentUser: concurrent.before, namedUser: named.before },
    after: { concurrentUser: concurrent.after, namedUser: named.after },
  }
}

const samenesses: readonly ((one: Range, other: Range) => boolean)[] = [
  (one, other) => one.from === other.from && one.to === other.to,
  (one, other) => one.from === other.from,
  (one, other) => one.to === other.to,
]

function pairedNames(before: readonly Range[], after: readonly Range[]) {
  const users = ({ from, to }: Range) => `${from}-${to}`
  const names = numberRepeated(before.map(users))
  const unpaired = new Map(names.map((name, at) => [name, before[at] as Range]))
  const paired = new Map<number, string>()
  for (const isSame of samenesses)
    for (const [at, range] of after.entries()) {
      if (paired.has(at)) continue
      const [name] = [...unpaired].find(([, one]) => isSame(one, range)) ?? []
      if (name === undefined) continue
      paired.set(at, name)
      unpaired.delete(name)
    }
  const all = numberRepeated([...names, ...after.flatMap((range, at) => (paired.has(at) ? [] : [users(range)]))])
  const added = all.slice(names.length).values()
  return { before: names, after: after.map((_range, at) => paired.get(at) ?? added.next().value ?? '') }
}

/** A form may hold a module twice: the second time it is `basic#2`. */
const codesOf = ({ module }: ComparedPrices): string[] => numberRepeated(module.map(({ code }) => code))

function numberRepeated(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  })
}
