/** Compares three versions of a row field by field after a 412: the user's change, its base, and the current row (protocol 14). */
import type { CurrentRow } from '#contract/verdict.ts'
import { findEndpoint, type VersionedRow } from '#contract/endpoint.ts'
import { isSameContent } from '#domain/equal-values.ts'
import { getQueueSpec, overlayRow } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

export type MergeResult =
  /** The current row already has all values of the user's change. */
  | { kind: 'already so' }
  /** Nobody else has changed these fields. Only they are sent, based on the current row. */
  | { kind: 'disjoint'; input: OutboxEntry['input']; base: Record<string, unknown> }
  /** Somebody else has changed these fields, or they can no longer be changed. */
  | { kind: 'overlap'; fields: string[] }

export function mergeEntry(entry: OutboxEntry, currentRow: CurrentRow): MergeResult {
  if (entry.action === 'delete') return { kind: 'overlap', fields: [] }
  const serverValues = toValues(currentRow)
  const ownValues = toValues(overlayRow(currentRow, entry, 0) ?? currentRow)
  const changedFields = Object.keys(ownValues).filter(
    (field) => field !== 'row_version' && !isSameContent(ownValues[field], serverValues[field]),
  )
  // A build that does not have the endpoint cannot apply the change. The row then seems to have equal values, although nothing was
  // compared.
  if (changedFields.length === 0)
    return findEndpoint(entry.endpoint) ? { kind: 'already so' } : { kind: 'overlap', fields: [] }
  const { base } = entry
  const lockedFields = getQueueSpec(findEndpoint(entry.endpoint))?.getLockedFields?.(currentRow)
  const overlappingFields = changedFields.filter(
    (field) =>
      lockedFields?.has(field) ||
      !base ||
      !Object.hasOwn(base, field) ||
      !isSameContent(base[field], serverValues[field]),
  )
  if (overlappingFields.length > 0) return { kind: 'overlap', fields: overlappingFields }
  return { kind: 'disjoint', ...narrowInput(entry, changedFields, serverValues) }
}

/** Returns a request with only these fields, and their values in the current row as its new base. */
export function narrowInput(entry: OutboxEntry, fields: readonly string[], serverValues: Record<string, unknown>) {
  const base = Object.fromEntries(fields.map((field) => [field, serverValues[field]]))
  const { body } = entry.input
  if (typeof body !== 'object' || body === null || entry.action !== 'change') return { input: entry.input, base }
  // The id in the body identifies the row and is not a change.
  const remainingFields = Object.entries(body).filter(([field]) => field === 'id' || fields.includes(field))
  return { input: { ...entry.input, body: Object.fromEntries(remainingFields) }, base }
}

export const toValues = (row: VersionedRow) => row as unknown as Record<string, unknown>
