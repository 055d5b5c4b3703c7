/** Builds values that a schema of the contract accepts. */
import * as z from 'zod/mini'
import type { ValueSchema } from '#contract/endpoint.ts'
import { getRefKind } from '#contract/values.ts'
import type { KnownValues } from '#tests/campaigns/judges/responses/known-values.ts'

const oneDayMs = 86_400_000
/** `yyyy-MM-dd`. Terms and payments start on a day that has not passed. */
const tomorrow = new Date(Date.now() + oneDayMs).toISOString().slice(0, 10)
const isDate = (schema: ValueSchema) => isAccepted(schema, tomorrow) && !isAccepted(schema, 'Example')

/** Tried in this order for a field of which no value is known. */
const examples: readonly unknown[] = [
  'Example',
  'example',
  'someone@example.com',
  '2027-03-01 09:00:00',
  '2027-03',
  '1.00',
  'abcdefghijkl',
  '0'.repeat(32),
  '0'.repeat(64),
  '+852 2345 6789',
  'https://example.com/',
  '0',
  '',
  1,
  0,
  10,
  100,
  1000,
]

/** The parts of the definition of a schema that are read here. */
interface Definition {
  type: string
  innerType?: ValueSchema
  in?: ValueSchema
  element?: ValueSchema
  shape?: Record<string, ValueSchema>
  options?: readonly ValueSchema[]
  values?: readonly unknown[]
  entries?: Record<string, unknown>
}

export interface BuildOptions {
  knownValues: KnownValues
  /** The value of this index is taken of those that are possible, so that requests differ. */
  variant: number
  /** Fields of bodies that may be missing. They are never part of a query. */
  hasOptionalFields: boolean
  /** For calls that delete or end something: the caller is left out. */
  isDeletion: boolean
}

const getDefinition = (schema: ValueSchema) => (schema as unknown as { _zod: { def: Definition } })._zod.def
const isAccepted = (schema: ValueSchema, value: unknown) => z.safeParse(schema, value).success

/**
 * Returns undefined if the value can be left out, or if none is found that the schema accepts. `name` is that of its field, and `preferred`
 * are values to try first.
 */
export function buildValue(
  schema: ValueSchema,
  name: string,
  options: BuildOptions,
  preferred: readonly unknown[] = [],
): unknown {
  const values = [...preferred, ...listValues(schema, name, options)]
  const accepted = [...new Set(values)].filter((value) => isAccepted(schema, value))
  return accepted[options.variant % Math.max(accepted.length, 1)]
}

/** Returns the fields of an object. */
export function buildFields(schema: ValueSchema, options: BuildOptions): Record<string, unknown> {
  const fields = Object.entries(getDefinition(schema).shape ?? {}).map(
    ([name, field]) => [name, buildValue(field, name, options)] as const,
  )
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** Returns values for a field that the schema may accept, the best first. */
function listValues(schema: ValueSchema, name: string, options: BuildOptions): unknown[] {
  const { knownValues, hasOptionalFields, isDeletion } = options
  const kind = getRefKind(schema)
  const { type, innerType, in: input, element, shape, options: alternatives, values, entries } = getDefinition(schema)
  if (type === 'optional' || type === 'default' || type === 'prefault')
    return hasOptionalFields && innerType ? listValues(innerType, name, options) : [undefined]
  if (kind === 'user')
    return [
      ...(isDeletion ? [] : [knownValues.userId]),
      ...knownValues.listIds(kind).filter((id) => id !== knownValues.userId),
    ]
  if (kind) return [...knownValues.listIds(kind), ...knownValues.listFieldValues(name)]
  if (type === 'nullable' && innerType) return [...listValues(innerType, name, options), null]
  if (type === 'pipe' && input) return listValues(input, name, options)
  if (shape) return [buildFields(schema, options)]
  if (element) return [[buildValue(element, name, options)]]
  if (alternatives) return alternatives.flatMap((alternative) => listValues(alternative, name, options))
  if (entries) return Object.values(entries)
  if (type === 'literal') return [...(values ?? [])]
  if (type === 'boolean') return [false, true]
  if (type === 'record') return [{}]
  return [...(isDate(schema) ? [tomorrow] : []), ...knownValues.listFieldValues(name), ...examples]
}
