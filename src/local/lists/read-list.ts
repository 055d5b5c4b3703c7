/**
 * Lists and single rows as the screens see them: what the device holds, waiting writes laid over it, and how much of
 * the list that is. Live queries run these, from an `async` function: Dexie follows no other across awaits.
 */
import type { ListSpec, Row } from '#contract/endpoint.ts'
import { loadIndexReader } from '#local/list-index/list-index.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { fillId } from '#local/storage/list-ids.ts'
import {
  asServerOrdered,
  isSearch,
  openFor,
  readFound,
  readKnown,
  readNewIds,
  viewOf,
  withNewRows,
} from '#local/lists/overlaid-rows.ts'
import { comparer, matches } from '#local/list-query/query.ts'
import type { Session } from '#local/session/session.ts'
import { readTogether } from '#local/storage/transaction.ts'
import type { ListQuery, ListView, ReadList } from '#local/lists/list-view.ts'

const nothing: ListView<never> = {
  rows: [],
  count: 0,
  countHere: 0,
  here: 0,
  total: null,
  asOf: null,
  complete: false,
  searched: null,
  pending: 0,
}

export const readList: ReadList = (list, query) => readListOn(thisDevice(), list, query)

/** What the last reading found: the next begins with it, beside asking whether it still is so. */
interface Last {
  session: Session
  /** Lists that are not read whole. */
  long: Set<string>
}

const last = new WeakMap<Device, Last>()
let many: typeof import('#local/lists/read-indexed-list.ts') | undefined

export async function readListOn<R extends Row>(
  device: Device,
  list: ListSpec,
  query: ListQuery,
): Promise<ListView<R>> {
  const listId = fillId(list.table, query.scope)
  const before = last.get(device)
  const early = before?.long.has(listId)
    ? many?.readMany<R>(device.of(before.session), list, query, before.session).catch(() => null)
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
  const all = await readAll<R>(db, list, query, session)
  if (all) long.delete(listId)
  if (all) return all
  await loadIndexReader()
  // By this promise and not its own: else Dexie loses sight of what a live query reads after it.
  many = await Promise.resolve(import('#local/lists/read-indexed-list.ts'))
  long.add(listId)
  return (await many.readMany<R>(db, list, query, session)) ?? (await readListOn(device, list, query))
}

/** Null: the list is too long to be read whole. */
async function readAll<R extends Row>(db: UserDatabase, list: ListSpec, query: ListQuery, session: Session) {
  // One moment for all of it, or a write could be accepted between its row and its entry, and show in neither.
  const tables = ['outbox', 'rowIds', 'coverage', 'syncPoints', 'pages', 'indexes', list.table]
  const read = await readTogether(db, tables, async () => {
    if (await db.indexes.get(fillId(list.table, query.scope))) return null
    return await Promise.all([readKnown(db, list, query), readFound(db, list, query, session), readNewIds(db, query)])
  })
  if (!read) return null
  const [known, found, newIds] = read
  const mine = matches(list, query.filters)
  const fitting = found.all.filter(mine).sort(comparer(list, query.sort))
  const here = found.stored.filter(mine)
  const { wider } = known
  const searched = isSearch(known) && wider ? found.stored.filter(matches(list, wider.filters)) : found.stored
  const first = (query.page - 1) * query.results
  const page =
    known.complete || !known.page
      ? fitting.slice(first, first + query.results)
      : asServerOrdered(known.page.ids, fitting, query)
  // Nothing found in rows that are here is an answer, as old as they are.
  const oldest = oldestOf(here) ?? oldestOf(found.stored)
  const { pending } = found
  return viewOf<R>(known, {
    rows: withNewRows(list, page, newIds, found.all),
    count: fitting.length,
    here: here.length,
    oldest,
    searched: searched.length,
    pending,
  })
}

const oldestOf = (stored: readonly StoredRow[]) =>
  stored.reduce<number | null>((least, { asOf }) => Math.min(least ?? asOf, asOf), null)
