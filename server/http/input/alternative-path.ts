/** Where a PUT may have the id of its row: in the path and in the body (D55). One of the two is in the table of calls. */
import type { Endpoint } from '#contract/endpoint.ts'
import type { RequestParts } from '#server/http/input/parse.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'

const suffix = '/:id'

/** The address that the table does not have; null: the call has no id, or none that could be elsewhere. */
export function findAlternativePath({ method, path, body, encoding }: Endpoint): string | null {
  if (method !== 'PUT' || !body || encoding !== undefined) return null
  if (path.endsWith(suffix)) return path.slice(0, -suffix.length)
  return 'shape' in body && 'id' in (body.shape as object) ? path + suffix : null
}

/**
 * The same request with its id where the table has it. Throws VALIDATION_ERROR for two ids that differ: which row is meant could be
 * read in two ways.
 */
export function normaliseIdPosition(endpoint: Endpoint, requestParts: RequestParts): RequestParts {
  const alternativePath = findAlternativePath(endpoint)
  const { params, body } = requestParts
  if (alternativePath === null || body.kind !== 'json' || !isObject(body.value)) return requestParts
  const { id: bodyId, ...rest } = body.value
  const pathId = params['id']
  if (pathId !== undefined && bodyId !== undefined && String(bodyId) !== pathId)
    throw createValidationProblem([{ field: 'id', code: 'INVALID_FORMAT' }])
  if (endpoint.path.endsWith(suffix)) {
    const isIdValue = typeof bodyId === 'number' || typeof bodyId === 'string'
    const id = pathId ?? (isIdValue ? String(bodyId) : undefined)
    return {
      ...requestParts,
      params: id === undefined ? params : { ...params, id },
      body: { kind: 'json', value: rest },
    }
  }
  if (pathId === undefined) return requestParts
  const { id: _, ...otherParams } = params
  const id = /^\d{1,15}$/.test(pathId) ? Number(pathId) : pathId
  return { ...requestParts, params: otherParams, body: { kind: 'json', value: { ...rest, id } } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
