/** Cells from a spreadsheet: lines of values between tabs, as every one of them copies. */
import { charges, type Table } from '#features/prices/price-list-form.ts'

/** More than a list can have is not read. */
const maxRows = 2000

const columns: Record<Table, readonly string[]> = {
  concurrentUser: ['to', ...charges],
  namedUser: ['to', ...charges],
  module: ['code', ...charges],
}

/** Null: it is one value, which the field takes as it is. */
export function cellsOf(text: string): string[][] | null {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n').slice(0, maxRows)
  const cells = lines.map((line) => line.split('\t').map((cell) => cell.trim()))
  return cells.length > 1 || (cells[0]?.length ?? 0) > 1 ? cells : null
}

/**
 * Which fields they go to, from the column `name` on. A range copied with the users that it begins with has one column more: those
 * follow from the ranges before it.
 */
export function placedCells(
  table: Table,
  name: string,
  cells: readonly (readonly string[])[],
): Record<string, string>[] {
  const names = columns[table]
  const widest = Math.max(...cells.map((row) => row.length))
  const withFrom = table !== 'module' && name === 'to' && widest > names.length
  const start = names.indexOf(name)
  return cells.map((row) =>
    Object.fromEntries(
      (withFrom ? row.slice(1) : row).flatMap((cell, n) => {
        const to = names[start + n]
        return to === undefined ? [] : [[to, cell]]
      }),
    ),
  )
}
