/** Cells from a spreadsheet: lines of values between tabs, as every one of them copies. */
import { priceCurrencies, type PriceTableName } from '#features/prices/price-list-form.ts'

/** More than a list can have is not read. */
const maxRows = 2000

const columnsByTable: Record<PriceTableName, readonly string[]> = {
  concurrentUser: ['to', ...priceCurrencies],
  namedUser: ['to', ...priceCurrencies],
  module: ['code', ...priceCurrencies],
}

/** Null: it is one value, which the field takes as it is. */
export function parsePastedCells(text: string): string[][] | null {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n').slice(0, maxRows)
  const cells = lines.map((line) => line.split('\t').map((cell) => cell.trim()))
  return cells.length > 1 || (cells[0]?.length ?? 0) > 1 ? cells : null
}

/**
 * Which fields they go to, from the column `name` on. A range copied with the users that it begins with has one column more: those
 * follow from the ranges before it.
 */
export function placePastedCells(
  table: PriceTableName,
  name: string,
  cells: readonly (readonly string[])[],
): Record<string, string>[] {
  const names = columnsByTable[table]
  const maxColumns = Math.max(...cells.map((row) => row.length))
  const hasFromColumn = table !== 'module' && name === 'to' && maxColumns > names.length
  const start = names.indexOf(name)
  return cells.map((row) =>
    Object.fromEntries(
      (hasFromColumn ? row.slice(1) : row).flatMap((cell, index) => {
        const column = names[start + index]
        return column === undefined ? [] : [[column, cell]]
      }),
    ),
  )
}
