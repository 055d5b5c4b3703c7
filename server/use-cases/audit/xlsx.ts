/**
 * Writes a spreadsheet with one sheet (ECMA-376) while it is sent. Existing libraries keep the complete file in memory or are not
 * maintained. Texts are text cells, so none is run as a formula (S-13).
 */
import { once } from 'node:events'
import { type PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { type Cell, formatRow, mainNamespace, staticParts, xmlHead } from '#domain/xlsx-parts.ts'
import { withFirstPiece } from '#server/use-cases/audit/first-piece.ts'

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
