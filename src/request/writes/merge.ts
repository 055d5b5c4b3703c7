/** A 412 judged field by field: what the user changed, what it was, and what the row says now (protocol 14). */
import type { Current } from '#contract/conflict.ts'
import { endpointNamed, type Row } from '#contract/endpoint.ts'
import { isSameContent } from '#domain/equal-values.ts'
import { overlaid } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'

export type Merged =
  /** The row already says all of it. */
  | { kind: 'already so' }
  /** Nobody else touched these fields: only they are sent, on the row as it is now. */
  | { kind: 'disjoint'; input: OutboxEntry['input']; base: Record<string, unknown> }
  /** Both changed these. */
  | { kind: 'overlap'; fields: string[] }

export function merge(entry: OutboxEntry, current: Current): Merged {
  if (entry.action === 'delete') return { kind: 'overlap', fields: [] }
  const theirs = valuesOf(current)
  const mine = valuesOf(overlaid(current, entry, 0) ?? current)
  const changed = Object.keys(mine).filter(
    (field) => field !== 'row_version' && !isSameContent(mine[field], theirs[field]),
  )
  // A build that does not know the call lays nothing over, which must not look like a row that agrees.
  if (changed.length === 0)
    return endpointNamed(entry.endpoint) ? { kind: 'already so' } : { kind: 'overlap', fields: [] }
  const { base } = entry
  const both = changed.filter(
    (field) => !base || !Object.hasOwn(base, field) || !isSameContent(base[field], theirs[field]),
  )
  if (both.length > 0) return { kind: 'overlap', fields: both }
  return { kind: 'disjoint', ...narrowed(entry, changed, theirs) }
}

/** What is left to be asked, measured against the row as it is now. */
export function narrowed(entry: OutboxEntry, fields: readonly string[], theirs: Record<string, unknown>) {
  const base = Object.fromEntries(fields.map((field) => [field, theirs[field]]))
  const { body } = entry.input
  if (typeof body !== 'object' || body === null || entry.action !== 'change') return { input: entry.input, base }
  // Where the row is named in the body, that is no change of it.
  const kept = Object.entries(body).filter(([field]) => field === 'id' || fields.includes(field))
  return { input: { ...entry.input, body: Object.fromEntries(kept) }, base }
}

export const valuesOf = (row: Row) => row as unknown as Record<string, unknown>
