import type { OutputOf, VersionedRow } from '#contract/endpoint.ts'
import type { getPriceList } from '#contract/prices.ts'
import type { BackupPrices } from '#domain/fees/price-list.ts'
import { currencies, groupThousands } from '#domain/money.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { parseAmount, parseWholeNumber } from '#features/prices/parse-numbers.ts'

export type FullPriceList = Omit<OutputOf<typeof getPriceList>, 'id'> & VersionedRow
export type OpenedPriceList = OverlaidRow<FullPriceList>

export const priceCurrencies = ['hkd', 'usd', 'rmb'] as const
export type PriceCurrency = (typeof priceCurrencies)[number]
export type CurrencyTexts = Record<PriceCurrency, string>

/** Typed values of a range. `key` identifies the row while the form is open, even after it is moved. */
export interface RangeRow extends CurrencyTexts {
  key: number
  /** The last number of users in the range. The first follows from the previous range (D82). */
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

/** All values are stored as the text in the fields. */
export interface PriceListValues {
  header: Record<HeaderFieldName, string>
  concurrentUser: readonly RangeRow[]
  namedUser: readonly RangeRow[]
  module: readonly PriceModuleRow[]
  /** Null if the list has no backup prices. */
  pdbPrice: Record<BackupFieldName, string> | null
}

let lastKey = 0
export const createKey = () => ++lastKey

const noPrices: CurrencyTexts = { hkd: '', usd: '', rmb: '' }
export const createRangeRow = (): RangeRow => ({ key: createKey(), to: '', ...noPrices })
export const createModuleRow = (): PriceModuleRow => ({ key: createKey(), code: '', ...noPrices })

export const fillNames = <N extends string, V>(names: readonly N[], getValue: (name: N) => V) =>
  Object.fromEntries(names.map((name) => [name, getValue(name)])) as Record<N, V>

export const createBackupPrices = () => fillNames(backupFieldNames, (name) => toBackupText(name, '0.00'))

/** Amounts are grouped as in a confirmed list. Free GB and discounts are whole numbers. */
const toBackupText = (name: BackupFieldName, value: string): string =>
  /(?:traffic|discount)$/.test(name) ? value.replace(/\.00$/, '') : groupThousands(value)
const toHeaderText = (name: HeaderFieldName, value: string): string =>
  amountFieldNames.some((amountName) => amountName === name) ? groupThousands(value) : value

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

const pickPrices = ({ hkd, usd, rmb }: CurrencyTexts): CurrencyTexts => ({
  hkd: groupThousands(hkd),
  usd: groupThousands(usd),
  rmb: groupThousands(rmb),
})
const toRangeRow = (range: FullPriceList['concurrentUser'][number]): RangeRow => ({
  key: createKey(),
  to: String(range.to),
  ...pickPrices(range),
})

/** `list` may be a waiting write on this device, which lacks the fields that its form did not send. */
export const toPriceListValues = (list: FullPriceList): PriceListValues => ({
  header: fillNames(headerFieldNames, (name) => toHeaderText(name, String(list[name] ?? ''))),
  concurrentUser: (list.concurrentUser ?? []).map(toRangeRow),
  namedUser: (list.namedUser ?? []).map(toRangeRow),
  module: (list.module ?? []).map((row) => ({ key: createKey(), code: row.code, ...pickPrices(row) })),
  pdbPrice: list.pdbPrice
    ? fillNames(backupFieldNames, (name) => toBackupText(name, list.pdbPrice?.[name] ?? '0.00'))
    : null,
})

/** Copies a list into a new one. The copy has no effective date, because it needs its own. */
export const copyToPriceListValues = (list: FullPriceList): PriceListValues => {
  const values = toPriceListValues(list)
  return { ...values, header: { ...values.header, effective_date: '' } }
}

/** Returns 0 for an empty field, and NaN for what is no number. */
export const parseRangeEnd = (text: string): number => (text.trim() === '' ? 0 : (parseWholeNumber(text) ?? Number.NaN))

/**
 * Returns the start of each range: one above the highest end before it. Null if the range contains no users; it is then dropped on saving.
 */
export function getRangeStarts(rows: readonly RangeRow[]): (number | null)[] {
  let nextStart = 1
  return rows.map(({ to }) => {
    const rangeEnd = parseRangeEnd(to)
    if (rangeEnd === 0) return null
    const from = nextStart
    if (Number.isInteger(rangeEnd)) nextStart = Math.max(from, rangeEnd + 1)
    return from
  })
}

/** Returns the starts of the ranges that end before they start, by row key. */
export function findLowEnds(rows: readonly RangeRow[]): ReadonlyMap<number, number> {
  const starts = getRangeStarts(rows)
  return new Map(
    rows.flatMap(({ key, to }, index) => {
      const from = starts[index] ?? 0
      const end = parseRangeEnd(to)
      return end > 0 && end < from ? [[key, from]] : []
    }),
  )
}

const textFieldNames: ReadonlySet<string> = new Set(['effective_date', 'desc', 'code'])

/** Compares two typed values of a field. "1,260" and "1260.00" are the same amount. */
export function isSameValue(name: string, text: string, otherText: string): boolean {
  if (text === otherText || textFieldNames.has(name)) return text === otherText
  const amount = parseAmount(text)
  return amount !== null && amount === parseAmount(otherText)
}

/** Compares parts of the form. Comparing JSON text would be slow, because a list may have a thousand rows. */
function isSame(part: unknown, otherPart: unknown): boolean {
  if (part === otherPart) return true
  if (!part || !otherPart) return false
  if (Array.isArray(part) && Array.isArray(otherPart))
    return part.length === otherPart.length && part.every((row, index) => isSame(row, otherPart[index]))
  const otherFields = otherPart as Record<string, unknown>
  return Object.entries(part as Record<string, string>).every(
    ([name, value]) => name === 'key' || isSameValue(name, value, String(otherFields[name])),
  )
}

/** Returns the parts of the form that differ. Row keys are ignored. */
export const getChangedValues = (values: PriceListValues, baseValues: PriceListValues): Partial<PriceListValues> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, part]) => !isSame(part, baseValues[name as keyof PriceListValues])),
  )

/** After a conflict: applies the typed values to the current ones, field by field. The rows of a table are treated as one field. */
export const rebaseValues = (
  typedValues: PriceListValues,
  previousValues: PriceListValues,
  currentValues: PriceListValues,
): PriceListValues => ({
  ...currentValues,
  ...getChangedValues(typedValues, previousValues),
  header: fillNames(
    headerFieldNames,
    (name) =>
      (isSameValue(name, typedValues.header[name], previousValues.header[name]) ? currentValues : typedValues).header[
        name
      ],
  ),
})

/** Returns null if the stored form is from another build and cannot be used. */
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
