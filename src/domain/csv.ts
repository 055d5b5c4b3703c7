/** Tables as text that spreadsheets open (RFC 4180), with nothing in them that a spreadsheet would carry out (S-13). */

/** Excel takes a file for UTF-8 only by this sign. */
export const csvMark = '\uFEFF'

/** What makes a formula of a cell, the full-width forms included, which spreadsheets read alike. */
const begins = /^[=+\-@＝＋－＠\t\r\n]/

function cell(text: string): string {
  // The apostrophe is shown by no spreadsheet and says: this is text.
  const safe = begins.test(text) ? `'${text}` : text
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line with its end. */
export const csvLine = (row: readonly string[]): string => `${row.map(cell).join(',')}\r\n`

export const csvOf = (rows: Iterable<readonly string[]>): string => csvMark + Array.from(rows, csvLine).join('')
