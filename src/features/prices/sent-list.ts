/** What is sent of a price list's form, and what is wrong with it: the checks of contracts 5, the same ones as the server's. */
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { createPriceList } from '#contract/prices.ts'
import { noHiddenCharacter, required } from '#domain/checks/field-checks.ts'
import { checkPriceList, type PriceContent, rangesInOrder } from '#domain/checks/price-checks.ts'
import { isDate } from '#domain/period.ts'
import { tidyText } from '#domain/text.ts'
import type { AnyProblem } from '#ui/i18n/order-field-messages.ts'
import {
  amountNames,
  backupNames,
  charges,
  headerNames,
  minimumNames,
  type Table,
  type TierTable,
  type Values,
} from '#features/prices/price-list-form.ts'

type Body = ParsedInputOf<typeof createPriceList>['body']
/** All of a list: a form leaves nothing out. */
export type SentList = { [Name in Exclude<keyof Body, 'confirmed' | 'type'>]-?: Exclude<Body[Name], undefined> }

/** Where it is wrong: a field of the header or the backup block by its name, a cell of a row by the row's key. */
export interface PlacedProblem {
  table: Table | null
  key: number
  name: string
  problem: AnyProblem
}

/** What a form can be checked against on this device. */
export interface Known {
  /** Module ids by code; null: the catalogue is not here whole, and the server says what there is none of. */
  modules: ReadonlyMap<string, number> | null
  /** Effective dates of the other lists of this client type. */
  taken: ReadonlySet<string>
  /** Of modules that the list had already when it was opened, which may have left the catalogue since. */
  formerIds: ReadonlyMap<string, number>
}

/**
 * An amount or percent as it is kept, "1234.50", of what people type: full-width digits, spaces and commas between thousands, no
 * decimals. Null: it cannot be read. What is negative is read, and refused by its check.
 */
export function amountOf(text: string): string | null {
  const plain = text.normalize('NFKC').replaceAll(/\s/g, '')
  const found = /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{0,2}))?$/.exec(plain)
  if (!found) return null
  const [, sign = '', whole = '', cents = ''] = found
  const digits = whole.replaceAll(',', '').replace(/^0+(?=\d)/, '')
  return digits.length > 11 ? null : `${sign}${digits}.${cents.padEnd(2, '0')}`
}

/** A number of users; null: it cannot be read, and -1 stands for all below 0. */
export function wholeOf(text: string): number | null {
  const plain = text.normalize('NFKC').replaceAll(/[\s,]/g, '')
  if (/^-\d+$/.test(plain)) return -1
  return /^\d{1,9}$/.test(plain) ? Number(plain) : null
}

const maxUsers = 999_999
const emptyAmount = '0.00'

export interface Reading {
  list: SentList
  wrong: PlacedProblem[]
  /** Of the rows that are sent, in their order. */
  keys: Record<Table, readonly number[]>
}

/** Rows with no code or for nobody are dropped (contracts 5, T11). What cannot be read is 0 in `list`, and stands in `wrong`. */
export function readForm(values: Values, known: Known): Reading {
  const wrong: PlacedProblem[] = []
  const add = (table: Table | null, key: number, name: string, problem: Omit<AnyProblem, 'field'>) =>
    wrong.push({ table, key, name, problem: { field: name, ...problem } as AnyProblem })
  const amount = (text: string, table: Table | null, key: number, name: string, needed = false): string => {
    if (text.trim() === '') {
      if (needed) add(table, key, name, { code: 'REQUIRED' })
      return emptyAmount
    }
    const found = amountOf(text)
    if (found === null) add(table, key, name, { code: 'INVALID_FORMAT' })
    return found ?? emptyAmount
  }
  /** Null: it cannot be read, or is out of range. */
  const users = (text: string, table: Table | null, key: number, name: string): number | null => {
    const found = text.trim() === '' ? 0 : wholeOf(text)
    if (found === null) add(table, key, name, { code: 'INVALID_FORMAT' })
    else if (found >= 0 && found <= maxUsers) return found
    else add(table, key, name, { code: 'OUT_OF_RANGE', limit: found < 0 ? 0 : maxUsers })
    return null
  }
  const { header } = values
  const keys: Record<Table, number[]> = { concurrentUser: [], namedUser: [], module: [] }
  const priced = <R extends { key: number; hkd: string; usd: string; rmb: string }>(table: Table, row: R) => {
    keys[table].push(row.key)
    const prices = charges.map((name) => [name, amount(row[name], table, row.key, name, true)] as const)
    return Object.fromEntries(prices) as Record<(typeof charges)[number], string>
  }
  const tiers = (table: TierTable) =>
    rangesInOrder(
      values[table].flatMap((row) => {
        const to = users(row.to, table, row.key, 'to')
        return to === 0 ? [] : [{ from: 0, to: to ?? 1, ...priced(table, row) }]
      }),
    ).map(({ id: _id, ...row }) => row)
  const day = header.effective_date.trim()
  const list: SentList = {
    effective_date: day,
    desc: tidyText(header.desc),
    uat_charge: amount(header.uat_charge, null, 0, 'uat_charge'),
    ...named(amountNames, (name) => amount(header[name], null, 0, name)),
    ...named(minimumNames, (name) => users(header[name], null, 0, name) ?? 0),
    concurrentUser: tiers('concurrentUser'),
    namedUser: tiers('namedUser'),
    module: values.module.flatMap((row) => {
      const code = row.code.trim()
      if (code === '') return []
      const id = known.modules?.get(code) ?? known.formerIds.get(code)
      if (id === undefined && known.modules) add('module', row.key, 'code', { code: 'MODULE_UNKNOWN', named: code })
      return [{ code, module_id: id ?? 0, ...priced('module', row) }]
    }),
    pdbPrice:
      values.pdbPrice &&
      named(backupNames, (name) => amount(values.pdbPrice?.[name] ?? '', null, 0, `pdbPrice.${name}`)),
  }
  if (day === '') add(null, 0, 'effective_date', { code: 'REQUIRED' })
  else if (!isDate(day)) add(null, 0, 'effective_date', { code: 'INVALID_FORMAT' })
  else if (known.taken.has(day)) add(null, 0, 'effective_date', { code: 'DUPLICATE', named: day })
  const wrongDesc = required(list.desc) ?? noHiddenCharacter(list.desc)
  if (wrongDesc) add(null, 0, 'desc', wrongDesc)
  const content = { ...list, ...withIds(list) } as PriceContent
  // What could not be read has been said, and stands as 0 here.
  const found = checkPriceList(content).map((problem) => placed(problem, keys))
  const said = new Set(wrong.map(placeOf))
  return { list, keys, wrong: [...wrong, ...found.filter((one) => !said.has(placeOf(one)))] }
}

/** Names the place: two problems of one place are told once. */
export const placeOf = ({ table, key, name }: PlacedProblem) => `${table} ${key} ${name}`

const named = <N extends string, V>(names: readonly N[], of: (name: N) => V) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<N, V>

const withIds = ({ concurrentUser = [], namedUser = [], module = [] }: SentList) => {
  const withId = <R>(rows: readonly R[]) => rows.map((row, at) => ({ id: at + 1, ...row }))
  return { concurrentUser: withId(concurrentUser), namedUser: withId(namedUser), module: withId(module) }
}

/** A problem of the list as it is sent, at the row of the form that it came from. The server's are of the same kind. */
export function placed(problem: AnyProblem, keys: Record<Table, readonly number[]>): PlacedProblem {
  const found = /^(concurrentUser|namedUser|module)\.(\d+)\.(\w+)$/.exec(problem.field)
  const [, table, at, name] = found ?? []
  if (!table || !name) return { table: null, key: 0, name: problem.field, problem }
  return { table: table as Table, key: keys[table as Table][Number(at)] ?? 0, name, problem }
}

/** Whether the form has that field of a refusal: what is wrong with any other is said above the form. */
export const hasField = (field: string): boolean =>
  /^(concurrentUser|namedUser|module)\.\d+\.\w+$/.test(field) ||
  headerNames.some((name) => name === field) ||
  backupNames.some((name) => `pdbPrice.${name}` === field)

/** What differs; a PUT leaves the rest alone. */
export const changesOf = (now: SentList, before: SentList): Partial<SentList> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof SentList]),
    ),
  )
