/** Converts values to PostgreSQL's text format and back without any loss. */
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import type { DataColumn, DataValue } from '#server/drivers/hosting/hosting-driver.ts'

type ColumnType = DataColumn['type']

/** PostgreSQL's type of each column type. In an `any` column each value has a type prefix: `i:`, `r:`, `t:` or `b:`. */
export const columnTypes: Record<ColumnType, string> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
  blob: 'bytea',
  any: 'text',
}

export const toTextExpression = (column: string, type: ColumnType): string =>
  type === 'blob' ? `encode(${column}, 'hex')` : `${column}::text`

/** Throws `damaged` if the value does not have its column's type. */
export function formatValue(value: DataValue, { name, type }: Pick<DataColumn, 'name' | 'type'>): string | null {
  if (value === null) return null
  if (type === 'any') return formatTagged(value)
  const kind = getValueType(value)
  if (kind === type || (kind === 'real' && type === 'integer' && Number.isSafeInteger(value)))
    return formatPlain(value, type)
  throw new StoreError('damaged', `Column ${JSON.stringify(name)} of type ${type} contains a value of another type.`)
}

function getValueType(value: Exclude<DataValue, null>): Exclude<ColumnType, 'any'> {
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'real'
  return typeof value === 'string' ? 'text' : 'blob'
}

const formatTagged = (value: Exclude<DataValue, null>) => {
  const kind = getValueType(value)
  return `${kind.charAt(0)}:${kind === 'blob' ? toHex(value as Uint8Array) : formatPlain(value, kind)}`
}

function formatPlain(value: Exclude<DataValue, null>, type: Exclude<ColumnType, 'any'>): string {
  if (type === 'text') return escapeText(value as string)
  if (type === 'blob') return `\\x${toHex(value as Uint8Array)}`
  return Object.is(value, -0) && type === 'real' ? '-0' : String(value)
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

/** First character of a text that is escaped as JSON, because PostgreSQL's text allows neither NUL nor unpaired surrogates. */
const escapeMark = '\u241b'

const escapeText = (text: string) =>
  text.includes('\0') || !text.isWellFormed() || text.startsWith(escapeMark) ? escapeMark + JSON.stringify(text) : text

const unescapeText = (text: string) => (text.startsWith(escapeMark) ? (JSON.parse(text.slice(1)) as string) : text)

export function parseValue(text: string | null, type: ColumnType): DataValue {
  if (text === null) return null
  if (type !== 'any') return parsePlain(text, type)
  const taggedType = (['integer', 'real', 'text', 'blob'] as const).find((kind) =>
    text.startsWith(`${kind.charAt(0)}:`),
  )
  if (taggedType === undefined) throw new StoreError('damaged', 'A value of the copy has an unknown type.')
  const rest = text.slice(2)
  // In an `any` column the value contains its original type, so an integer is returned as bigint.
  return taggedType === 'integer' ? BigInt(rest) : parsePlain(rest, taggedType)
}

function parsePlain(text: string, type: Exclude<ColumnType, 'any'>): DataValue {
  if (type === 'text') return unescapeText(text)
  if (type === 'blob') return new Uint8Array(Buffer.from(text, 'hex'))
  const number = Number(text)
  return type === 'real' || Number.isSafeInteger(number) ? number : BigInt(text)
}
