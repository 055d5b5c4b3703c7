/** Price lists: what applies from a day on, for one client type. */
import type { BackupPrices } from '#domain/checks/price-checks.ts'
import type { PriceList } from '#domain/fees/price-list.ts'

/** A list that waits on this device, as it will look; what its form does not name is empty. */
export const listedHere = <F extends { type: string; effective_date: string; desc: string }>(
  fields: F,
  named: { intent: string },
) => ({
  uat_charge: '0.00',
  uat_cap_hkd: '0.00',
  uat_cap_usd: '0.00',
  uat_cap_rmb: '0.00',
  min_concurrent_user: 0,
  min_named_user: 0,
  min_fee_hkd: '0.00',
  min_fee_usd: '0.00',
  min_fee_rmb: '0.00',
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
 * `field`: `uat_charge`, `concurrentUser.2.hkd` by the place of the range from 0 on, `module.basic.hkd` by its code,
 * `module` for the order of modules, `pdbPrice.pdb2s3_traffic`. Null: it is not there.
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
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  const fields = new Set([...was.keys(), ...is.keys()])
  const [had, has] = [codesOf(before), codesOf(after)]
  const isMoved = shared(had, has).join() !== shared(has, had).join()
  const moved = { field: 'module', before: had.join(', '), after: has.join(', ') }
  return [
    ...[...fields].flatMap((field): PriceDifference[] => {
      const [one, other] = [was.get(field) ?? null, is.get(field) ?? null]
      const isUnsaid = perhaps.has(field) && (one === null || other === null)
      return one === other || isUnsaid ? [] : [{ field, before: one, after: other }]
    }),
    ...(isMoved ? [moved] : []),
  ]
}

/** Every field of a list with its value, named as `PriceDifference` does, in the order of the form. */
export const priceFields = (list: ComparedPrices): [string, string][] => [...fieldsOf(list)]

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

function fieldsOf(list: ComparedPrices): Map<string, string> {
  const found = new Map<string, string>()
  const say = (field: string, value: string | number | boolean | undefined) =>
    value === undefined ? undefined : found.set(field, String(value))
  for (const name of header) say(name, list[name])
  for (const users of ['concurrentUser', 'namedUser'] as const)
    for (const [at, range] of list[users].entries())
      for (const name of ['from', 'to', ...charges] as const) say(`${users}.${at}.${name}`, range[name])
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

/** A form may hold a module twice: the second time it is `basic#2`. */
const codesOf = ({ module }: ComparedPrices): string[] => {
  const met = new Map<string, number>()
  return module.map(({ code }) => {
    const times = (met.get(code) ?? 0) + 1
    met.set(code, times)
    return times === 1 ? code : `${code}#${times}`
  })
}
