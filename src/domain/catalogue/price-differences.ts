import type { BackupPrices, Charges, PriceList } from '#domain/fees/price-list.ts'

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

/** Optimistic row of a queued new price list. Missing form fields are empty. */
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

/** A complete list without ids. Amounts and percentages are strings with two decimals. */
export interface ComparedPriceList extends Omit<PriceList, 'module'> {
  type?: string
  effective_date: string
  desc: string
  confirmed?: boolean
  module: readonly (Charges & { code: string })[]
  pdbPrice: BackupPrices | null
}

/**
 * `field` examples: `uat_charge`, `concurrentUser.1-10.hkd` by user range, `module.basic.hkd` by code, `module` for the order of modules,
 * `pdbPrice.pdb2s3_traffic`. Null if the field does not exist. A range whose limit changed is named by its previous limits; only such a
 * range has differences in `from` or `to`.
 */
export interface PriceDifference {
  field: string
  before: string | null
  after: string | null
}

/**
 * Returns the differences in form order. Empty if and only if the lists have the same content. `type` and `confirmed` are compared only if
 * both lists have them. An added or removed item is listed with each of its fields. The order of modules differs if the common modules are
 * in a different order.
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

/** Returns all fields of a list with their values, in form order, named like in `PriceDifference`. */
export const listPriceFields = (list: ComparedPriceList): [string, string][] =>
  [...readFields(list, pairRangeNames(list, list).previousNames)].filter(([field]) => !isRangeLimit(field))

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

/** Returns the names of the ranges. A current range has the name of its counterpart in the previous list. */
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

/** Returns the codes of the modules. A form may contain a module twice; the second one is named `basic#2`. */
const getModuleCodes = ({ module }: ComparedPriceList): string[] => numberRepeated(module.map(({ code }) => code))

function numberRepeated(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  })
}
