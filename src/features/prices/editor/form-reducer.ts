/** What is done to a price list's form. Rows that are not touched stay the same objects, so that they are not drawn again. */
import {
  type BackupName,
  emptyModule,
  emptyRange,
  fromsOf,
  type HeaderName,
  type ModuleRow,
  noBackup,
  type RangeRow,
  type Table,
  type TierTable,
  type Values,
} from '#features/prices/price-list-form.ts'
import { placedCells } from '#features/prices/editor/paste.ts'

export type Act =
  | { kind: 'whole'; values: Values }
  | { kind: 'header'; name: HeaderName; value: string }
  | { kind: 'backup'; on: boolean }
  | { kind: 'backupPrice'; name: BackupName; value: string }
  | { kind: 'cell'; table: Table; key: number; name: string; value: string }
  /** Cells from this one on, to the right and down; rows that are not there are made. */
  | { kind: 'paste'; table: Table; key: number; name: string; cells: readonly (readonly string[])[] }
  | { kind: 'add'; table: Table }
  | { kind: 'remove'; table: Table; key: number }
  /** A module, to that place from 0. */
  | { kind: 'move'; key: number; to: number }
  /** The field of a range's end is left: it ends no earlier than it begins (contracts 5). */
  | { kind: 'raise'; table: TierTable; key: number }

export function reduce(values: Values, act: Act): Values {
  switch (act.kind) {
    case 'whole':
      return act.values
    case 'header':
      return { ...values, header: { ...values.header, [act.name]: act.value } }
    case 'backup':
      return { ...values, pdbPrice: act.on ? noBackup() : null }
    case 'backupPrice':
      return values.pdbPrice ? { ...values, pdbPrice: { ...values.pdbPrice, [act.name]: act.value } } : values
    case 'cell':
      return withRows(values, act.table, (rows) =>
        rows.map((row) => (row.key === act.key ? { ...row, [act.name]: act.value } : row)),
      )
    case 'paste':
      return withRows(values, act.table, (rows, empty) => pasted(rows, empty, act))
    case 'add':
      return withRows(values, act.table, (rows, empty) => [...rows, empty()])
    case 'remove':
      return withRows(values, act.table, (rows) => rows.filter(({ key }) => key !== act.key))
    case 'move':
      return { ...values, module: moved(values.module, act.key, act.to) }
    case 'raise':
      return { ...values, [act.table]: raised(values[act.table], act.key) }
  }
}

type Row = RangeRow | ModuleRow

function withRows(
  values: Values,
  table: Table,
  change: (rows: readonly Row[], empty: () => Row) => readonly Row[],
): Values {
  return { ...values, [table]: change(values[table], table === 'module' ? emptyModule : emptyRange) }
}

function pasted(
  rows: readonly Row[],
  empty: () => Row,
  { table, key, name, cells }: Extract<Act, { kind: 'paste' }>,
): readonly Row[] {
  const at = rows.findIndex((row) => row.key === key)
  if (at < 0) return rows
  const changed = [...rows]
  for (const [n, given] of placedCells(table, name, cells).entries()) {
    changed[at + n] = { ...(changed[at + n] ?? empty()), ...given }
  }
  return changed
}

function moved(rows: readonly ModuleRow[], key: number, to: number): readonly ModuleRow[] {
  const row = rows.find((one) => one.key === key)
  if (!row) return rows
  const others = rows.filter((one) => one !== row)
  const place = Math.min(Math.max(to, 0), others.length)
  return others.toSpliced(place, 0, row)
}

function raised(rows: readonly RangeRow[], key: number): readonly RangeRow[] {
  const at = rows.findIndex((row) => row.key === key)
  const [row, from] = [rows[at], fromsOf(rows)[at]]
  const to = Number(row?.to)
  if (!row || from === null || from === undefined || !Number.isInteger(to) || to >= from) return rows
  return rows.with(at, { ...row, to: String(from) })
}
