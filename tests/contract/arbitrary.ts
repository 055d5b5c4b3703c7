/** Anything a schema of the contract accepts, as fast-check makes it: read off the schema's own JSON Schema. */
import * as fc from 'fast-check'
import * as z from 'zod'
import type { Schema } from '#contract/endpoint.ts'

interface Json {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Json[]
  properties?: Record<string, Json>
  required?: string[]
  items?: Json
  additionalProperties?: Json | boolean
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export const anything = (schema: Schema) => of(z.toJSONSchema(schema, { io: 'input' }) as Json)

function of(json: Json): fc.Arbitrary<unknown> {
  if ('const' in json) return fc.constant(json.const)
  if (json.enum) return fc.constantFrom(...json.enum)
  if (json.anyOf) return fc.oneof(...json.anyOf.map(of))
  switch (json.type) {
    case 'integer':
      return fc.integer(range(json))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return text(json)
    case 'array':
      return fc.array(of(json.items ?? {}), {
        minLength: json.minItems ?? 0,
        maxLength: Math.min(json.maxItems ?? 4, 4),
      })
    case 'object':
      return json.properties
        ? object(json)
        : fc.dictionary(fc.stringMatching(/^\w{1,10}$/), values(json), { maxKeys: 4 })
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const safe = 2 ** 31 - 1
const range = ({ minimum, exclusiveMinimum, maximum }: Json) => ({
  min: Math.max(minimum ?? (exclusiveMinimum === undefined ? -safe : exclusiveMinimum + 1), -safe),
  max: Math.min(maximum ?? safe, safe),
})

function text({ pattern, minLength = 0, maxLength = 40 }: Json): fc.Arbitrary<string> {
  if (pattern)
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= minLength && length <= maxLength)
  // Of every script, with blanks, quotes and line breaks in it.
  return fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) })
    .filter(({ length }) => length <= maxLength)
}

const values = ({ additionalProperties }: Json) =>
  of(typeof additionalProperties === 'object' ? additionalProperties : {})

const object = ({ properties = {}, required = [] }: Json) =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, of(property)])), {
    requiredKeys: required,
  })
