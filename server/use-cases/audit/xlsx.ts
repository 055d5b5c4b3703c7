/**
 * Writes a spreadsheet with one sheet (ECMA-376) while it is sent. Existing libraries keep the complete file in memory or are not
 * maintained. Texts are text cells, so none is run as a formula (S-13).
 */
import { once } from 'node:events'
import { type PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { withFirstPiece } from '#server/use-cases/audit/first-piece.ts'

type Cell = string | number

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const staticParts: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${officeNamespace}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${mainNamespace}" xmlns:r="${officeNamespace}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${officeNamespace}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/** Maximum length of a cell in UTF-16 units. Longer text is cut and marked. */
const maxCellChars = 32_767

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/**
 * Matches characters that XML 1.0 cannot represent, and the first character of texts such as `_x0041_`, which would be read as an escape.
 */
const unwritable = /[\p{Cc}\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/gu

function escapeText(value: string): string {
  const cutValue = value.length > maxCellChars ? `${value.slice(0, maxCellChars - 1)}…` : value
  return cutValue
    .toWellFormed()
    .replace(/[&<>]/g, (sign) => escapes[sign] ?? sign)
    .replace(unwritable, (sign) =>
      sign === '\n' || sign === '\t' ? sign : `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
}

const formatCell = (value: Cell) =>
  typeof value === 'number'
    ? `<c><v>${value}</v></c>`
    : value === ''
      ? '<c/>'
      : `<c t="inlineStr"><is><t xml:space="preserve">${escapeText(value)}</t></is></c>`

const formatRow = (cells: readonly Cell[]) => `<row>${cells.map(formatCell).join('')}</row>`

async function* writeSheetXml(columns: readonly string[], pieces: AsyncIterable<Cell[][]>, maxRows: number) {
  yield `${xmlHead}<worksheet xmlns="${mainNamespace}"><sheetData>${formatRow(columns)}`
  let remainingRows = maxRows - 1
  for await (const rows of pieces) {
    yield rows.slice(0, remainingRows).map(formatRow).join('')
    remainingRows -= rows.length
    if (remainingRows <= 0) break
  }
  yield '</sheetData></worksheet>'
}

/** Yields the file, without rows beyond `maxRows`. An error of the first piece is thrown before any byte is returned. */
export async function* writeXlsx(
  columns: readonly string[],
  pieces: AsyncIterable<Cell[][]>,
  maxRows: number,
): AsyncGenerator<Uint8Array> {
  const rowStream = Readable.from(writeSheetXml(columns, await withFirstPiece(pieces), maxRows))
  const zip = new ZipFile()
  const output = zip.outputStream as PassThrough
  // Without these handlers, an error of the rows would end the process, and the zip would wait forever.
  rowStream.on('error', (error: Error) => output.destroy(error))
  zip.on('error', (error: Error) => output.destroy(error))
  // Not compressed, because yazl compresses in the background, and an error there cannot be caught.
  for (const [name, xml] of Object.entries(staticParts))
    zip.addBuffer(Buffer.from(xmlHead + xml), name, { compress: false })
  zip.addReadStream(rowStream, 'xl/worksheets/sheet1.xml')
  zip.end()
  try {
    yield* output
  } finally {
    rowStream.destroy()
    // Wait until a running query for the rows has ended.
    if (!rowStream.closed) await once(rowStream, 'close')
  }
}
