/** What a 412 says beside its code: the row as it is now, and who made it so (protocol 14). */
import type { Row } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'

export type Current = Row & { id: number; row_version: number }

export const isRow = (body: unknown): body is Current =>
  typeof body === 'object' &&
  body !== null &&
  'id' in body &&
  typeof body.id === 'number' &&
  'row_version' in body &&
  typeof body.row_version === 'number'

/** Null: it is gone. */
export function currentIn(problem: Problem | null): Current | null {
  const { current } = (problem?.data ?? {}) as { current?: unknown }
  return isRow(current) ? current : null
}

/** Null: an older server does not say, or the row came with a backup. */
export function changedBy(problem: Problem | null): { id: number; name: string } | null {
  const { changed_by: by } = (problem?.data ?? {}) as { changed_by?: { id?: unknown; name?: unknown } | null }
  return typeof by?.id === 'number' && typeof by.name === 'string' ? { id: by.id, name: by.name } : null
}
