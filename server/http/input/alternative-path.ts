/** Accepts the id of the row of a PUT in the path and in the body (D55). The contract contains only one of the two. */
import type { Endpoint } from '#contract/endpoint.ts'
import type { RequestParts } from '#server/http/input/parse.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'

const suffix = '/:id'

/** Returns the other path of the endpoint, which is not in the contract. Null if the id cannot be at the other position. */
export function findAlternativePath({ method, path, body, encoding }: Endpoint): string | null {
  if (method !== 'PUT' || !body || encoding !== undefined) return null
  if (path.endsWith(suffix)) return path.slice(0, -suffix.length)
  return 'shape' in body && 'id' in (body.shape as object) ? path + suffix : null
}

/** Moves the id to where the contract expects it. Throws VALIDATION_ERROR if path and body have different ids. */
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
