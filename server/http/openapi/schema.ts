import * as z from 'zod'
import type { RowKind, ValueSchema } from '#contract/endpoint.ts'
import { endpointsByNoun } from '#contract/index.ts'
import { getRefKind } from '#contract/values.ts'

export interface JsonSchema {
  $ref?: string
  type?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  [extension: string]: unknown
}

/** Names of the row schemas. A schema with a name appears only once in the document. */
const rowNames = z.registry<{ id: string }>()
for (const row of Object.values(endpointsByNoun).flat())
  if (row.list && !rowNames.has(row.list.row)) rowNames.add(row.list.row, { id: toPascalCase(row.list.table) })

function toPascalCase(table: string) {
  return table.replace(/(?:^|_)(\w)/g, (_, initial: string) => initial.toUpperCase())
}

export function toJsonSchema(
  schema: ValueSchema,
  io: 'input' | 'output',
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const result = z.toJSONSchema(schema, {
    io,
    metadata: rowNames,
    override: ({ zodSchema, jsonSchema: target }) => replaceIdSchema(zodSchema, target as JsonSchema),
  }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>
  }
  const { $defs = {}, $schema: _, ...schemaFields } = result
  for (const [name, definition] of Object.entries($defs)) schemas[name] = simplifySchema(definition)
  return simplifySchema(schemaFields)
}

const kindNames: Partial<Record<RowKind, string>> = { price: 'price list' }

function replaceIdSchema(zodSchema: z.core.$ZodType, target: JsonSchema) {
  const kind = 'innerType' in zodSchema._zod.def ? undefined : getRefKind(zodSchema as unknown as ValueSchema)
  // The id of an asset is text, not a number.
  if (!kind || kind === 'asset') return
  delete target.anyOf
  Object.assign(target, { $ref: '#/components/schemas/Id', description: `Id of the ${kindNames[kind] ?? kind}` })
}

/** Shortens the schema: alternatives of constants become an enum, and the limits of safe integers are removed. */
function simplifySchema(schema: JsonSchema): JsonSchema {
  const { anyOf, properties, items, additionalProperties, ...rest } = schema
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum
  if (rest.minLength === 0) delete rest.minLength
  if (rest.$ref) rest.$ref = rest.$ref.replace('#/$defs/', '#/components/schemas/')
  return {
    ...rest,
    ...(anyOf && simplifyAlternatives(anyOf)),
    ...(items && { items: simplifySchema(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, simplifySchema(property)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? simplifySchema(additionalProperties) : additionalProperties,
    }),
  }
}

function simplifyAlternatives(anyOf: JsonSchema[]): JsonSchema {
  const types = new Set(anyOf.map(({ type }) => type))
  if (anyOf.every((alternative) => 'const' in alternative) && types.size === 1)
    return { type: [...types][0] ?? 'string', enum: anyOf.map((alternative) => alternative.const) }
  return { anyOf: anyOf.map(simplifySchema) }
}
