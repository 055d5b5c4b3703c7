/** Formats and parses the lines of data. Until `server/drivers/hosting` has its own module for them, which replaces this file. */
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/hosting-driver.ts'
import { formatLines, LineError, readMark, readRow } from '#server/use-cases/hosting/backups/lines.ts'

export { LineError }

const maxLineBytes = 64 * 2 ** 20
const maxPiece = { rows: 1_000, chars: 4 * 2 ** 20 }
const chunkChars = 64 * 1024
const newline = 0x0a

export async function* parseData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<DataPiece> {
  let columns: readonly DataColumn[] | null = null
  let rows: DataValue[][] = []
  let charCount = 0
  let hasEnded = false
  for await (const line of splitLines(bytes)) {
    if (hasEnded) throw new LineError('the data continues after its last line')
    if (line.startsWith('[')) {
      if (columns === null) throw new LineError('a row comes before its table')
      rows.push(readRow(line, columns))
      charCount += line.length
      if (rows.length < maxPiece.rows && charCount < maxPiece.chars) continue
      yield { kind: 'rows', rows }
    } else {
      const mark = readMark(line)
      if (rows.length > 0) yield { kind: 'rows', rows }
      if (mark.kind === 'end') hasEnded = true
      else columns = mark.columns
      yield mark
    }
    rows = []
    charCount = 0
  }
  if (!hasEnded) throw new LineError('the last line of the data is missing, so the data is incomplete')
}

async function* splitLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let bufferedChunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    let lineStart = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, lineStart)) {
      yield Buffer.concat([...bufferedChunks, chunk.subarray(lineStart, end)]).toString()
      bufferedChunks = []
      length = 0
      lineStart = end + 1
    }
    if (lineStart < chunk.length) bufferedChunks.push(chunk.subarray(lineStart))
    length += chunk.length - lineStart
    if (length > maxLineBytes) throw new LineError('a line is too long')
  }
  if (length > 0) throw new LineError('it ends within a line')
}

export async function* formatData(pieces: AsyncIterable<DataPiece>): AsyncGenerator<Buffer> {
  let columns: readonly DataColumn[] = []
  let buffered = ''
  for await (const piece of pieces) {
    if (piece.kind === 'table') columns = piece.columns
    for (const line of formatLines(piece, columns)) {
      buffered += `${line}\n`
      if (buffered.length < chunkChars) continue
      yield Buffer.from(buffered)
      buffered = ''
    }
  }
  yield Buffer.from(buffered)
}
