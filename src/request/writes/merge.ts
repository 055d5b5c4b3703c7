/** Compares a 412 field by field: the user's change, the base, and the current row (protocol 14). */
import type { CurrentRow } from '#contract/current-row.ts'
import { findEndpoint, type VersionedRow } from '#contract/endpoint.ts'
import { isSameContent } from '#domain/equal-values.ts'
import { overlayRow } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

export type MergeResult =
  /** The row already has all values. */
  | { kind: 'already so' }
  /** No other change of these fields: only they are sent, based on the current row. */
  | { kind: 'disjoint'; input: OutboxEntry['input']; base: Record<string, unknown> }
  | { kind: 'overlap'; fields: string[] }

export function mergeEntry(entry: OutboxEntry, currentRow: CurrentRow): MergeResult {
  if (entry.action === 'delete') return { kind: 'overlap', fields: [] }
  const serverValues = toValues(currentRow)
  const ownValues = toValues(overlayRow(currentRow, entry, 0) ?? currentRow)
  const changedFields = Object.keys(ownValues).filter(
    (field) => field !== 'row_version' && !isSameContent(ownValues[field], serverValues[field]),
  )
  // A build that does not know the endpoint has no overlay for it, which must not look like a row with equal values.
  if (changedFields.length === 0)
    return findEndpoint(entry.endpoint) ? { kind: 'already so' } : { kind: 'overlap', fields: [] }
  const { base } = entry
  const overlappingFields = changedFields.filter(
    (field) => !base || !Object.hasOwn(base, field) || !isSameContent(base[field], serverValues[field]),
  )
  if (overlappingFields.length > 0) return { kind: 'overlap', fields: overlappingFields }
  return { kind: 'disjoint', ...narrowInput(entry, changedFields, serverValues) }
}

/** Returns the remaining fields of the request, with base values from the current row. */
export function narrowInput(entry: OutboxEntry, fields: readonly string[], serverValues: Record<string, unknown>) {
  const base = Object.fromEntries(fields.map((field) => [field, serverValues[field]]))
  const { body } = entry.input
  if (typeof body !== 'object' || body === null || entry.action !== 'change') return { input: entry.input, base }
  // The id in the body identifies the row and is not a change.
  const remainingFields = Object.entries(body).filter(([field]) => field === 'id' || fields.includes(field))
  return { input: { ...entry.input, body: Object.fromEntries(remainingFields) }, base }
}

export const toValues = (row: VersionedRow) => row as unknown as Record<string, unknown>
