import { groupThousands } from '#domain/money.ts'
import type { ListColumn } from '#ui/list/column.ts'

/** A column of an exported file. */
export type ExportColumn<R> = readonly [
  header: string,
  getText: (row: R) => string,
  /** `number`: the text is a decimal number, which a spreadsheet can add up. */
  kind?: 'number',
]

/**
 * Returns the columns of a list as columns of a file. Columns that show an element are left out, unless they have a text for the export.
 * Numbers have no separators between thousands, so that spreadsheets read them as numbers.
 */
export const buildExportColumns = <R>(columns: readonly ListColumn<R>[]): ExportColumn<R>[] =>
  columns.flatMap((column): ExportColumn<R>[] => {
    const getText = getColumnText(column)
    if (!getText) return []
    return column.format === 'number' && !column.exportText
      ? [[column.header, getText, 'number']]
      : [[column.header, getText]]
  })

function getColumnText<R>(column: ListColumn<R>): ((row: R) => string) | null {
  if (column.exportText) return column.exportText
  if (column.format === undefined) return null
  if (column.format !== 'currency') return (row) => String(column.getValue(row) ?? '')
  return (row) => {
    const value = column.getValue(row)
    return value === null ? '' : `${value.currency} ${groupThousands(value.amount)}`
  }
}
