/** Lays waiting writes over rows, at read time and never in them: taking an entry away takes its effect away. */
import { type Endpoint, findEndpoint, type RowRef, type QueueSpec, type VersionedRow } from '#contract/endpoint.ts'
import type { OutboxEntry, RowId } from '#local/storage/records.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

/** The endpoint's own queueing functions, for callers that hold its input only as data. */
export const getQueueSpec = (endpoint: Endpoint | undefined): QueueSpec<unknown> | undefined =>
  endpoint?.queue as QueueSpec<unknown> | undefined

/**
 * Rows by id with the waiting writes of one table over them, in the order they were made. `rowIds` tells the id behind
 * `~{intent}` where the server has given one. A row that a write takes away is left out.
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

/** The row as this one write will leave it. */
export function overlayRow(row: VersionedRow | null, entry: OutboxEntry, companyId: number): VersionedRow | null {
  const queueSpec = getQueueSpec(findEndpoint(entry.endpoint))
  // Made by a newer build: it waits for that build, and the row is shown as it is.
  return queueSpec ? queueSpec.overlay(row, entry.input, { intent: entry.intent, companyId }) : row
}
