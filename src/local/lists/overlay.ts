/** Lays waiting writes over rows, at read time and never in them: taking an entry away takes its effect away. */
import { type Endpoint, endpointNamed, type Id, type QueueSpec, type Row } from '#contract/endpoint.ts'
import type { OutboxEntry, RowId } from '#local/storage/records.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'

/** The endpoint's own queueing functions, for callers that hold its input only as data. */
export const queuesOf = (endpoint: Endpoint | undefined): QueueSpec<unknown> | undefined =>
  endpoint?.queue as QueueSpec<unknown> | undefined

/**
 * Rows by id with the waiting writes of one table over them, in the order they were made. `names` tells the id behind
 * `~{intent}` where the server has given one. A row that a write takes away is left out.
 */
export function applyOverlay(
  rows: Iterable<Row>,
  entries: readonly OutboxEntry[],
  names: readonly RowId[],
  companyId: number,
): Map<Id, OverlaidRow<Row>> {
  const ids = new Map(names.map((name) => [`~${name.intent}`, name.id]))
  const shown = new Map<Id, OverlaidRow<Row>>()
  for (const row of rows) shown.set(row.id, { row, waiting: null })
  for (const entry of entries) {
    const at = entry.target === null ? (`~${entry.intent}` as const) : (ids.get(String(entry.target)) ?? entry.target)
    const row = overlaid(shown.get(at)?.row ?? null, entry, companyId)
    if (row) shown.set(at, { row, waiting: { intent: entry.intent, action: entry.action, state: entry.state } })
    else shown.delete(at)
  }
  return shown
}

/** The row as this one write will leave it. */
export function overlaid(row: Row | null, entry: OutboxEntry, companyId: number): Row | null {
  const queues = queuesOf(endpointNamed(entry.endpoint))
  // Made by a newer build: it waits for that build, and the row is shown as it is.
  return queues ? queues.overlay(row, entry.input, { intent: entry.intent, companyId }) : row
}
