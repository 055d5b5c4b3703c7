/**
 * Lists and single rows as the screens see them: what the device holds, waiting writes laid over it, and how much of
 * the list that is. Live queries run these, from an `async` function: Dexie follows no other across awaits.
 */
import type { Fills, Id, Row } from '#contract/endpoint.ts'
import { type Entry, type Name, rowsOf, type UserDatabase } from '#local/database.ts'
import type { Coverage, Fill } from '#local/kept.ts'
import { type Device, thisDevice } from '#local/device.ts'
import { layOver } from '#local/overlay.ts'
import {
  type Candidate,
  comparer,
  coverageId,
  covers,
  fillId,
  foldsOf,
  isWhole,
  matches,
  pageId,
  tidyFilters,
} from '#local/query.ts'
import { readSession, type Session } from '#local/session.ts'
import { type Asking, readTogether } from '#local/asking.ts'
import type { ListQuery, ListView, ReadList, ReadRow, Shown } from '#local/view.ts'

const nothing: ListView<never> = { rows: [], count: 0, here: 0, total: null, asOf: null, complete: false }

export const readList: ReadList = (fills, query) => readListOn(thisDevice(), fills, query)
export const readRow: ReadRow = (table, id) => readRowOn(thisDevice(), table, id)

/** A row with the waiting writes over it, and its texts folded. */
export interface Found extends Candidate {
  shown: Shown<Row>
}

/** What the last reading found: the next begins with it, beside asking whether it still is so. */
interface Last {
  session: Session
  /** Lists that are not read whole. */
  long: Set<string>
}

const last = new WeakMap<Device, Last>()
let many: typeof import('#local/many.ts') | undefined

export async function readListOn<R extends Row>(device: Device, fills: Fills, query: ListQuery): Promise<ListView<R>> {
  const list = fillId(fills.table, query.scope)
  const before = last.get(device)
  const early = before?.long.has(list)
    ? many?.readMany<R>(device.of(before.session), fills, query, before.session).catch(() => null)
    : null
  const [session, ahead] = await Promise.all([openFor(device), early])
  const isStill = session !== null && session.generation === before?.session.generation
  // What was read of a user who is no longer here is nobody's.
  if (!isStill) many?.forget()
  if (!session) return nothing
  if (ahead && isStill) return ahead
  const db = device.of(session)
  const long = isStill ? before.long : new Set<string>()
  last.set(device, { session, long })
  const all = await readAll<R>(db, fills, query, session)
  if (all) long.delete(list)
  if (all) return all
  // By this promise and not its own: else Dexie loses sight of what a live query reads after it.
  many = await Promise.resolve(import('#local/many.ts'))
  long.add(list)
  return (await many.readMany<R>(db, fills, query, session)) ?? (await readListOn(device, fills, query))
}

/** Null: the list is too long to be read whole. */
async function readAll<R extends Row>(db: UserDatabase, fills: Fills, query: ListQuery, session: Session) {
  // One moment for all of it, or a write could be accepted between its row and its entry, and show in neither.
  const tables = ['outbox', 'names', 'coverage', 'fills', 'pages', 'indexes', fills.table]
  const read = await readTogether(db, tables, async (ask) => {
    const [index] = await ask.rowsUnder(db.indexes, [fillId(fills.table, query.scope)])
    if (index) return null
    return await Promise.all([readKnown(ask, db, fills, query), readFound(ask, db, fills, query, session)])
  })
  if (!read) return null
  const [known, found] = read
  const mine = matches(fills, query.filters)
  const fitting = found.all.filter(mine).sort(comparer(fills, query.sort))
  const here = found.stored.filter(mine)
  const first = (query.page - 1) * query.results
  const rows =
    known.complete || !known.page
      ? fitting.slice(first, first + query.results)
      : asServerOrdered(known.page.ids, fitting, query)
  const oldest = here.reduce<number | null>((least, { asOf }) => Math.min(least ?? asOf, asOf), null)
  return viewOf<R>(known, { rows, count: fitting.length, here: here.length, oldest })
}

/** `count`: rows of the filter on the device, waiting writes included; `here` without them. */
export const viewOf = <R extends Row>(
  known: Awaited<ReturnType<typeof readKnown>>,
  { rows, count, here, oldest }: { rows: Found[]; count: number; here: number; oldest: number | null },
): ListView<R> => ({
  // The table that `fills` names holds rows of its own schema: only parsed answers of that endpoint are put there.
  rows: rows.map(({ shown }) => shown as unknown as Shown<R>),
  count: known.complete ? count : Math.max(count, known.total ?? 0),
  here,
  total: known.total,
  asOf: known.asOf ?? oldest,
  complete: known.complete,
})

export async function readRowOn<R extends Row>(device: Device, table: string, id: Id): Promise<Shown<R> | null> {
  const session = await openFor(device)
  if (!session) return null
  const db = device.of(session)
  // One moment for all of it: a write that is accepted between two readings would be neither on the row nor waiting, and
  // a form opened on that row would be told that somebody else had changed it.
  const shown = await readTogether(db, ['outbox', 'names', table], async (ask) => {
    const { entries, names } = await readHopes(ask, db, table)
    // An address opened before the row had its id keeps finding it (protocol 18).
    const [named] = typeof id === 'string' ? await ask.rowsUnder(db.names, [id.slice(1)]) : []
    const at = named?.id ?? id
    const [stored] = typeof at === 'number' ? await ask.rowsUnder(rowsOf(db, table), [at]) : []
    return layOver(stored ? [stored.row] : [], entries, names, session.companyId).get(at)
  })
  return (shown as Shown<R> | undefined) ?? null
}

async function openFor(device: Device): Promise<Session | null> {
  const session = await readSession(device)
  return session?.signedOut ? null : session
}

/** Waiting writes of a table and the names they may use. */
export async function readHopes(
  ask: Asking,
  db: UserDatabase,
  table: string,
): Promise<{ entries: Entry[]; names: Name[] }> {
  const entries = (await ask.rowsBetween(db.outbox, [table, table], 'table')).sort((a, b) => a.seq - b.seq)
  if (entries.length === 0) return { entries, names: [] }
  const intents = entries.flatMap(({ target }) => (typeof target === 'string' ? [target.slice(1)] : []))
  const names = (await ask.rowsUnder(db.names, intents)).filter((name) => name !== undefined)
  return { entries, names }
}

async function readFound(ask: Asking, db: UserDatabase, fills: Fills, { scope }: ListQuery, { companyId }: Session) {
  const table = rowsOf(db, fills.table)
  const [stored, { entries, names }] = await Promise.all([
    scope === null ? ask.everyRow(table) : ask.rowsBetween(table, [scope, scope], 'scope'),
    readHopes(ask, db, fills.table),
  ])
  const folds = new Map(stored.map((one) => [one.row, one.folds]))
  const laid = layOver(
    stored.map(({ row }) => row),
    entries,
    names,
    companyId,
  )
  const all: Found[] = []
  for (const shown of laid.values()) {
    if (!inScope(fills, shown.row, scope)) continue
    all.push({ shown, row: shown.row, folds: folds.get(shown.row) ?? foldsOf(fills, shown.row) })
  }
  return { all, stored }
}

export const inScope = (fills: Fills, row: Row, scope: number | null) =>
  scope === null || fills.scope === null || (row as unknown as Record<string, unknown>)[fills.scope.column] === scope

/** What earlier readings say about this filter: its total, how old the knowledge is, whether all of it is here. */
export async function readKnown(ask: Asking, db: UserDatabase, fills: Fills, query: ListQuery) {
  const filters = tidyFilters(fills, query.filters)
  const id = coverageId(fills.table, query.scope, filters)
  const list = fillId(fills.table, query.scope)
  const [[fill], readings] = await Promise.all([
    ask.rowsUnder(db.fills, [list]),
    ask.rowsBetween(db.coverage, [`${list}|`, `${list}|\uffff`]),
  ])
  const own = readings.find((reading) => reading.id === id)
  const whole = wholeBy(fills, filters, fill, readings)
  const [page] =
    whole === null ? await ask.rowsUnder(db.pages, [pageId(id, query.sort, query.results, query.page)]) : []
  return {
    list,
    total: own?.total ?? null,
    page: page ?? null,
    complete: whole !== null,
    asOf: whole ?? page?.asOf ?? own?.asOf ?? null,
  }
}

/** Server time of the freshest reading that holds every row of the filter; null when none does. */
function wholeBy(fills: Fills, filters: Coverage['filters'], fill: Fill | undefined, readings: Coverage[]) {
  const times = readings
    .filter((reading) => isWhole(reading) && covers(fills, reading.filters, filters))
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
