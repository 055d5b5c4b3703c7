/** Price lists: what applies from a day on, for one client type. */
import type { BackupPrices, Charges, PriceList } from '#domain/fees/price-list.ts'

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
export const toPendingPriceList = <F extends { type: string; effective_date: string; desc: string }>(
  fields: F,
  write: { intent: string },
) => ({
  ...emptyFees,
  ...fields,
  confirmed: false,
  withdrawn: false,
  id: `~${write.intent}` as const,
  update_time: '',
  update_user_name: '',
  row_version: 0,
})

/** A list whole, without its ids: amounts and percents are text with two decimals. */
export interface ComparedPriceList extends Omit<PriceList, 'module'> {
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
export function findPriceDifferences(
  previousList: ComparedPriceList,
  currentList: ComparedPriceList,
): PriceDifference[] {
  const pairs = pairRangeNames(previousList, currentList)
  const [previousFields, currentFields] = [
    readFields(previousList, pairs.previousNames),
    readFields(currentList, pairs.currentNames),
  ]
  const fields = new Set([...previousFields.keys(), ...currentFields.keys()])
  const [previousCodes, currentCodes] = [getModuleCodes(previousList), getModuleCodes(currentList)]
  const isMoved =
    intersectCodes(previousCodes, currentCodes).join() !== intersectCodes(currentCodes, previousCodes).join()
  const orderDifference = { field: 'module', before: previousCodes.join(', '), after: currentCodes.join(', ') }
  return [
    ...[...fields].flatMap((field): PriceDifference[] => {
      const [previousValue, currentValue] = [previousFields.get(field) ?? null, currentFields.get(field) ?? null]
      const isOmitted =
        (omittableFields.has(field) || isRangeLimit(field)) && (previousValue === null || currentValue === null)
      return previousValue === currentValue || isOmitted ? [] : [{ field, before: previousValue, after: currentValue }]
    }),
    ...(isMoved ? [orderDifference] : []),
  ]
}

/** Every field of a list with its value, named as `PriceDifference` does, in the order of the form. */
export const listPriceFields = (list: ComparedPriceList): [string, string][] =>
  [...readFields(list, pairRangeNames(list, list).previousNames)].filter(([field]) => !isRangeLimit(field))

/** What an uploaded list or a form may leave unsaid. */
const omittableFields = new Set(['type', 'confirmed'])
const headerFields = [
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

function readFields(list: ComparedPriceList, rangeNames: RangeNames): Map<string, string> {
  const fields = new Map<string, string>()
  const setField = (field: string, value: string | number | boolean | undefined) =>
    value === undefined ? undefined : fields.set(field, String(value))
  for (const name of headerFields) setField(name, list[name])
  for (const users of userTables)
    for (const [index, range] of list[users].entries())
      for (const name of ['from', 'to', ...charges] as const)
        setField(`${users}.${rangeNames[users][index]}.${name}`, range[name])
  const codes = getModuleCodes(list)
  for (const [index, row] of list.module.entries())
    for (const name of charges) setField(`module.${codes[index]}.${name}`, row[name])
  for (const name of Object.keys(list.pdbPrice ?? {}) as (keyof BackupPrices)[])
    setField(`pdbPrice.${name}`, list.pdbPrice?.[name])
  return fields
}

const charges = ['hkd', 'usd', 'rmb'] as const

function intersectCodes(codes: readonly string[], comparedCodes: readonly string[]): string[] {
  const otherCodes = new Set(comparedCodes)
  return codes.filter((code) => otherCodes.has(code))
}

const userTables = ['concurrentUser', 'namedUser'] as const
type ComparedRange = ComparedPriceList['concurrentUser'][number]
type RangeNames = Record<(typeof userTables)[number], readonly string[]>

const isRangeLimit = (field: string) => /^(concurrent|named)User\..+\.(from|to)$/.test(field)

/** The name of each range: a range of `after` has that of its counterpart in `before`. */
function pairRangeNames(
  previousList: ComparedPriceList,
  currentList: ComparedPriceList,
): { previousNames: RangeNames; currentNames: RangeNames } {
  const concurrentUserNames = pairNames(previousList.concurrentUser, currentList.concurrentUser)
  const namedUserNames = pairNames(previousList.namedUser, currentList.namedUser)
  return {
    previousNames: { concurrentUser: concurrentUserNames.before, namedUser: namedUserNames.before },
    currentNames: { concurrentUser: concurrentUserNames.after, namedUser: namedUserNames.after },
  }
}

const rangeMatchers: readonly ((a: ComparedRange, b: ComparedRange) => boolean)[] = [
  (a, b) => a.from === b.from && a.to === b.to,
  (a, b) => a.from === b.from,
  (a, b) => a.to === b.to,
]

function pairNames(previousRanges: readonly ComparedRange[], currentRanges: readonly ComparedRange[]) {
  const formatUsers = ({ from, to }: ComparedRange) => `${from}-${to}`
  const names = numberRepeated(previousRanges.map(formatUsers))
  const unpairedRanges = new Map(names.map((name, index) => [name, previousRanges[index] as ComparedRange]))
  const nameByIndex = new Map<number, string>()
  for (const isSame of rangeMatchers)
    for (const [index, range] of currentRanges.entries()) {
      if (nameByIndex.has(index)) continue
      const [name] = [...unpairedRanges].find(([, previousRange]) => isSame(previousRange, range)) ?? []
      if (name === undefined) continue
      nameByIndex.set(index, name)
      unpairedRanges.delete(name)
    }
  const allNames = numberRepeated([
    ...names,
    ...currentRanges.flatMap((range, index) => (nameByIndex.has(index) ? [] : [formatUsers(range)])),
  ])
  const addedNames = allNames.slice(names.length).values()
  return {
    before: names,
    after: currentRanges.map((_range, index) => nameByIndex.get(index) ?? addedNames.next().value ?? ''),
  }
}

/** A form may hold a module twice: the second time it is `basic#2`. */
const getModuleCodes = ({ module }: ComparedPriceList): string[] => numberRepeated(module.map(({ code }) => code))

function numberRepeated(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  })
}
