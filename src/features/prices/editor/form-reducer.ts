/** Reducer of the price list form. Unchanged rows stay the same objects, so that they are not rendered again. */
import {
  type BackupFieldName,
  createModuleRow,
  createRangeRow,
  getRangeStarts,
  type HeaderFieldName,
  type PriceModuleRow,
  createBackupPrices,
  parseRangeEnd,
  type RangeRow,
  type PriceTableName,
  type TierTableName,
  type PriceListValues,
} from '#features/prices/price-list-form.ts'
import { groupThousands } from '#domain/money.ts'
import { parseAmount } from '#features/prices/parse-numbers.ts'
import { placePastedCells } from '#features/prices/editor/paste.ts'

export type PriceFormAction =
  | { kind: 'replace'; values: PriceListValues }
  | { kind: 'header'; name: HeaderFieldName; value: string }
  /** `prices` are the ones before backups were turned off. */
  | { kind: 'backup'; isOn: boolean; prices?: PriceListValues['pdbPrice'] }
  | { kind: 'backupPrice'; name: BackupFieldName; value: string }
  | { kind: 'cell'; table: PriceTableName; key: number; name: string; value: string }
  /** Fills cells from this one to the right and down. Missing rows are created. */
  | { kind: 'paste'; table: PriceTableName; key: number; name: string; cells: readonly (readonly string[])[] }
  | { kind: 'add'; table: PriceTableName }
  | { kind: 'remove'; table: PriceTableName; key: number }
  /** Moves a module to a position, counted from 0. */
  | { kind: 'move'; key: number; to: number }
  /** The end field of a range lost focus: the end is raised to at least the start (contracts 5). */
  | { kind: 'raise'; table: TierTableName; key: number }
  /** A field lost focus: its amount is written like the saved ones. `key` is 0 outside the tables. */
  | { kind: 'format'; key: number; name: string }

type Reducers = {
  [Kind in PriceFormAction['kind']]: (
    values: PriceListValues,
    action: Extract<PriceFormAction, { kind: Kind }>,
  ) => PriceListValues
}

const reducers: Reducers = {
  replace: (_values, action) => action.values,
  header: (values, { name, value }) => ({ ...values, header: { ...values.header, [name]: value } }),
  backup: (values, { isOn, prices }) => ({ ...values, pdbPrice: isOn ? (prices ?? createBackupPrices()) : null }),
  backupPrice: (values, { name, value }) =>
    values.pdbPrice ? { ...values, pdbPrice: { ...values.pdbPrice, [name]: value } } : values,
  cell: (values, { table, key, name, value }) =>
    replaceRows(values, table, (rows) => rows.map((row) => (row.key === key ? { ...row, [name]: value } : row))),
  paste: (values, action) =>
    replaceRows(values, action.table, (rows, createRow) => pasteCells(rows, createRow, action)),
  add: (values, { table }) => replaceRows(values, table, (rows, createRow) => [...rows, createRow()]),
  remove: (values, { table, key }) => replaceRows(values, table, (rows) => rows.filter((row) => row.key !== key)),
  move: (values, { key, to }) => ({ ...values, module: moveRow(values.module, key, to) }),
  format: formatLeftAmount,
  raise: (values, { table, key }) => ({ ...values, [table]: raiseRangeEnd(values[table], key) }),
}

export const reducePriceForm = (values: PriceListValues, action: PriceFormAction): PriceListValues =>
  (reducers[action.kind] as Reducers['replace'])(values, action as Extract<PriceFormAction, { kind: 'replace' }>)

type Row = RangeRow | PriceModuleRow

function replaceRows(
  values: PriceListValues,
  table: PriceTableName,
  change: (rows: readonly Row[], createRow: () => Row) => readonly Row[],
): PriceListValues {
  return { ...values, [table]: change(values[table], table === 'module' ? createModuleRow : createRangeRow) }
}

function pasteCells(
  rows: readonly Row[],
  createRow: () => Row,
  { table, key, name, cells }: Extract<PriceFormAction, { kind: 'paste' }>,
): readonly Row[] {
  const index = rows.findIndex((row) => row.key === key)
  if (index < 0) return rows
  const newRows = [...rows]
  for (const [offset, values] of placePastedCells(table, name, cells).entries()) {
    newRows[index + offset] = { ...(newRows[index + offset] ?? createRow()), ...values }
  }
  return newRows
}

function moveRow(rows: readonly PriceModuleRow[], key: number, to: number): readonly PriceModuleRow[] {
  const row = rows.find((other) => other.key === key)
  if (!row) return rows
  const otherRows = rows.filter((other) => other !== row)
  const position = Math.min(Math.max(to, 0), otherRows.length)
  return otherRows.toSpliced(position, 0, row)
}

function raiseRangeEnd(rows: readonly RangeRow[], key: number): readonly RangeRow[] {
  const index = rows.findIndex((row) => row.key === key)
  const [row, from] = [rows[index], getRangeStarts(rows)[index]]
  const to = parseRangeEnd(row?.to ?? '')
  if (!row || from === null || from === undefined || !Number.isInteger(to) || to >= from) return rows
  return rows.with(index, { ...row, to: String(from) })
}

const amountNames = /(^|_)(hkd|usd|rmb)$/

function formatLeftAmount(values: PriceListValues, { key, name }: { key: number; name: string }): PriceListValues {
  if (!amountNames.test(name)) return values
  const { header, concurrentUser, namedUser, module, pdbPrice } = values
  const backupName = name.replace(/^pdbPrice\./, '')
  if (backupName !== name) return pdbPrice ? { ...values, pdbPrice: formatField(pdbPrice, backupName) } : values
  if (key === 0) return { ...values, header: formatField(header, name) }
  const formatRows = <R extends Row>(rows: readonly R[]) =>
    rows.map((row) => (row.key === key ? formatField(row, name) : row))
  return {
    ...values,
    concurrentUser: formatRows(concurrentUser),
    namedUser: formatRows(namedUser),
    module: formatRows(module),
  }
}

function formatField<Fields extends object>(fields: Fields, name: string): Fields {
  const text: unknown = Reflect.get(fields, name)
  const amount = typeof text === 'string' ? parseAmount(text) : null
  return amount === null || text === groupThousands(amount) ? fields : { ...fields, [name]: groupThousands(amount) }
}
