/**
 * A spreadsheet of one sheet (ECMA-376), row by row as it is sent: libraries that make one keep the whole of it in memory, or are not
 * cared for any more. Texts stand in their cells as text, so none of them is carried out as a formula (S-13).
 */
import { once } from 'node:events'
import { type PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { withFirstPiece } from '#server/use-cases/audit/first-piece.ts'

type Cell = string | number

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const parts: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kind}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/** What a cell holds at most, in UTF-16 units; the rest is cut with a sign. */
const cellMost = 32_767

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** XML 1.0 has no sign for these at all; a text like `_x0041_` would be read as an escape, so its first sign is escaped. */
const unwritable = /[\p{Cc}\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/gu

function text(value: string): string {
  const cut = value.length > cellMost ? `${value.slice(0, cellMost - 1)}…` : value
  return cut
    .toWellFormed()
    .replace(/[&<>]/g, (sign) => escapes[sign] ?? sign)
    .replace(unwritable, (sign) =>
      sign === '\n' || sign === '\t' ? sign : `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
}

const cell = (value: Cell) =>
  typeof value === 'number'
    ? `<c><v>${value}</v></c>`
    : value === ''
      ? '<c/>'
      : `<c t="inlineStr"><is><t xml:space="preserve">${text(value)}</t></is></c>`

const rowOf = (cells: readonly Cell[]) => `<row>${cells.map(cell).join('')}</row>`

async function* sheet(columns: readonly string[], pieces: AsyncIterable<Cell[][]>, rowsMost: number) {
  yield `${head}<worksheet xmlns="${main}"><sheetData>${rowOf(columns)}`
  let left = rowsMost - 1
  for await (const rows of pieces) {
    yield rows.slice(0, left).map(rowOf).join('')
    left -= rows.length
    if (left <= 0) break
  }
  yield '</sheetData></worksheet>'
}

/**
 * The file in pieces, `columns` as its first row; rows beyond `rowsMost` are left out. Throws what `pieces` throws, the first of
 * them before anything of the file is there.
 */
export async function* sheetOf(
  columns: readonly string[],
  pieces: AsyncIterable<Cell[][]>,
  rowsMost: number,
): AsyncGenerator<Uint8Array> {
  const rows = Readable.from(sheet(columns, await withFirstPiece(pieces), rowsMost))
  const zip = new ZipFile()
  const out = zip.outputStream as PassThrough
  // yazl listens to neither: an error of the rows would end the process, and the zip would wait for them for ever.
  rows.on('error', (error: Error) => out.destroy(error))
  zip.on('error', (error: Error) => out.destroy(error))
  // Not compressed: yazl does that beside us, and nothing catches what fails there.
  for (const [name, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(head + xml), name, { compress: false })
  zip.addReadStream(rows, 'xl/worksheets/sheet1.xml')
  zip.end()
  try {
    yield* out
  } finally {
    rows.destroy()
    // A query that runs for them ends first.
    if (!rows.closed) await once(rows, 'close')
  }
}
