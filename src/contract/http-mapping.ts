/**
 * Between an endpoint and HTTP, for whoever needs it: the page builds requests with it, the worker and the server read
 * them. Matching is pure and synchronous, because a worker must say at once whether it answers.
 */
import type { Asked, Endpoint, Schema, Shape } from '#contract/endpoint.ts'

export interface Wire {
  method: string
  /** Path and query, without the origin. */
  path: string
  contentType: string | null
  body: string | null
}

type AnyAsked = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

const encodePath = (path: string, params: Record<string, unknown> = {}) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])).replace(/^%7E/i, '~'))

/** Pairs in a stable order, what is not given left out: one asking has one address. */
function encodePairs(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  pairs.sort(([a], [b]) => (a < b ? -1 : 1))
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString()
}

/** The request that asks it. Multipart bodies are built by whoever has the bytes. */
export function toWire<P extends Shape | undefined, Q extends Shape | undefined, B extends Schema | undefined>(
  endpoint: Endpoint<P, Q, B>,
  asked: Asked<P, Q, B>,
): Wire {
  const { params, query, body } = asked as AnyAsked
  const search = query ? encodePairs(query) : ''
  const path = encodePath(endpoint.path, params) + (search ? `?${search}` : '')
  if (body === undefined) return { method: endpoint.method, path, contentType: null, body: null }
  if (endpoint.encoding === 'form') {
    const form = encodePairs(body as Record<string, unknown>)
    return { method: endpoint.method, path, contentType: 'application/x-www-form-urlencoded', body: form }
  }
  return { method: endpoint.method, path, contentType: 'application/json', body: JSON.stringify(body) }
}

interface Compiled {
  endpoint: Endpoint
  pattern: RegExp
  names: string[]
}

export type Match = { endpoint: Endpoint; params: Record<string, string> }

/** Literal segments win over parameters, as on the server: `/pdb/traffic` before `/pdb/traffic/:id`. */
export function matcher(endpoints: readonly Endpoint[]): (method: string, pathname: string) => Match | null {
  const compiled: Compiled[] = endpoints.map((endpoint) => {
    const names: string[] = []
    const source = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
      names.push(name)
      return '([^/]+)'
    })
    return { endpoint, pattern: new RegExp(`^${source}$`), names }
  })
  compiled.sort((a, b) => a.names.length - b.names.length)
  return (method, pathname) => {
    for (const { endpoint, pattern, names } of compiled) {
      if (endpoint.method !== method) continue
      const found = pattern.exec(pathname)
      if (found)
        return { endpoint, params: Object.fromEntries(names.map((name, at) => [name, decode(found[at + 1] ?? '')])) }
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

interface Def {
  type: string
  innerType?: Schema
  options?: Schema[]
  values?: unknown[]
  shape?: Record<string, Schema>
}
const defOf = (schema: Schema) => (schema as unknown as { _zod: { def: Def } })._zod.def

/** The plain types a schema takes, seen through optional, default, nullable and unions. */
function takes(schema: Schema): Set<string> {
  const def = defOf(schema)
  if (def.innerType) return takes(def.innerType)
  if (def.options) return new Set(def.options.flatMap((option) => [...takes(option)]))
  if (def.type === 'literal') return new Set((def.values ?? []).map((value) => typeof value))
  return new Set([def.type])
}

/** A string as the type the schema declares; what does not fit stays a string, for the schema to refuse. */
function fromString(schema: Schema, value: string): unknown {
  const types = takes(schema)
  if ((types.has('number') || types.has('int')) && /^-?\d{1,15}(\.\d{1,10})?$/.test(value)) return Number(value)
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/**
 * Query, form and path values by their declared type only (S-02). A name given twice is a mistake and comes back in
 * `repeated`; an empty value of a query is as good as none, except where the schema knows the empty string.
 */
export function fromPairs(
  shape: Shape,
  pairs: Iterable<[string, string]>,
): { values: Record<string, unknown>; repeated: string[] } {
  const fields = (defOf(shape).shape ?? {}) as Record<string, Schema>
  const values: Record<string, unknown> = {}
  const repeated: string[] = []
  for (const [name, value] of pairs) {
    if (Object.hasOwn(values, name)) repeated.push(name)
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (name === '__proto__') continue
    // A filter or form field left empty; text may mean it.
    if (field && value === '' && !takes(field).has('string')) continue
    values[name] = field ? fromString(field, value) : value
  }
  return { values, repeated }
}
