/**
 * A list of many rows as the screens see it: one window of it by its index, waiting writes laid over that window and
 * over its count. Says the same as `lists.ts` says of a short list by reading all of it.
 */
import type { ListSpec, Row } from '#contract/endpoint.ts'
import { getIndexReader, readIndexBuckets } from '#local/list-index/list-index.ts'
import { rowsOf, type UserDatabase } from '#local/storage/database.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { fillId } from '#local/storage/list-ids.ts'
import {
  asServerOrdered,
  countPending,
  inScope,
  isSearch,
  type Found as Laid,
  readWaitingWrites,
  readKnown,
  readNewIds,
  viewOf,
  withNewRows,
} from '#local/lists/overlaid-rows.ts'
import { applyOverlay } from '#local/lists/overlay.ts'
import { type Candidate, comparer, foldsOf, matches } from '#local/list-query/query.ts'
import type { Session } from '#local/session/session.ts'
import { readTogether } from '#local/storage/transaction.ts'
import type { ListQuery, ListView } from '#local/lists/list-view.ts'

/**
 * Which index each list had last. Names are given once, and buckets go with the index that they are of: as long as there is
 * one under this name, the list still has it, and nobody need ask.
 */
const last = new Map<string, string>()

/** Null: the list has no index any more. */
export async function readMany<R extends Row>(
  db: UserDatabase,
  list: ListSpec,
  query: ListQuery,
  session: Session,
): Promise<ListView<R> | null> {
  const beside = ['outbox', 'rowIds', 'coverage', 'syncPoints', 'pages', 'listStats', 'indexes', 'buckets', 'columns']
  const id = fillId(list.table, query.scope)
  const guess = last.get(`${db.name} ${id}`)
  return await readTogether(db, [...beside, list.table], async () => {
    const [buckets, known, over] = await Promise.all([
      guess === undefined ? [] : readIndexBuckets(db, guess, { list, ...query }),
      readKnown(db, list, query),
      readOver(db, list, query, session),
    ])
    const isHere = buckets.length > 0
    const name = isHere ? guess : (await db.indexes.get(id))?.name
    if (name !== guess) note(db, id, name)
    if (name === undefined) return null
    const found = await getIndexReader().findRows(db, name, { list, ...query }, isHere ? buckets : undefined)
    const count = found.count - over.gone.length + over.come.length
    // Changes with every row: read only where the view says it.
    const stats = known.asOf === null || isSearch(known) ? await db.listStats.get(id) : undefined
    const oldest = known.asOf ?? stats?.asOf ?? null
    const { wider } = known
    const searched =
      isSearch(known) && wider
        ? (await getIndexReader().findRows(db, name, { list, ...query, filters: wider.filters })).count
        : (stats?.rows ?? found.count)
    const isRead = !known.complete && known.page
    const page = isRead
      ? await pageAsRead(db, { ids: known.page?.ids ?? [], list, query, over })
      : await readWindow(db, { list, query, found, over })
    const rows = await putNewFirst(db, { list, query, over, page })
    return viewOf<R>(known, { rows, count, here: found.count, oldest, searched, pending: over.pending })
  })
}

function note(db: UserDatabase, id: string, name: string | undefined): void {
  const list = `${db.name} ${id}`
  const before = last.get(list)
  if (before !== undefined) getIndexReader().forgetReadColumns(db, before)
  if (name === undefined) last.delete(list)
  else last.set(list, name)
}

/** Whoever was here has gone. */
export function forget(): void {
  last.clear()
  getIndexReader().forgetReadColumns()
}

/** What waiting writes do to a list. */
interface Over {
  /** Every row they touch, as it will be. */
  shown: Map<Row['id'], Laid>
  /** Ids of all stored rows they touch. */
  touched: Set<number>
  /** Stored rows that the filter means and that a write touches: they stand elsewhere now, or nowhere. */
  gone: StoredRow[]
  /** Rows that the filter means as the writes will leave them, in order. */
  come: Laid[]
  /** How many they are. */
  pending: number
}

async function readOver(db: UserDatabase, list: ListSpec, query: ListQuery, { companyId }: Session): Promise<Over> {
  const { entries, names } = await readWaitingWrites(db, list.table)
  if (entries.length === 0) return { shown: new Map(), touched: new Set(), gone: [], come: [], pending: 0 }
  const named = new Map(names.map(({ intent, id }) => [`~${intent}`, id]))
  const ids = entries.map(({ target }) => (typeof target === 'string' ? named.get(target) : target))
  const touched = new Set(ids.filter((id) => typeof id === 'number'))
  const base = (await rowsOf(db, list.table).bulkGet([...touched])).filter((row) => row !== undefined)
  const laid = applyOverlay(
    base.map(({ row }) => row),
    entries,
    names,
    companyId,
  )
  const shown = new Map([...laid].map(([id, one]) => [id, { shown: one, row: one.row, folds: foldsOf(list, one.row) }]))
  const mine = matches(list, query.filters)
  const scoped = [...shown.values()].filter((one) => inScope(list, one.row, query.scope))
  const come = scoped.filter(mine)
  const inside = base.filter((one) => query.scope === null || one.scope === query.scope)
  return {
    shown,
    touched,
    gone: inside.filter(mine),
    come: come.sort(comparer(list, query.sort)),
    pending: countPending(entries, names, new Set([...inside.map(({ id }) => id), ...scoped.map(({ row }) => row.id)])),
  }
}

const asLaid = ({ row, folds }: StoredRow): Laid => ({ shown: { row, waiting: null }, row, folds })

/**
 * The window as it stands with the waiting writes in it. Each of them moves what follows by one place at most, so the
 * stored window is read that much wider, and how many of them lie before it is seen by its first row.
 */
async function readWindow(
  db: UserDatabase,
  {
    list,
    query,
    found,
    over,
  }: {
    list: ListSpec
    query: ListQuery
    found: Awaited<ReturnType<ReturnType<typeof getIndexReader>['findRows']>>
    over: Over
  },
): Promise<Laid[]> {
  const { gone, come } = over
  const compare = comparer(list, query.sort)
  const first = (query.page - 1) * query.results
  const from = Math.min(Math.max(0, first - come.length), Math.max(0, found.count - 1))
  const ids = await found.ids(from, first - from + query.results + gone.length)
  const stored = await readRows(db, list.table, ids)
  const start = from === 0 ? undefined : stored[0]
  const isBefore = (one: Candidate) => start !== undefined && compare(one, start) < 0
  const skipped = from - gone.filter(isBefore).length + come.filter(isBefore).length
  const stayed = stored.filter(({ id }) => !over.touched.has(id)).map(asLaid)
  const merged = come.length === 0 ? stayed : [...stayed, ...come.filter((one) => !isBefore(one))].sort(compare)
  return merged.slice(Math.max(0, first - skipped), first - skipped + query.results)
}

/** For each row of a page, so many that lie between them are read along rather than asking for each by itself. */
const readAlong = 4
/** So many are read along whatever the page: ten questions take longer than one that is answered with a hundred rows. */
const readAtOnce = 100

async function readRows(db: UserDatabase, table: string, ids: readonly number[]): Promise<StoredRow[]> {
  const [least, most] = [Math.min(...ids), Math.max(...ids)]
  if (ids.length === 0 || most - least > Math.max(readAtOnce, ids.length * readAlong))
    return (await rowsOf(db, table).bulkGet([...ids])).filter((row) => row !== undefined)
  const rows = await rowsOf(db, table).where(':id').between(least, most, true, true).toArray()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** A page that was read while the list is not all here: those rows, in the order the server gave them. */
async function pageAsRead(
  db: UserDatabase,
  { ids, list, query, over }: { ids: readonly number[]; list: ListSpec; query: ListQuery; over: Over },
): Promise<Laid[]> {
  const mine = matches(list, query.filters)
  const untouched = ids.filter((id) => !over.touched.has(id))
  const here = (await readRows(db, list.table, untouched))
    .filter((one) => query.scope === null || one.scope === query.scope)
    .filter(mine)
  return asServerOrdered(ids, [...here.map(asLaid), ...over.come], query)
}

async function putNewFirst(
  db: UserDatabase,
  { list, query, over, page }: { list: ListSpec; query: ListQuery; over: Over; page: Laid[] },
): Promise<Laid[]> {
  if (!query.newRows?.length) return page
  const ids = await readNewIds(db, query)
  const untouched = ids.flatMap((id) => (typeof id === 'number' && !over.touched.has(id) ? [id] : []))
  const stored = (await rowsOf(db, list.table).bulkGet(untouched)).filter((row) => row !== undefined)
  const all = [...over.shown.values(), ...stored.map(asLaid)].filter(({ row }) => inScope(list, row, query.scope))
  return withNewRows(list, page, ids, all)
}
