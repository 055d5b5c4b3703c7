/** Cached rows with the waiting writes laid over them, and how much of the list that is: the steps that reading a short list,
 * an indexed list and a single row share. */
import type { Id, ListSpec, Row } from '#contract/endpoint.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import type { Device } from '#local/storage/device.ts'
import type { Coverage, ListSyncPoint } from '#local/storage/cache-records.ts'
import { covers, isWhole } from '#local/list-query/coverage.ts'
import { coverageId, fillId, pageId } from '#local/storage/list-ids.ts'
import { applyOverlay } from '#local/lists/overlay.ts'
import { type Candidate, foldsOf, matches, tidyFilters } from '#local/list-query/query.ts'
import { idOf } from '#local/storage/row-ids.ts'
import { readSession, type Session } from '#local/session/session.ts'
import type { OutboxEntry, RowId } from '#local/storage/records.ts'
import type { ListQuery, ListView, OverlaidRow } from '#local/lists/list-view.ts'

/** A row with the waiting writes over it, and its texts folded. */
export interface Found extends Candidate {
  shown: OverlaidRow<Row>
}

/** `count`: rows of the filter on the device, waiting writes included; `here` without them. */
export const viewOf = <R extends Row>(
  known: Known,
  {
    rows,
    count,
    here,
    oldest,
    searched,
    pending,
  }: { rows: Found[]; count: number; here: number; oldest: number | null; searched: number; pending: number },
): ListView<R> => ({
  // The table that `fills` names holds rows of its own schema: only parsed answers of that endpoint are put there.
  rows: rows.map(({ shown }) => shown as unknown as OverlaidRow<R>),
  count: known.complete ? count : Math.max(count, known.total ?? 0),
  countHere: count,
  here,
  total: known.total,
  asOf: known.asOf ?? oldest,
  complete: known.complete,
  searched: isSearch(known) ? { here: searched, total: known.wider?.total ?? null } : null,
  pending,
})

/** Whether the rows of a filter are only those that happen to be here: nobody has counted it. */
export const isSearch = ({ complete, total }: Known) => !complete && total === null

export type Known = Awaited<ReturnType<typeof readKnown>>

export async function openFor(device: Device): Promise<Session | null> {
  const session = await readSession(device)
  return session?.signedOut ? null : session
}

/** Waiting writes of a table and the names they may use. */
export async function readWaitingWrites(
  db: UserDatabase,
  table: string,
): Promise<{ entries: OutboxEntry[]; names: RowId[] }> {
  const entries = (await db.outbox.where('table').equals(table).toArray()).sort((a, b) => a.seq - b.seq)
  if (entries.length === 0) return { entries, names: [] }
  const intents = entries.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : []))
  const names = (await db.rowIds.bulkGet(intents)).filter((name) => name !== undefined)
  return { entries, names }
}

export async function readFound(db: UserDatabase, list: ListSpec, query: ListQuery, { companyId }: Session) {
  const table = rowsOf(db, list.table)
  const stored = await (query.scope === null ? table.toArray() : table.where('scope').equals(query.scope).toArray())
  const { entries, names } = await readWaitingWrites(db, list.table)
  const folds = new Map(stored.map((one) => [one.row, one.folds]))
  const laid = applyOverlay(
    stored.map(({ row }) => row),
    entries,
    names,
    companyId,
  )
  const all: Found[] = []
  for (const shown of laid.values()) {
    if (!inScope(list, shown.row, query.scope)) continue
    all.push({ shown, row: shown.row, folds: folds.get(shown.row) ?? foldsOf(list, shown.row) })
  }
  const ids = new Set<Id>(stored.map(({ id }) => id))
  for (const { row } of all) ids.add(row.id)
  return { all, stored, pending: countPending(entries, names, ids) }
}

/** Writes of these rows; a row that the device made goes by its intent until it has an id. */
export function countPending(entries: readonly OutboxEntry[], names: readonly RowId[], ids: ReadonlySet<Id>): number {
  const named = new Map<Id, Id>(names.map(({ intent, id }) => [`~${intent}`, id]))
  return entries.filter(({ target, intent }) => ids.has(named.get(target ?? `~${intent}`) ?? target ?? `~${intent}`))
    .length
}

export const inScope = (list: ListSpec, row: Row, scope: number | null) =>
  scope === null || list.scope === null || (row as unknown as Record<string, unknown>)[list.scope.column] === scope

/** What earlier readings say about this filter: its total, how old the knowledge is, whether all of it is here. */
export async function readKnown(db: UserDatabase, list: ListSpec, query: ListQuery) {
  const filters = tidyFilters(list, query.filters)
  const id = coverageId(list.table, query.scope, filters)
  const listId = fillId(list.table, query.scope)
  const [fill, readings] = await Promise.all([
    db.syncPoints.get(listId),
    db.coverage.where('id').startsWith(`${listId}|`).toArray(),
  ])
  const own = readings.find((reading) => reading.id === id)
  const whole = wholeBy(list, filters, fill, readings)
  const page = whole === null ? await db.pages.get(pageId(id, query.sort, query.results, query.page)) : null
  return {
    list: listId,
    total: own?.total ?? null,
    wider: widest(list, filters, readings),
    page: page ?? null,
    complete: whole !== null,
    asOf: whole ?? page?.asOf ?? own?.asOf ?? null,
  }
}

/** The reading with the most rows among those that mean every row of the filter. */
const widest = (list: ListSpec, filters: Coverage['filters'], readings: Coverage[]): Coverage | null =>
  readings
    .filter((reading) => covers(list, reading.filters, filters))
    .reduce<Coverage | null>((most, reading) => (most && most.total >= reading.total ? most : reading), null)

/** Server time of the freshest reading that holds every row of the filter; null when none does. */
function wholeBy(list: ListSpec, filters: Coverage['filters'], fill: ListSyncPoint | undefined, readings: Coverage[]) {
  const times = readings
    .filter((reading) => isWhole(reading) && covers(list, reading.filters, filters))
    .map(({ asOf }) => asOf)
  if (fill && !fill.gaps) times.push(fill.asOf)
  return times.length > 0 ? Math.max(...times) : null
}

/**
 * One page of a list that is not all here, in the server's own order; offsets over what happens to be here would mean
 * other rows. Rows made on this device have no place in that order yet: they stand on the first page.
 */
export function asServerOrdered(ids: readonly number[], fitting: readonly Found[], query: ListQuery): Found[] {
  const byId = new Map(fitting.map((found) => [found.row.id, found]))
  const read = ids.flatMap((id) => byId.get(id) ?? [])
  const made = query.page === 1 ? fitting.filter(({ row }) => typeof row.id === 'string') : []
  return [...made, ...read]
}

/** Ids of the query's new rows: what this device made goes by its intent until the server has given it an id. */
export const readNewIds = (db: UserDatabase, { newRows = [] }: ListQuery): Promise<Id[]> =>
  Promise.all(newRows.map(async (id) => (await idOf(db, id)) ?? id))

/** The page with the new rows before it, whatever the filter: only what is hidden by itself (a deleted user) is not shown. */
export function withNewRows(list: ListSpec, page: Found[], newIds: readonly Id[], found: readonly Found[]): Found[] {
  const isShown = matches(list, {})
  // One that was refused and sent again is known by its intent and by its id.
  const added = [...new Set(newIds)].flatMap((id) => found.find((one) => one.row.id === id && isShown(one)) ?? [])
  const ids = new Set(added.map(({ row }) => row.id))
  const marked = added.map((one) => ({ ...one, shown: { ...one.shown, isNew: true as const } }))
  return [...marked, ...page.filter(({ row }) => !ids.has(row.id))]
}
