/** CSV for spreadsheets (RFC 4180), with formulas made harmless (S-13). */

/** Byte order mark of UTF-8. Without it, Excel does not detect the encoding. */
export const csvByteOrderMark = '\uFEFF'

/** Characters that start a formula, including the full-width forms, which spreadsheets treat alike. */
const formulaStart = /^[=+\-@＝＋－＠\t\r\n]/

/** A negative number starts like a formula, but is not one. */
const plainNumber = /^-\d+(\.\d+)?$/

function formatCell(text: string): string {
  // The apostrophe marks the cell as text, and spreadsheets do not display it.
  const safeText = formulaStart.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return /[",;\r\n\t]|^\s|\s$/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText
}

export const formatCsvLine = (row: readonly string[]): string => `${row.map(formatCell).join(',')}\r\n`

export const formatCsv = (rows: Iterable<readonly string[]>): string =>
  csvByteOrderMark + Array.from(rows, formatCsvLine).join('')
