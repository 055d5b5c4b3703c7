/** The contract's schemas as JSON Schema, said as shortly as a reader would say them. */
import * as z from 'zod'
import type { Schema } from '#contract/endpoint.ts'
import { nouns } from '#contract/index.ts'
import { refKind } from '#contract/values.ts'

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

/** Rows get a name of their own, so that a reader meets each once. */
const named = z.registry<{ id: string }>()
for (const row of Object.values(nouns).flat())
  if (row.list && !named.has(row.list.row)) named.add(row.list.row, { id: pascal(row.list.table) })

function pascal(table: string) {
  return table.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** What goes in or comes out, as JSON Schema; rows that have a name are put into `schemas` and referred to. */
export function jsonSchema(schema: Schema, io: 'input' | 'output', schemas: Record<string, JsonSchema>): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io,
    metadata: named,
    override: ({ zodSchema, jsonSchema: made }) => nameIds(zodSchema, made as JsonSchema),
  }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>
  }
  const { $defs = {}, $schema: _, ...rest } = made
  for (const [name, definition] of Object.entries($defs)) schemas[name] = tidy(definition)
  return tidy(rest)
}

function nameIds(zodSchema: z.core.$ZodType, made: JsonSchema) {
  const kind = 'innerType' in zodSchema._zod.def ? undefined : refKind(zodSchema as unknown as Schema)
  // An asset's id is a word of its own shape, not a number.
  if (!kind || kind === 'asset') return
  delete made.anyOf
  Object.assign(made, { $ref: '#/components/schemas/Id', description: `Of a ${kind}` })
}

/** Says the same in fewer words: constants side by side are an enum, the bounds of every integer are no news. */
function tidy(schema: JsonSchema): JsonSchema {
  const { anyOf, properties, items, additionalProperties, ...rest } = schema
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum
  if (rest.minimum === Number.MIN_SAFE_INTEGER) delete rest.minimum
  if (rest.minLength === 0) delete rest.minLength
  if (rest.$ref) rest.$ref = rest.$ref.replace('#/$defs/', '#/components/schemas/')
  return {
    ...rest,
    ...(anyOf && alternatives(anyOf)),
    ...(items && { items: tidy(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, tidy(property)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? tidy(additionalProperties) : additionalProperties,
    }),
  }
}

function alternatives(anyOf: JsonSchema[]): JsonSchema {
  const types = new Set(anyOf.map(({ type }) => type))
  if (anyOf.every((one) => 'const' in one) && types.size === 1)
    return { type: [...types][0] ?? 'string', enum: anyOf.map((one) => one.const) }
  return { anyOf: anyOf.map(tidy) }
}
