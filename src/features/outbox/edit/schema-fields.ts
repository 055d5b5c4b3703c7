/** Derives the fields of a call's body from its schema in the contract. For writes whose noun has no form of its own. */
import { findEndpoint, type ValueSchema } from '#contract/endpoint.ts'

export interface SchemaField {
  name: string
  kind: 'text' | 'number' | 'flag' | 'choice' | 'fixed'
  /** Only set for a choice. */
  values: (string | number | boolean)[]
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

/** Returns the fields that this body contains, in the order of the contract. */
export function getSchemaFields(endpoint: string, body: Readonly<Record<string, unknown>>): SchemaField[] {
  const schema = findEndpoint(endpoint)?.body
  const shape = schema ? (getDefinition(schema).shape ?? {}) : {}
  return Object.entries(shape).flatMap(([name, field]) => (name in body ? [toSchemaField(name, field)] : []))
}

/** Types with an input. The page's schemas omit the values of an enum, so it is text that the server checks. */
const kindsByType: Partial<Record<string, SchemaField['kind']>> = {
  string: 'text',
  enum: 'text',
  number: 'number',
  int: 'number',
  boolean: 'flag',
}

function toSchemaField(name: string, field: ValueSchema): SchemaField {
  const definition = getDefinition(field)
  const { type, innerType } = definition
  if (innerType) return { ...toSchemaField(name, innerType), isOptional: type !== 'default' }
  const choices = getChoices(definition)
  const kind = choices ? 'choice' : (kindsByType[type] ?? 'fixed')
  return { name, kind, values: (choices ?? []) as SchemaField['values'], isOptional: false }
}

/** Returns null if other values are possible as well. */
function getChoices({ type, options = [], values = [], entries }: SchemaDefinition): unknown[] | null {
  if (type === 'enum') return entries ? Object.values(entries) : null
  if (type === 'literal') return values
  const literals = options.map(getDefinition)
  const isChoice = literals.length > 0 && literals.every((literal) => literal.type === 'literal')
  return isChoice ? literals.flatMap((literal) => literal.values ?? []) : null
}

/** Parses the text of a field. Returns `NaN` if a number was expected and the text is not one. */
export function parseFieldValue({ kind, values, isOptional }: SchemaField, text: string): unknown {
  if (kind === 'choice') return values.find((candidate) => String(candidate) === text) ?? null
  if (text.trim() === '' && isOptional) return null
  return kind === 'number' ? (text.trim() === '' ? Number.NaN : Number(text)) : text.trim()
}
