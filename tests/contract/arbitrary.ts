/** Builds fast-check arbitraries for every value that a contract schema accepts, from the JSON Schema of that schema. */
import * as fc from 'fast-check'
import * as z from 'zod'
import type { ValueSchema } from '#contract/endpoint.ts'

interface JsonSchema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export const createArbitrary = (schema: ValueSchema) =>
  fromJsonSchema(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)

function fromJsonSchema(json: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in json) return fc.constant(json.const)
  if (json.enum) return fc.constantFrom(...json.enum)
  if (json.anyOf) return fc.oneof(...json.anyOf.map(fromJsonSchema))
  switch (json.type) {
    case 'integer':
      return fc.integer(toIntegerRange(json))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return buildText(json)
    case 'array':
      return fc.array(fromJsonSchema(json.items ?? {}), {
        minLength: json.minItems ?? 0,
        maxLength: Math.min(json.maxItems ?? 4, 4),
      })
    case 'object':
      return json.properties
        ? buildObject(json)
        : fc.dictionary(fc.stringMatching(/^\w{1,10}$/), buildValues(json), { maxKeys: 4 })
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const maxInteger = 2 ** 31 - 1
const toIntegerRange = ({ minimum, exclusiveMinimum, maximum }: JsonSchema) => ({
  min: Math.max(minimum ?? (exclusiveMinimum === undefined ? -maxInteger : exclusiveMinimum + 1), -maxInteger),
  max: Math.min(maximum ?? maxInteger, maxInteger),
})

function buildText({ pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern)
    return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= minLength && length <= maxLength)
  // Characters of every script, including blanks, quotes and line breaks.
  return fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) })
    .filter(({ length }) => length <= maxLength)
}

const buildValues = ({ additionalProperties }: JsonSchema) =>
  fromJsonSchema(typeof additionalProperties === 'object' ? additionalProperties : {})

const buildObject = ({ properties = {}, required = [] }: JsonSchema) =>
  fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, fromJsonSchema(property)])),
    {
      requiredKeys: required,
    },
  )
