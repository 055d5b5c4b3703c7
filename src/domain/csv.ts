/** Tables as text that spreadsheets open (RFC 4180), with nothing in them that a spreadsheet would carry out (S-13). */

/** Excel takes a file for UTF-8 only by this sign. */
export const csvByteOrderMark = '\uFEFF'

/** What makes a formula of a cell, the full-width forms included, which spreadsheets read alike. */
const formulaStart = /^[=+\-@＝＋－＠\t\r\n]/

function formatCell(text: string): string {
  // The apostrophe is shown by no spreadsheet and says: this is text.
  const safeText = formulaStart.test(text) ? `'${text}` : text
  return /[",;\r\n\t]|^\s|\s$/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText
}

/** A line with its end. */
export const formatCsvLine = (row: readonly string[]): string => `${row.map(formatCell).join(',')}\r\n`

export const formatCsv = (rows: Iterable<readonly string[]>): string =>
  csvByteOrderMark + Array.from(rows, formatCsvLine).join('')
