/** A price list's form: its values as they are typed, and how they meet a list that somebody else has changed meanwhile. */
import type { OutputOf, VersionedRow } from '#contract/endpoint.ts'
import type { getPriceList } from '#contract/prices.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { currencies } from '#domain/money.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

/** With its ranges, modules and backup prices. */
export type FullPriceList = Omit<OutputOf<typeof getPriceList>, 'id'> & VersionedRow
/** With the waiting write of this device over it. */
export type OpenedPriceList = OverlaidRow<FullPriceList>

export const priceCurrencies = ['hkd', 'usd', 'rmb'] as const
export type PriceCurrency = (typeof priceCurrencies)[number]
export type CurrencyTexts = Record<PriceCurrency, string>

/** `key`: which row it is while the form is open, wherever it is moved to. */
export interface RangeRow extends CurrencyTexts {
  key: number
  /** The users that it begins with follow from the ranges before it (D82). */
  to: string
}
export interface PriceModuleRow extends CurrencyTexts {
  key: number
  code: string
}

const toCurrencyNames = <N extends string>(name: N) =>
  currencies.map((currency) => `${name}_${currency.toLowerCase() as PriceCurrency}` as const)

export const amountFieldNames = [...toCurrencyNames('uat_cap'), ...toCurrencyNames('min_fee')] as const
export const minimumFieldNames = ['min_concurrent_user', 'min_named_user'] as const
export const headerFieldNames = [
  'effective_date',
  'desc',
  'uat_charge',
  ...amountFieldNames,
  ...minimumFieldNames,
] as const
export type HeaderFieldName = (typeof headerFieldNames)[number]

export const backupFieldNames = [
  ...toCurrencyNames('pdb2s3_fee'),
  'pdb2s3_traffic',
  ...toCurrencyNames('pdb2s3_up'),
  'pdb2s3_discount',
  ...toCurrencyNames('pdb2rds_fee'),
  'pdb2rds_discount',
] as const satisfies (keyof BackupPrices)[]
export type BackupFieldName = (typeof backupFieldNames)[number]

export const tierTables = ['concurrentUser', 'namedUser'] as const
export type TierTableName = (typeof tierTables)[number]
export type PriceTableName = TierTableName | 'module'

/** All of it is text, as it stands in the fields. */
export interface PriceListValues {
  header: Record<HeaderFieldName, string>
  concurrentUser: readonly RangeRow[]
  namedUser: readonly RangeRow[]
  module: readonly PriceModuleRow[]
  /** Null: this list sells no backups. */
  pdbPrice: Record<BackupFieldName, string> | null
}

let lastKey = 0
export const createKey = () => ++lastKey

const noPrices: CurrencyTexts = { hkd: '', usd: '', rmb: '' }
export const createRangeRow = (): RangeRow => ({ key: createKey(), to: '', ...noPrices })
export const createModuleRow = (): PriceModuleRow => ({ key: createKey(), code: '', ...noPrices })

export const fillNames = <N extends string, V>(names: readonly N[], getValue: (name: N) => V) =>
  Object.fromEntries(names.map((name) => [name, getValue(name)])) as Record<N, V>

export const createBackupPrices = () => fillNames(backupFieldNames, () => '0.00')

export const createPriceListValues = (): PriceListValues => ({
  header: {
    ...fillNames(headerFieldNames, () => '0.00'),
    effective_date: '',
    desc: '',
    min_concurrent_user: '0',
    min_named_user: '0',
  },
  concurrentUser: [createRangeRow()],
  namedUser: [createRangeRow()],
  module: [],
  pdbPrice: null,
})

const pickPrices = ({ hkd, usd, rmb }: CurrencyTexts): CurrencyTexts => ({ hkd, usd, rmb })
const toRangeRow = (range: FullPriceList['concurrentUser'][number]): RangeRow => ({
  key: createKey(),
  to: String(range.to),
  ...pickPrices(range),
})

/** `list` may wait on this device and lack what its form did not send. */
export const toPriceListValues = (list: FullPriceList): PriceListValues => ({
  header: fillNames(headerFieldNames, (name) => String(list[name] ?? '')),
  concurrentUser: (list.concurrentUser ?? []).map(toRangeRow),
  namedUser: (list.namedUser ?? []).map(toRangeRow),
  module: (list.module ?? []).map((row) => ({ key: createKey(), code: row.code, ...pickPrices(row) })),
  pdbPrice: list.pdbPrice ? fillNames(backupFieldNames, (name) => list.pdbPrice?.[name] ?? '0.00') : null,
})

/** A copy to be saved as another list: it begins on a day of its own. */
export const copyToPriceListValues = (list: FullPriceList): PriceListValues => {
  const values = toPriceListValues(list)
  return { ...values, header: { ...values.header, effective_date: '' } }
}

/** Users that a range begins with: one above the highest before it. Null: the row means nobody, and is dropped on saving. */
export function getRangeStarts(rows: readonly RangeRow[]): (number | null)[] {
  let nextStart = 1
  return rows.map(({ to }) => {
    const rangeEnd = Number(to.trim() || 0)
    if (rangeEnd === 0) return null
    const from = nextStart
    if (Number.isInteger(rangeEnd)) nextStart = Math.max(rangeEnd, from) + 1
    return from
  })
}

/** Whether parts of the form say the same: header, rows, backup prices. Not by JSON, because a list may have a thousand rows. */
function isSame(part: unknown, otherPart: unknown): boolean {
  if (part === otherPart) return true
  if (!part || !otherPart) return false
  if (Array.isArray(part) && Array.isArray(otherPart))
    return part.length === otherPart.length && part.every((row, index) => isSame(row, otherPart[index]))
  const otherFields = otherPart as Record<string, unknown>
  return Object.entries(part).every(([name, value]) => name === 'key' || value === otherFields[name])
}

/** Parts of the form that differ; the keys of rows do not count. */
export const getChangedValues = (values: PriceListValues, baseValues: PriceListValues): Partial<PriceListValues> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, part]) => !isSame(part, baseValues[name as keyof PriceListValues])),
  )

/** After a conflict: the current values with the typed ones over them, field by field; the rows of a table go together. */
export const rebaseValues = (
  typedValues: PriceListValues,
  previousValues: PriceListValues,
  currentValues: PriceListValues,
): PriceListValues => ({
  ...currentValues,
  ...getChangedValues(typedValues, previousValues),
  header: fillNames(
    headerFieldNames,
    (name) => (typedValues.header[name] === previousValues.header[name] ? currentValues : typedValues).header[name],
  ),
})

/** What an earlier page left of a form may be of another build: then it is let go. */
export function parseStoredValues(storedValue: unknown): PriceListValues | null {
  const values = storedValue as Partial<PriceListValues> | null | undefined
  if (typeof values?.header !== 'object' || !Array.isArray(values.concurrentUser)) return null
  if (!Array.isArray(values.namedUser) || !Array.isArray(values.module)) return null
  const emptyValues = createPriceListValues()
  const restoreRows = <R extends { key: number }>(storedRows: readonly R[], createRow: () => R): R[] =>
    storedRows.map((row) => ({ ...createRow(), ...row, key: createKey() }))
  return {
    header: { ...emptyValues.header, ...values.header },
    concurrentUser: restoreRows(values.concurrentUser, createRangeRow),
    namedUser: restoreRows(values.namedUser, createRangeRow),
    module: restoreRows(values.module, createModuleRow),
    pdbPrice: values.pdbPrice ? { ...createBackupPrices(), ...values.pdbPrice } : null,
  }
}
