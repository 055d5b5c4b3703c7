/** What can be filled in of a call's body, read off its schema in the contract: for writes whose noun has no form here. */
import { findEndpoint, type ValueSchema } from '#contract/endpoint.ts'

export interface SchemaField {
  name: string
  kind: 'text' | 'number' | 'flag' | 'choice' | 'fixed'
  /** Of a choice. */
  values: (string | number | boolean)[]
  /** May be left empty. */
  isOptional: boolean
}

interface SchemaDefinition {
  type: string
  innerType?: ValueSchema
  options?: ValueSchema[]
  values?: unknown[]
  entries?: Record<string, string>
  shape?: Record<string, ValueSchema>
}
const getDefinition = (schema: ValueSchema) => (schema as unknown as { _zod: { def: SchemaDefinition } })._zod.def

/** In the contract's order; only those that were asked, where any were: a change names no more than it changes. */
export function getSchemaFields(endpoint: string, body: Readonly<Record<string, unknown>>): SchemaField[] {
  const schema = findEndpoint(endpoint)?.body
  const shape = schema ? (getDefinition(schema).shape ?? {}) : {}
  return Object.entries(shape).flatMap(([name, field]) => (name in body ? [toSchemaField(name, field)] : []))
}

function toSchemaField(name: string, field: ValueSchema): SchemaField {
  const { type, innerType, options, values, entries } = getDefinition(field)
  if (innerType) return { ...toSchemaField(name, innerType), isOptional: type !== 'default' }
  const schemaField = { name, values: [], isOptional: false }
  if (type === 'string') return { ...schemaField, kind: 'text' }
  if (type === 'number' || type === 'int') return { ...schemaField, kind: 'number' }
  if (type === 'boolean') return { ...schemaField, kind: 'flag' }
  // The page's own reading of the schemas does not keep an enum's words: the server checks what is typed.
  if (type === 'enum')
    return entries
      ? { ...schemaField, kind: 'choice', values: Object.values(entries) }
      : { ...schemaField, kind: 'text' }
  const literals = (options ?? []).map(getDefinition)
  if (literals.length > 0 && literals.every((literal) => literal.type === 'literal'))
    return {
      ...schemaField,
      kind: 'choice',
      values: literals.flatMap((literal) => literal.values ?? []) as SchemaField['values'],
    }
  if (type === 'literal') return { ...schemaField, kind: 'choice', values: (values ?? []) as SchemaField['values'] }
  return { ...schemaField, kind: 'fixed' }
}

/** A field holds text; `NaN` for what was to be a number and is none. */
export function parseFieldValue({ kind, values, isOptional }: SchemaField, text: string): unknown {
  if (kind === 'choice') return values.find((candidate) => String(candidate) === text) ?? null
  if (text.trim() === '' && isOptional) return null
  return kind === 'number' ? (text.trim() === '' ? Number.NaN : Number(text)) : text.trim()
}
