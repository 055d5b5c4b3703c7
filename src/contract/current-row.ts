/** Reads the data of a 412 problem: the current row, and the user who last changed it (protocol 14). */
import type { VersionedRow } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'

export type CurrentRow = VersionedRow & { id: number; row_version: number }

export const isCurrentRow = (body: unknown): body is CurrentRow =>
  typeof body === 'object' &&
  body !== null &&
  'id' in body &&
  typeof body.id === 'number' &&
  'row_version' in body &&
  typeof body.row_version === 'number'

/** Returns null if the row is deleted. */
export function getCurrentRow(problem: Problem | null): CurrentRow | null {
  const { current } = (problem?.data ?? {}) as { current?: unknown }
  return isCurrentRow(current) ? current : null
}

/** Returns null if the problem has no user: an older server does not send one, and a row restored from a backup has none. */
export function getLastEditor(problem: Problem | null): { id: number; name: string } | null {
  const { changed_by: editor } = (problem?.data ?? {}) as { changed_by?: { id?: unknown; name?: unknown } | null }
  return typeof editor?.id === 'number' && typeof editor.name === 'string' ? { id: editor.id, name: editor.name } : null
}
