/** Only what the output schema lists leaves (S-16): a column more in a row is not a field more in an answer. */
import * as z from 'zod/mini'
import type { Endpoint, Schema } from '#contract/endpoint.ts'

/** A row that its own schema refuses is our mistake, not the caller's. */
export function shaped(schema: Schema, value: unknown, name: string): unknown {
  const found = z.safeParse(schema, value)
  if (found.success) return found.data
  const where = found.error.issues.map((issue) => issue.path.join('.')).join(', ')
  throw new Error(`${name} answers what its schema does not allow: ${where}`)
}

export const outputOf = (endpoint: Endpoint, body: unknown): unknown =>
  endpoint.output === null ? null : shaped(endpoint.output, body, endpoint.name)

/** The version of a single row, as its entity tag; undefined for lists and for what has none. */
export function etagOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('row_version' in body)) return undefined
  return `"${String(body.row_version)}"`
}
