/** Compares the typed values of a price list with those before editing, cell by cell. The form marks and counts the differences. */
import {
  type BackupFieldName,
  backupFieldNames,
  type HeaderFieldName,
  headerFieldNames,
  isSameValue,
  type PriceListValues,
  type PriceModuleRow,
  type RangeRow,
} from '#features/prices/price-list-form.ts'

/** Values before editing, by field or column. Unchanged fields are left out. */
export type OldValues<Name extends string = string> = Readonly<Partial<Record<Name, string>>>

export interface PriceRowChange {
  isAdded: boolean
  oldValues: OldValues
}

/** Sections of the form, in the order of the page. */
export const editorSections = ['header', 'concurrentUser', 'namedUser', 'module', 'pdbPrice'] as const
export type EditorSection = (typeof editorSections)[number]

export interface PriceListChanges {
  header: OldValues<HeaderFieldName>
  backup: OldValues<BackupFieldName>
  /** Changed and added rows of all tables, by their key. */
  rowsByKey: ReadonlyMap<number, PriceRowChange>
  /** Changed cells. An added row, a removed row, another order of the modules, and selling backups or not count as one each. */
  counts: Readonly<Record<EditorSection, number>>
  total: number
}

const noChanges: PriceListChanges = {
  header: {},
  backup: {},
  rowsByKey: new Map(),
  counts: { header: 0, concurrentUser: 0, namedUser: 0, module: 0, pdbPrice: 0 },
  total: 0,
}

type Row = RangeRow | PriceModuleRow

export function findListChanges(values: PriceListValues, baseValues: PriceListValues): PriceListChanges {
  if (values === baseValues) return noChanges
  const header = findOldValues(headerFieldNames, values.header, baseValues.header)
  const { pdbPrice } = values
  const { pdbPrice: basePrices } = baseValues
  const backup = pdbPrice && basePrices ? findOldValues(backupFieldNames, pdbPrice, basePrices) : {}
  const rowsByKey = new Map<number, PriceRowChange>()
  const counts = {
    header: Object.keys(header).length,
    concurrentUser: compareRows(values.concurrentUser, baseValues.concurrentUser, ({ to }) => to, rowsByKey),
    namedUser: compareRows(values.namedUser, baseValues.namedUser, ({ to }) => to, rowsByKey),
    module: compareRows(values.module, baseValues.module, ({ code }) => code.trim(), rowsByKey),
    pdbPrice: Object.keys(backup).length + (Boolean(pdbPrice) === Boolean(basePrices) ? 0 : 1),
  }
  return { header, backup, rowsByKey, counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}

function findOldValues<Name extends string>(
  names: readonly Name[],
  values: Record<Name, string>,
  baseValues: Record<Name, string>,
): OldValues<Name> {
  const oldValues: Partial<Record<Name, string>> = {}
  for (const name of names) {
    if (!isSameValue(name, values[name], baseValues[name])) oldValues[name] = baseValues[name]
  }
  return oldValues
}

/** Adds the changed rows to `rowsByKey`. Returns the number of changes of the table. */
function compareRows<R extends Row>(
  rows: readonly R[],
  baseRows: readonly R[],
  getIdentity: (row: R) => string,
  rowsByKey: Map<number, PriceRowChange>,
): number {
  if (rows === baseRows) return 0
  const matches = matchRows(rows, baseRows, getIdentity)
  let count = baseRows.length - matches.size
  for (const row of rows) {
    const baseRow = matches.get(row)
    const change = baseRow ? compareRow(row, baseRow) : addedRow
    if (change) rowsByKey.set(row.key, change)
    count += change?.isAdded ? 1 : Object.keys(change?.oldValues ?? {}).length
  }
  const positions = new Map(baseRows.map((row, index) => [row, index]))
  const order = rows.flatMap((row) => positions.get(matches.get(row) as R) ?? [])
  return count + (order.some((position, index) => index > 0 && position < (order[index - 1] ?? 0)) ? 1 : 0)
}

/**
 * Finds the row before editing of each row: by its key, then by its module or last user, then by its position. The rows of a restored draft
 * have new keys.
 */
function matchRows<R extends Row>(
  rows: readonly R[],
  baseRows: readonly R[],
  getIdentity: (row: R) => string,
): ReadonlyMap<R, R> {
  const matches = new Map<R, R>()
  const freeRows = new Set(baseRows)
  const match = (row: R, baseRow: R | undefined) => {
    if (!baseRow || matches.has(row) || !freeRows.delete(baseRow)) return
    matches.set(row, baseRow)
  }
  const baseByKey = new Map(baseRows.map((row) => [row.key, row]))
  for (const row of rows) match(row, baseByKey.get(row.key))
  if (freeRows.size === 0) return matches
  const baseByIdentity = new Map([...freeRows].map((row) => [getIdentity(row), row]))
  for (const row of rows) match(row, baseByIdentity.get(getIdentity(row)))
  for (const [index, row] of rows.entries()) match(row, baseRows[index])
  return matches
}

const addedRow: PriceRowChange = { isAdded: true, oldValues: {} }

/** An unchanged row stays the same object while others are typed in, so its comparison is stored and the row is not rendered again. */
const comparisons = new WeakMap<Row, { baseRow: Row; change: PriceRowChange | null }>()

function compareRow(row: Row, baseRow: Row): PriceRowChange | null {
  if (row === baseRow) return null
  const comparison = comparisons.get(row)
  if (comparison?.baseRow === baseRow) return comparison.change
  const { key: _key, ...values } = row
  const oldValues = findOldValues(
    Object.keys(values),
    values as Record<string, string>,
    baseRow as Row & Record<string, string>,
  )
  const change = Object.keys(oldValues).length === 0 ? null : { isAdded: false, oldValues }
  comparisons.set(row, { baseRow, change })
  return change
}
