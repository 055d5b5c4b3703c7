/** Where a PUT may have the id of its row: in the path and in the body (D55). One of the two is in the table of calls. */
import type { Endpoint } from '#contract/endpoint.ts'
import type { Received } from '#server/http/input/parse.ts'
import { invalid } from '#server/problems/problem-error.ts'

const suffix = '/:id'

/** The address that the table does not have; null: the call has no id, or none that could be elsewhere. */
export function otherPathOf({ method, path, body, encoding }: Endpoint): string | null {
  if (method !== 'PUT' || !body || encoding !== undefined) return null
  if (path.endsWith(suffix)) return path.slice(0, -suffix.length)
  return 'shape' in body && 'id' in (body.shape as object) ? path + suffix : null
}

/**
 * The same request with its id where the table has it. Throws VALIDATION_ERROR for two ids that differ: which row is meant could be
 * read in two ways.
 */
export function placeId(endpoint: Endpoint, received: Received): Received {
  const other = otherPathOf(endpoint)
  const { params, body } = received
  if (other === null || body.kind !== 'json' || !isObject(body.value)) return received
  const { id: inBody, ...rest } = body.value
  const inPath = params['id']
  if (inPath !== undefined && inBody !== undefined && String(inBody) !== inPath)
    throw invalid([{ field: 'id', code: 'INVALID_FORMAT' }])
  if (endpoint.path.endsWith(suffix)) {
    const isName = typeof inBody === 'number' || typeof inBody === 'string'
    const id = inPath ?? (isName ? String(inBody) : undefined)
    return { ...received, params: id === undefined ? params : { ...params, id }, body: { kind: 'json', value: rest } }
  }
  if (inPath === undefined) return received
  const { id: _, ...others } = params
  const id = /^\d{1,15}$/.test(inPath) ? Number(inPath) : inPath
  return { ...received, params: others, body: { kind: 'json', value: { ...rest, id } } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
