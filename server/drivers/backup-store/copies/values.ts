/** Values as PostgreSQL's text of them, and back: each exactly what it was. */
import { StoreError } from '#server/drivers/backup-store/driver.ts'
import type { DataColumn, DataValue } from '#server/drivers/hosting/driver.ts'

type Type = DataColumn['type']

/** `any` has its kind before it: `i:`, `r:`, `t:`, `b:`. */
export const columnTypes: Record<Type, string> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
  blob: 'bytea',
  any: 'text',
}

/** How a column is asked for, so that `fromText` reads it. */
export const asText = (column: string, type: Type): string =>
  type === 'blob' ? `encode(${column}, 'hex')` : `${column}::text`

/** Throws where the value is not of its column's type. */
export function toText(value: DataValue, { name, type }: Pick<DataColumn, 'name' | 'type'>): string | null {
  if (value === null) return null
  if (type === 'any') return tagged(value)
  const kind = kindOf(value)
  if (kind === type || (kind === 'real' && type === 'integer' && Number.isSafeInteger(value))) return plain(value, type)
  throw new StoreError('damaged', `Column ${JSON.stringify(name)} of type ${type} holds a value of another type.`)
}

function kindOf(value: Exclude<DataValue, null>): Exclude<Type, 'any'> {
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'real'
  return typeof value === 'string' ? 'text' : 'blob'
}

const tagged = (value: Exclude<DataValue, null>) => {
  const kind = kindOf(value)
  return `${kind.charAt(0)}:${kind === 'blob' ? hexOf(value as Uint8Array) : plain(value, kind)}`
}

function plain(value: Exclude<DataValue, null>, type: Exclude<Type, 'any'>): string {
  if (type === 'text') return storable(value as string)
  if (type === 'blob') return `\\x${hexOf(value as Uint8Array)}`
  return Object.is(value, -0) && type === 'real' ? '-0' : String(value)
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

/** Before a text that is written as JSON, because PostgreSQL's has no NUL and no half of a pair. */
const escape = '\u241b'

const storable = (text: string) =>
  text.includes('\0') || !text.isWellFormed() || text.startsWith(escape) ? escape + JSON.stringify(text) : text

const unescaped = (text: string) => (text.startsWith(escape) ? (JSON.parse(text.slice(1)) as string) : text)

export function fromText(text: string | null, type: Type): DataValue {
  if (text === null) return null
  if (type !== 'any') return valueOf(text, type)
  const found = (['integer', 'real', 'text', 'blob'] as const).find((kind) => text.startsWith(`${kind.charAt(0)}:`))
  if (found === undefined) throw new StoreError('damaged', 'A value of the copy is of no known kind.')
  const rest = text.slice(2)
  // Which of both it was is part of the value here.
  return found === 'integer' ? BigInt(rest) : valueOf(rest, found)
}

function valueOf(text: string, type: Exclude<Type, 'any'>): DataValue {
  if (type === 'text') return unescaped(text)
  if (type === 'blob') return new Uint8Array(Buffer.from(text, 'hex'))
  const number = Number(text)
  return type === 'real' || Number.isSafeInteger(number) ? number : BigInt(text)
}
