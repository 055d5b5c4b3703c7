/** Maps endpoints to HTTP. Matching is synchronous, because a worker must decide whether it responds before its event handler returns. */
import type { EndpointInput, Endpoint, ValueSchema, ObjectSchema } from '#contract/endpoint.ts'

export interface HttpRequest {
  method: string
  path: string
  contentType: string | null
  body: string | null
}

type AnyInput = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

const encodePath = (path: string, params: Record<string, unknown> = {}) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])).replace(/^%7E/i, '~'))

/** Encodes name and value pairs in a stable order without empty ones, so that equal requests have equal addresses. */
function encodePairs(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  pairs.sort(([a], [b]) => (a < b ? -1 : 1))
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString()
}

/** Builds the request of an endpoint. The caller builds multipart bodies, because it has the bytes. */
export function toHttpRequest<
  P extends ObjectSchema | undefined,
  Q extends ObjectSchema | undefined,
  B extends ValueSchema | undefined,
>(endpoint: Endpoint<P, Q, B>, input: EndpointInput<P, Q, B>): HttpRequest {
  const { params, query, body } = input as AnyInput
  const queryText = query ? encodePairs(query) : ''
  const path = encodePath(endpoint.path, params) + (queryText ? `?${queryText}` : '')
  if (body === undefined) return { method: endpoint.method, path, contentType: null, body: null }
  if (endpoint.encoding === 'form') {
    const form = encodePairs(body as Record<string, unknown>)
    return { method: endpoint.method, path, contentType: 'application/x-www-form-urlencoded', body: form }
  }
  return { method: endpoint.method, path, contentType: 'application/json', body: JSON.stringify(body) }
}

interface CompiledEndpoint {
  endpoint: Endpoint
  pattern: RegExp
  names: string[]
}

export type EndpointMatch = { endpoint: Endpoint; params: Record<string, string> }

/** Literal segments take precedence over parameters, as on the server: `/pdb/traffic` before `/pdb/traffic/:id`. */
export function createEndpointMatcher(
  endpoints: readonly Endpoint[],
): (method: string, pathname: string) => EndpointMatch | null {
  const compiledEndpoints: CompiledEndpoint[] = endpoints.map((endpoint) => {
    const names: string[] = []
    const source = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
      names.push(name)
      return '([^/]+)'
    })
    return { endpoint, pattern: new RegExp(`^${source}$`), names }
  })
  compiledEndpoints.sort((a, b) => a.names.length - b.names.length)
  return (method, pathname) => {
    for (const { endpoint, pattern, names } of compiledEndpoints) {
      if (endpoint.method !== method) continue
      const match = pattern.exec(pathname)
      if (match)
        return {
          endpoint,
          params: Object.fromEntries(names.map((name, index) => [name, decode(match[index + 1] ?? '')])),
        }
    }
    return null
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

interface SchemaDefinition {
  type: string
  innerType?: ValueSchema
  options?: ValueSchema[]
  values?: unknown[]
  shape?: Record<string, ValueSchema>
}
const getDefinition = (schema: ValueSchema) => (schema as unknown as { _zod: { def: SchemaDefinition } })._zod.def

function listAcceptedTypes(schema: ValueSchema): Set<string> {
  const definition = getDefinition(schema)
  if (definition.innerType) return listAcceptedTypes(definition.innerType)
  if (definition.options) return new Set(definition.options.flatMap((option) => [...listAcceptedTypes(option)]))
  if (definition.type === 'literal') return new Set((definition.values ?? []).map((value) => typeof value))
  return new Set([definition.type])
}

/** Converts a string to the type in the schema, or returns it unchanged, so that the schema rejects it. */
function parseString(schema: ValueSchema, value: string): unknown {
  const types = listAcceptedTypes(schema)
  if ((types.has('number') || types.has('int')) && /^-?\d{1,15}(\.\d{1,10})?$/.test(value)) return Number(value)
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/**
 * Converts query, form and path values only to their declared types (S-02). Names that occur twice are returned in `repeated`. An empty
 * query value is treated as missing, unless the schema accepts strings.
 */
export function convertPairs(
  shape: ObjectSchema,
  pairs: Iterable<[string, string]>,
): { values: Record<string, unknown>; repeated: string[] } {
  const schemas = (getDefinition(shape).shape ?? {}) as Record<string, ValueSchema>
  const values: Record<string, unknown> = {}
  const repeated: string[] = []
  for (const [name, value] of pairs) {
    if (Object.hasOwn(values, name)) repeated.push(name)
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    if (name === '__proto__') continue
    if (schema && value === '' && !listAcceptedTypes(schema).has('string')) continue
    values[name] = schema ? parseString(schema, value) : value
  }
  return { values, repeated }
}
