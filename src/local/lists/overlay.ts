/** The optimistic overlay is applied when rows are read. Stored rows are not changed, so deleting an entry also removes its effect. */
import { type Endpoint, findEndpoint, type RowRef, type QueueSpec, type VersionedRow } from '#contract/endpoint.ts'
import type { OutboxEntry, RowId } from '#local/storage/records.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

export const getQueueSpec = (endpoint: Endpoint | undefined): QueueSpec<unknown> | undefined =>
  endpoint?.queue as QueueSpec<unknown> | undefined

/**
 * Returns rows by id after the waiting writes of one table, in the order in which they were recorded. `rowIds` maps `~{intent}` to ids that
 * the server has assigned. Rows that a write deletes are left out.
 */
export function applyOverlay(
  rows: Iterable<VersionedRow>,
  entries: readonly OutboxEntry[],
  rowIds: readonly RowId[],
  companyId: number,
): Map<RowRef, OverlaidRow<VersionedRow>> {
  const ids = new Map(rowIds.map((name) => [`~${name.intent}`, name.id]))
  const rowsById = new Map<RowRef, OverlaidRow<VersionedRow>>()
  for (const row of rows) rowsById.set(row.id, { row, waiting: null })
  for (const entry of entries) {
    const rowRef =
      entry.target === null ? (`~${entry.intent}` as const) : (ids.get(String(entry.target)) ?? entry.target)
    const row = overlayRow(rowsById.get(rowRef)?.row ?? null, entry, companyId)
    if (row) rowsById.set(rowRef, { row, waiting: { intent: entry.intent, action: entry.action, state: entry.state } })
    else rowsById.delete(rowRef)
  }
  return rowsById
}

export function overlayRow(row: VersionedRow | null, entry: OutboxEntry, companyId: number): VersionedRow | null {
  const queueSpec = getQueueSpec(findEndpoint(entry.endpoint))
  // The entry was recorded by a newer build and waits for that build. The row is shown unchanged.
  return queueSpec ? queueSpec.overlay(row, entry.input, { intent: entry.intent, companyId }) : row
}
