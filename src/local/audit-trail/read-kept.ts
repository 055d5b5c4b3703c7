/** The kept part of an audit trail as the server would answer of it: pages, counts and activity, by the index alone. */
import type { Row } from '#contract/endpoint.ts'
import { activityDays } from '#domain/audit-log/activity.ts'
import { type AuditEntryRow, countedMost, entryOfLeaf } from '#domain/audit-log/leaf.ts'
import type { PlainDate } from '#domain/time.ts'
import { keptIndex, listId } from '#local/audit-trail/kept-index.ts'
import { placesWith } from '#local/audit-trail/kept-search.ts'
import { getLeaves, leafBlock } from '#local/audit-trail/kept-tiles.ts'
import type { KeptTrail } from '#local/storage/trail-records.ts'
import { findRowsBetween, getIndexReader, loadIndexReader, readIndexBuckets } from '#local/list-index/list-index.ts'
import { type Filters, foldsOf, matches, placeOf } from '#local/list-query/query.ts'
import type { Bucket } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { readTogether } from '#local/storage/transaction.ts'

export interface TrailQuery {
  /** By the names of `keptTrail.filters`, in the contract. */
  filters: Filters
  order: 'asc' | 'desc'
  results: number
  page: number
  /** Id of the entry that the page begins behind; it takes the place of `page`. */
  after?: number | undefined
}

export interface TrailPage {
  count: number
  data: AuditEntryRow[]
  more?: true
}

/** What of the days that are asked for is kept: all of them, or those of the range (`to` null: up to the present). */
export type AnsweredDays = 'all' | { from: PlainDate; to: PlainDate | null }

/** Null: none of them, or the range is not all here yet. A range that follows has no end but the present. */
export function answeredDays(
  kept: KeptTrail,
  dateFrom: PlainDate | undefined,
  dateTo: PlainDate | undefined,
): AnsweredDays | null {
  if (kept.next < kept.to || kept.asOf === null) return null
  // Before the first entry of all there are no others.
  const isFirst = kept.from === 0 && kept.to > 0
  const begins = isFirst || (dateFrom !== undefined && dateFrom >= kept.dateFrom)
  if (begins && (kept.follows || (dateTo !== undefined && dateTo <= kept.dateTo))) return 'all'
  const isBefore = dateTo !== undefined && dateTo < kept.dateFrom
  const isAfter = dateFrom !== undefined && !kept.follows && dateFrom > kept.dateTo
  return isBefore || isAfter ? null : { from: kept.dateFrom, to: kept.follows ? null : kept.dateTo }
}

const tables = ['indexes', 'buckets', 'columns', 'keptTrails', 'keptTiles'] as const

/** A day is a bucket of the index, so a range of days is not tested row by row. */
const days = ({ dateFrom, dateTo, searchText: _byTexts, ...rest }: Filters) => ({ rest, from: dateFrom, to: dateTo })

async function bucketsOf(db: UserDatabase, index: string, filters: Filters): Promise<Bucket[]> {
  const { from, to } = days(filters)
  const all = await readIndexBuckets(db, index, { list: keptIndex, filters: {}, sort: keptIndex.sort })
  return all.filter(
    ({ at }) => (from === undefined || String(at) >= String(from)) && (to === undefined || String(at) <= String(to)),
  )
}

/** Null: nothing of that company is kept. */
export async function readKeptPage(db: UserDatabase, companyId: number, query: TrailQuery): Promise<TrailPage | null> {
  await loadIndexReader()
  return await readTogether(db, tables, async () => {
    const index = (await db.indexes.get(listId(companyId)))?.name
    if (index === undefined) return null
    const places = await placesWith(db, companyId, query.filters['searchText'])
    const found = await (places ? findText(db, index, query, places) : findPlain(db, index, companyId, query))
    const page = { count: Math.min(found.count, countedMost), data: await readEntries(db, companyId, found.places) }
    return found.count > countedMost ? { ...page, more: true as const } : page
  })
}

interface Found {
  count: number
  /** Of the page, in order. */
  places: number[]
}

async function findPlain(db: UserDatabase, index: string, companyId: number, query: TrailQuery): Promise<Found> {
  const { rest } = days(query.filters)
  const question = { list: keptIndex, filters: rest, sort: [keptIndex.sort[0], query.order] as const }
  const found = await getIndexReader().findRows(db, index, question, await bucketsOf(db, index, query.filters))
  const first =
    query.after === undefined
      ? (query.page - 1) * query.results
      : await placeBehind(db, index, { companyId, query: { ...query, after: query.after } })
  return { count: found.count, places: await found.ids(first, query.results) }
}

/** Of what has the text in it, however much that is, every place: they are counted, and put in order, in memory. */
async function findText(
  db: UserDatabase,
  index: string,
  query: TrailQuery,
  places: ReadonlySet<number>,
): Promise<Found> {
  const all = (await daysWith(db, index, query.filters, places)).flatMap(({ found }) => found)
  if (query.order === 'desc') all.reverse()
  const first = query.after === undefined ? (query.page - 1) * query.results : await behind(db, index, all, query.after)
  return { count: all.length, places: all.slice(first, first + query.results) }
}

async function behind(db: UserDatabase, index: string, all: readonly number[], after: number): Promise<number> {
  const [place] = await placeOfEntry(db, index, after)
  const at = place === undefined ? -1 : all.indexOf(place)
  return at < 0 ? all.length : at + 1
}

/** Each day's entries that the filter means and that stand at one of these places, in the order of time. */
async function daysWith(db: UserDatabase, index: string, filters: Filters, places: ReadonlySet<number>) {
  const question = { list: keptIndex, filters: days(filters).rest, sort: keptIndex.sort }
  const buckets = await bucketsOf(db, index, filters)
  const all = await getIndexReader().findInBuckets(db, index, { question, buckets, ids: places })
  return all.map(({ bucket, found }) => ({ day: String(bucket.at), found }))
}

/** Entries by their places, in that order, each as its leaf says. */
async function readEntries(db: UserDatabase, companyId: number, places: readonly number[]): Promise<AuditEntryRow[]> {
  const { zone = '' } = (await db.keptTrails.get(companyId)) ?? {}
  const blocks = [...new Set(places.map((place) => Math.floor(place / leafBlock)))]
  const records = await getLeaves(db, companyId, blocks)
  const leaves = new Map(blocks.map((block, at) => [block, records[at]?.leaves]))
  return places.flatMap((place) => {
    const leaf = leaves.get(Math.floor(place / leafBlock))?.[place % leafBlock]
    return leaf ? [entryOfLeaf(leaf, place, zone)] : []
  })
}

/** How many entries of the filter stand up to that entry, itself included; beyond all of them where it is not here. */
async function placeBehind(
  db: UserDatabase,
  index: string,
  { companyId, query }: { companyId: number; query: TrailQuery & { after: number } },
): Promise<number> {
  const { filters, order, after } = query
  const [field] = keptIndex.sort
  const ids = await placeOfEntry(db, index, after)
  const [known] = await readEntries(db, companyId, ids)
  if (!known) return Number.MAX_SAFE_INTEGER
  const row = { ...known, id: ids[0] ?? 0 } as unknown as Row
  const candidate = { row, folds: foldsOf(keptIndex, row) }
  const question = { list: keptIndex, filters, sort: [field, order] as const }
  const place = placeOf(keptIndex, field)(candidate)
  const before = await findRowsBetween(db, index, question, { after: null, before: place })
  return before.length + (matches(keptIndex, filters)(candidate) ? 1 : 0)
}

/** Where the entry of this id stands, or nothing. */
async function placeOfEntry(db: UserDatabase, index: string, id: number): Promise<number[]> {
  const own = { list: keptIndex, filters: { entry: id }, sort: keptIndex.sort }
  return await (await getIndexReader().findRows(db, index, own)).ids(0, 1)
}

export interface TrailActivity {
  days: { day: PlainDate; done: number; failed: number }[]
  from: PlainDate | null
}

/** Null: nothing of that company is kept. `today`: in the business time zone. */
export async function readKeptActivity(
  db: UserDatabase,
  companyId: number,
  filters: Filters,
  today: PlainDate,
): Promise<TrailActivity | null> {
  const { dateFrom, dateTo } = filters as { dateFrom?: PlainDate; dateTo?: PlainDate }
  const { first, last, from } = activityDays({ dateFrom, dateTo }, today)
  if (first > last) return { days: [], from }
  await loadIndexReader()
  return await readTogether(db, tables, async () => {
    const index = (await db.indexes.get(listId(companyId)))?.name
    if (index === undefined) return null
    const range = { ...filters, dateFrom: first, dateTo: last }
    const places = await placesWith(db, companyId, filters['searchText'])
    const count = (given: Filters) => countDays(db, index, given, places)
    const all = await count(range)
    const failures = filters['status'] === undefined ? await count({ ...range, status: -1 }) : all
    const counted = all.map(({ day, hits }, n) => {
      const failed = filters['status'] === 0 ? 0 : (failures[n]?.hits ?? 0)
      return { day, done: hits - failed, failed }
    })
    return {
      days: counted.filter(({ done, failed }) => done + failed > 0),
      from,
    }
  })
}

async function countDays(db: UserDatabase, index: string, filters: Filters, places: ReadonlySet<number> | null) {
  if (places) {
    const found = await daysWith(db, index, filters, places)
    return found.map(({ day, found: own }) => ({ day, hits: own.length }))
  }
  const question = { list: keptIndex, filters: days(filters).rest, sort: keptIndex.sort }
  const counts = await getIndexReader().countInBuckets(db, index, question, await bucketsOf(db, index, filters))
  return counts.map(({ bucket, hits }) => ({ day: String(bucket.at), hits }))
}
