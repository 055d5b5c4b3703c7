/**
 * Formats data pieces as lines of JSON and parses them. Backups and the instance contract (docs/instance.md) use these lines. The same data
 * always gives the same lines, regardless of how it was split and where it was stored. So the SHA-256 of the lines proves the data.
 */
import { isUtf8 } from 'node:buffer'
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/hosting-driver.ts'

export class LineError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LineError'
  }
}

/** Maximum length of a line of the instance contract in bytes. */
export const maxLineBytes = 64 * 2 ** 20
const maxTables = 10_000
const columnTypes = ['integer', 'real', 'text', 'blob', 'any']
const maxColumns = 2_000

type Columns = readonly DataColumn[]

/** Yields rows without line ends. `columns` are the columns of the last table. */
export function* formatLines(piece: DataPiece, columns: Columns): Generator<string> {
  if (piece.kind === 'table') yield formatTableLine(piece)
  else if (piece.kind === 'end') yield JSON.stringify({ end: piece.statements })
  else for (const row of piece.rows) yield formatRowLine(row, columns)
}

function formatTableLine({ name, columns, statement }: DataPiece & { kind: 'table' }): string {
  const plainColumns = columns.map(({ name: column, type, notNull, key }) => ({ name: column, type, notNull, key }))
  return JSON.stringify({ table: name, columns: plainColumns, statement })
}

function formatRowLine(row: readonly DataValue[], columns: Columns): string {
  if (row.length !== columns.length)
    throw new LineError(`a row has ${row.length} values in a table of ${columns.length} columns`)
  return `[${row.map((value, index) => formatValue(value, columns[index]?.type)).join(',')}]`
}

/** 5 and 5n give the same text in a column of type `integer`, but not in a column of type `any`. */
function formatValue(value: DataValue, type: DataColumn['type'] | undefined): string {
  if (typeof value === 'bigint')
    return type === 'integer' && Number.isSafeInteger(Number(value)) ? String(value) : `{"int":"${value}"}`
  if (typeof value === 'number') return formatNumber(value)
  if (value instanceof Uint8Array) return `{"blob":"${toBase64(value)}"}`
  return JSON.stringify(value)
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return `{"real":"${value}"}`
  return Object.is(value, -0) ? '-0' : JSON.stringify(value)
}

/** Parses a row of values. Throws a LineError if the row does not fit the columns. */
function readRow(line: string, columns: Columns): DataValue[] {
  const row = parseObject(line)
  if (!Array.isArray(row) || row.length !== columns.length)
    throw new LineError('a row does not have the columns of its table')
  return row.map((value, index) => requireExact(parseValue(value), columns[index]?.type))
}

/** An integer that JSON cannot represent exactly was already rounded when it was parsed, so it is refused. */
function requireExact(value: DataValue, type: DataColumn['type'] | undefined): DataValue {
  if (type === 'integer' && typeof value === 'number' && !Number.isSafeInteger(value))
    throw new LineError(
      'a number in an integer column is not an integer, or it is beyond 2^53 and not written as "int"',
    )
  return value
}

const nonFiniteNumbers = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
])

function parseValue(value: unknown): DataValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  const [[kind, text] = [], ...otherEntries] = Object.entries(value as object) as [string, unknown][]
  if (otherEntries.length > 0 || typeof text !== 'string') throw new LineError('a value has an unknown type')
  if (kind === 'int' && /^-?\d{1,19}$/.test(text) && isInt64(BigInt(text))) return BigInt(text)
  if (kind === 'blob' && /^[\w+/]*={0,2}$/.test(text)) return new Uint8Array(Buffer.from(text, 'base64'))
  const realValue = kind === 'real' ? nonFiniteNumbers.get(text) : undefined
  if (realValue === undefined) throw new LineError('a value has an unknown type')
  return realValue
}

const isInt64 = (value: bigint) => BigInt.asIntN(64, value) === value

/** Parses the head of a table or the final row. Throws a LineError. */
function readMark(line: string): Exclude<DataPiece, { kind: 'rows' }> {
  const { table, columns, statement, end } = parseObject(line) as Record<string, unknown>
  if (isStringArray(end)) return { kind: 'end', statements: end }
  if (typeof table !== 'string' || typeof statement !== 'string' || !isColumns(columns))
    throw new LineError('a line is neither a row, a table nor the last line')
  return { kind: 'table', name: table, columns, statement }
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

function isColumns(value: unknown): value is DataColumn[] {
  return Array.isArray(value) && value.length <= maxColumns && value.every(isColumn)
}

function isColumn(value: unknown): value is DataColumn {
  const { name, type, notNull, key } = (value ?? {}) as Record<string, unknown>
  const hasNameAndType = typeof name === 'string' && typeof type === 'string' && columnTypes.includes(type)
  return hasNameAndType && typeof notNull === 'boolean' && Number.isSafeInteger(key) && Number(key) >= 0
}

function parseObject(line: string): object {
  requireFewMarks(line)
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The error is thrown below.
  }
  throw new LineError('a line is not a JSON object or array')
}

const longLineChars = 256 * 1024
/** More than the head of a table with `maxColumns` columns needs. */
const maxMarks = 100_000

/** Refuses a long line with very many values before it is parsed, because they would need many times its memory. */
function requireFewMarks(line: string): void {
  if (line.length < longLineChars) return
  let markCount = 0
  for (let index = 0; index < line.length; index++) {
    const character = line[index]
    if (character === '"') index = findStringEnd(line, index)
    else if (character === ',' || character === '[' || character === '{') markCount++
    if (markCount > maxMarks) throw new LineError('a line has too many values')
  }
}

/** Returns the index of the quotation mark that ends the string. */
function findStringEnd(line: string, start: number): number {
  for (let end = line.indexOf('"', start + 1); end >= 0; end = line.indexOf('"', end + 1)) {
    let slashCount = 0
    while (line[end - 1 - slashCount] === '\\') slashCount++
    if (slashCount % 2 === 0) return end
  }
  return line.length
}

/** Maximum number of rows, and about the maximum number of characters, of a parsed piece. */
const maxPiece = { rows: 1_000, chars: 4 * 2 ** 20 }

/** Parses the lines of the data one by one, and groups their rows into pieces. */
export class DataLineReader {
  #columns: Columns | null = null
  #tableCount = 0
  #rows: DataValue[][] = []
  #charCount = 0
  hasEnded = false

  /** Returns the pieces that this line completes. Throws a LineError. */
  readLine(line: string): DataPiece[] {
    if (this.hasEnded) throw new LineError('the data continues after its last line')
    return line.startsWith('[') ? this.#readRow(line) : this.#readMark(line)
  }

  #readRow(line: string): DataPiece[] {
    if (this.#columns === null) throw new LineError('a row comes before its table')
    this.#rows.push(readRow(line, this.#columns))
    this.#charCount += line.length
    return this.#rows.length < maxPiece.rows && this.#charCount < maxPiece.chars ? [] : this.#flushRows()
  }

  #readMark(line: string): DataPiece[] {
    const mark = readMark(line)
    if (mark.kind === 'end') this.hasEnded = true
    else if (++this.#tableCount > maxTables) throw new LineError('it has too many tables')
    else this.#columns = mark.columns
    return [...this.#flushRows(), mark]
  }

  #flushRows(): DataPiece[] {
    if (this.#rows.length === 0) return []
    const rows = this.#rows
    this.#rows = []
    this.#charCount = 0
    return [{ kind: 'rows', rows }]
  }
}

/**
 * Parses the data from a stream of bytes, which may be split anywhere. Throws a LineError if a line is not valid, if the last line is
 * missing or if something follows it. Rethrows the errors of `bytes`. Only after the end were all pieces valid.
 */
export async function* parseData(
  bytes: AsyncIterable<Uint8Array>,
  { maxLine = maxLineBytes }: { maxLine?: number } = {},
): AsyncGenerator<DataPiece> {
  const reader = new DataLineReader()
  for await (const line of splitLines(bytes, maxLine)) yield* reader.readLine(line)
  if (!reader.hasEnded) throw new LineError('the last line of the data is missing, so the data is incomplete')
}

const chunkChars = 64 * 1024

/** Formats the data as bytes, in chunks of about 64 KB or one line. Throws a LineError if a line is too long. Rethrows the errors of `pieces`. */
export async function* formatData(
  pieces: AsyncIterable<DataPiece>,
  { maxLine = maxLineBytes }: { maxLine?: number } = {},
): AsyncGenerator<Buffer> {
  let columns: Columns = []
  let buffered = ''
  for await (const piece of pieces) {
    if (piece.kind === 'table') columns = piece.columns
    for (const line of formatLines(piece, columns)) {
      if (line.length > maxLine || Buffer.byteLength(line) > maxLine) throw new LineError('a line is too long')
      buffered += `${line}\n`
      if (buffered.length < chunkChars) continue
      yield Buffer.from(buffered)
      buffered = ''
    }
  }
  yield Buffer.from(buffered)
}

const newline = 0x0a

/** Invalid bytes would otherwise become other characters without an error. */
function decodeLine(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new LineError('a line is not UTF-8')
  return bytes.toString()
}

/**
 * Yields the lines without their ends. Throws a LineError if a line is not UTF-8, if it has more than `maxLine` bytes, or if the last one
 * does not end.
 */
export async function* splitLines(bytes: AsyncIterable<Uint8Array>, maxLine: number): AsyncGenerator<string> {
  let bufferedChunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    let lineStart = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, lineStart)) {
      if (length + end - lineStart > maxLine) throw new LineError('a line is too long')
      yield decodeLine(Buffer.concat([...bufferedChunks, chunk.subarray(lineStart, end)]))
      bufferedChunks = []
      length = 0
      lineStart = end + 1
    }
    if (lineStart < chunk.length) bufferedChunks.push(chunk.subarray(lineStart))
    length += chunk.length - lineStart
    if (length > maxLine) throw new LineError('a line is too long')
  }
  if (length > 0) throw new LineError('it ends within a line')
}
