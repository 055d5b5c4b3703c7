/**
 * Formats data pieces as JSON rows. The same data always gives the same rows, regardless of how it was split and where it was stored. So
 * the SHA-256 of the rows proves the data (`digest.ts`).
 */
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/hosting-driver.ts'

export class LineError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LineError'
  }
}

const columnTypes = ['integer', 'real', 'text', 'blob', 'any']
export const maxColumns = 2_000

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
export function readRow(line: string, columns: Columns): DataValue[] {
  const row = parseObject(line)
  if (!Array.isArray(row) || row.length !== columns.length)
    throw new LineError('a row does not have the columns of its table')
  return row.map(parseValue)
}

const nonFiniteNumbers: Record<string, number> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity }

function parseValue(value: unknown): DataValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  const [[kind, text] = [], ...otherEntries] = Object.entries(value as object) as [string, unknown][]
  if (otherEntries.length > 0 || typeof text !== 'string') throw new LineError('a value has an unknown type')
  if (kind === 'int' && /^-?\d{1,19}$/.test(text)) return BigInt(text)
  if (kind === 'blob' && /^[\w+/]*={0,2}$/.test(text)) return new Uint8Array(Buffer.from(text, 'base64'))
  const realValue = kind === 'real' ? nonFiniteNumbers[text] : undefined
  if (realValue === undefined) throw new LineError('a value has an unknown type')
  return realValue
}

/** Parses the head of a table or the final row. Throws a LineError. */
export function readMark(line: string): Exclude<DataPiece, { kind: 'rows' }> {
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
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The error is thrown below.
  }
  throw new LineError('a line is not a JSON object or array')
}
