/** Parses cells copied from a spreadsheet: rows of tab-separated values. */
import { priceCurrencies, type PriceTableName } from '#features/prices/price-list-form.ts'

/** Maximum number of pasted rows; further rows are ignored. A price list cannot have more. */
const maxRows = 2000

const columnsByTable: Record<PriceTableName, readonly string[]> = {
  concurrentUser: ['to', ...priceCurrencies],
  namedUser: ['to', ...priceCurrencies],
  module: ['code', ...priceCurrencies],
}

/** Returns null for a single value, which the browser pastes into the field itself. */
export function parsePastedCells(text: string): string[][] | null {
  const lines = text.split(/\r\n?|\n/)
  const rowCount = Math.min(lines.findLastIndex((line) => line !== '') + 1, maxRows)
  const cells = lines.slice(0, rowCount).map((line) => line.split('\t').map((cell) => cell.trim()))
  return cells.length > 1 || (cells[0]?.length ?? 0) > 1 ? cells : null
}

/**
 * Maps pasted cells to columns, starting at `name`. If the cells contain the start of a range, that column is dropped, because it follows
 * from the range before.
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
