import type { VersionedRow } from '#contract/endpoint.ts'
import { getActivityDays } from '#domain/audit-log/activity.ts'
import { type AuditEntryRow, maxCountedEntries, toEntryRow } from '#domain/audit-log/leaf.ts'
import type { PlainDate } from '#domain/time.ts'
import { storedTrailIndex, getTrailListId } from '#local/audit-trail/stored-trail-index.ts'
import { searchStoredTrail } from '#local/audit-trail/stored-trail-search.ts'
import { getLeaves, leavesPerBlock } from '#local/audit-trail/stored-tiles.ts'
import type { StoredTrail } from '#local/storage/trail-records.ts'
import { findRowsBetween, getIndexReader, loadIndexReader, readIndexBuckets } from '#local/list-index/list-index.ts'
import {
  type FilterValues,
  normaliseTexts,
  createRowMatcher,
  createPositionReader,
} from '#local/list-query/filter-and-order.ts'
import type { ListBucket } from '#local/storage/cache-records.ts'
import { type UserDatabase, storedTrailTables } from '#local/storage/database.ts'
import { readInTransaction } from '#local/storage/transaction.ts'

export interface TrailQuery {
  /** Keys are the names in `storedTrailListSpec.filters`. */
  filters: FilterValues
  order: 'asc' | 'desc'
  results: number
  page: number
  /** Id of the last entry before the page. Replaces `page` if present. */
  afterEntryId?: number | undefined
}

export interface TrailPage {
  count: number
  data: AuditEntryRow[]
  more?: true
}

/** Which of the requested days are stored: all of them, or those of the range. `to` is null if the range follows the present. */
export type CoveredDays = 'all' | { from: PlainDate; to: PlainDate | null }

/** Returns null if none of the requested days are stored. The end of a range that follows the present is null. */
function getCoveredDays(
  storedTrail: StoredTrail,
  dateFrom: PlainDate = endlessDays.from,
  dateTo: PlainDate = endlessDays.to,
): CoveredDays | null {
  const from = storedTrail.dateFrom
  const to = storedTrail.follows ? null : storedTrail.dateTo
  // No entry is older than the first entry of the log, so earlier days are covered too.
  const hasFirstEntry = storedTrail.from === 0 && storedTrail.to > 0
  if ((hasFirstEntry || dateFrom >= from) && (to === null || dateTo <= to)) return 'all'
  return dateTo < from || (to !== null && dateFrom > to) ? null : { from, to }
}

const endlessDays = { from: '', to: '\uffff' }

/** Returns which of the requested days are stored. Returns null if nothing is stored, or the range is not complete yet. */
export async function findCoveredDays(
  db: UserDatabase,
  companyId: number,
  { dateFrom, dateTo }: { dateFrom?: PlainDate | undefined; dateTo?: PlainDate | undefined },
): Promise<{ zone: string; asOf: number; days: CoveredDays } | null> {
  const storedTrail = await db.storedTrails.get(companyId)
  if (!storedTrail || storedTrail.next < storedTrail.to || storedTrail.asOf === null) return null
  const days = getCoveredDays(storedTrail, dateFrom, dateTo)
  return days && { zone: storedTrail.zone || getDeviceZone(), asOf: storedTrail.asOf, days }
}

/** Returns the device's time zone, which is used until the first entry arrives with the business time zone. */
const getDeviceZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

interface IndexedTrail {
  db: UserDatabase
  companyId: number
  indexName: string
}

const tables = ['indexes', 'buckets', 'columns', ...storedTrailTables] as const

/** Omits the dates: a day is a bucket of the index, so a range of days is applied to buckets, not row by row. */
function buildIndexQuery(
  { dateFrom: _from, dateTo: _to, searchText: _text, ...filters }: FilterValues,
  order = storedTrailIndex.sort[1],
) {
  return { list: storedTrailIndex, filters, sort: [storedTrailIndex.sort[0], order] as const }
}

async function readDayBuckets({ db, indexName }: IndexedTrail, filters: FilterValues): Promise<ListBucket[]> {
  const { dateFrom: from, dateTo: to } = filters
  const buckets = await readIndexBuckets(db, indexName, buildIndexQuery({}))
  return buckets.filter(
    ({ at }) => (from === undefined || String(at) >= String(from)) && (to === undefined || String(at) <= String(to)),
  )
}

/** Returns null if nothing of that company is stored. */
export async function readStoredTrailPage(
  db: UserDatabase,
  companyId: number,
  query: TrailQuery,
): Promise<TrailPage | null> {
  await loadIndexReader()
  return await readInTransaction(db, tables, async () => {
    const indexName = (await db.indexes.get(getTrailListId(companyId)))?.name
    if (indexName === undefined) return null
    const trail = { db, companyId, indexName }
    const logIndexes = await searchStoredTrail(db, companyId, query.filters['searchText'])
    const matches = await (logIndexes ? findByText(trail, query, logIndexes) : findByFilters(trail, query))
    const page = {
      count: Math.min(matches.count, maxCountedEntries),
      data: await readEntries(db, companyId, matches.logIndexes),
    }
    return matches.count > maxCountedEntries ? { ...page, more: true as const } : page
  })
}

interface TrailMatches {
  count: number
  logIndexes: number[]
}

async function findByFilters(trail: IndexedTrail, query: TrailQuery): Promise<TrailMatches> {
  const { db, indexName } = trail
  const indexQuery = buildIndexQuery(query.filters, query.order)
  const buckets = await readDayBuckets(trail, query.filters)
  const indexMatches = await getIndexReader().findRows(db, indexName, indexQuery, buckets)
  const firstIndex =
    query.afterEntryId === undefined
      ? (query.page - 1) * query.results
      : await countThroughEntry(trail, { ...query, afterEntryId: query.afterEntryId })
  return { count: indexMatches.count, logIndexes: await indexMatches.ids(firstIndex, query.results) }
}

async function findByText(
  trail: IndexedTrail,
  query: TrailQuery,
  logIndexes: ReadonlySet<number>,
): Promise<TrailMatches> {
  const matchingIndexes = (await findMatchesByDay(trail, query.filters, logIndexes)).flatMap(
    ({ dayIndexes }) => dayIndexes,
  )
  if (query.order === 'desc') matchingIndexes.reverse()
  const firstIndex =
    query.afterEntryId === undefined
      ? (query.page - 1) * query.results
      : await findStartBehind(trail, matchingIndexes, query.afterEntryId)
  return { count: matchingIndexes.length, logIndexes: matchingIndexes.slice(firstIndex, firstIndex + query.results) }
}

async function findStartBehind(
  trail: IndexedTrail,
  matchingIndexes: readonly number[],
  entryId: number,
): Promise<number> {
  const [logIndex] = await findLogIndex(trail, entryId)
  const position = logIndex === undefined ? -1 : matchingIndexes.indexOf(logIndex)
  return position < 0 ? matchingIndexes.length : position + 1
}

async function findMatchesByDay(trail: IndexedTrail, filters: FilterValues, logIndexes: ReadonlySet<number>) {
  const { db, indexName } = trail
  const query = buildIndexQuery(filters)
  const buckets = await readDayBuckets(trail, filters)
  const bucketMatches = await getIndexReader().findInBuckets(db, indexName, { query, buckets, ids: logIndexes })
  return bucketMatches.map(({ bucket, matchingIds: dayIndexes }) => ({ day: String(bucket.at), dayIndexes }))
}

async function readEntries(
  db: UserDatabase,
  companyId: number,
  logIndexes: readonly number[],
): Promise<AuditEntryRow[]> {
  const { zone = '' } = (await db.storedTrails.get(companyId)) ?? {}
  const blocks = [...new Set(logIndexes.map((logIndex) => Math.floor(logIndex / leavesPerBlock)))]
  const records = await getLeaves(db, companyId, blocks)
  const leaves = new Map(blocks.map((block, i) => [block, records[i]?.leaves]))
  return logIndexes.flatMap((logIndex) => {
    const leaf = leaves.get(Math.floor(logIndex / leavesPerBlock))?.[logIndex % leavesPerBlock]
    return leaf ? [toEntryRow(leaf, logIndex, zone)] : []
  })
}

/**
 * Returns the number of matches up to and including that entry. If the entry is not stored, returns a number above any count, so that the
 * page is empty.
 */
async function countThroughEntry(
  trail: IndexedTrail,
  { filters, order, afterEntryId }: TrailQuery & { afterEntryId: number },
): Promise<number> {
  const { db, indexName, companyId } = trail
  const [field] = storedTrailIndex.sort
  const ids = await findLogIndex(trail, afterEntryId)
  const [entry] = await readEntries(db, companyId, ids)
  if (!entry) return Number.MAX_SAFE_INTEGER
  const row = { ...entry, id: ids[0] ?? 0 } as unknown as VersionedRow
  const candidate = { row, folds: normaliseTexts(storedTrailIndex, row) }
  const indexQuery = { list: storedTrailIndex, filters, sort: [field, order] as const }
  const position = createPositionReader(storedTrailIndex, field)(candidate)
  const earlierIds = await findRowsBetween(db, indexName, indexQuery, { afterPosition: null, beforePosition: position })
  return earlierIds.length + (createRowMatcher(storedTrailIndex, filters)(candidate) ? 1 : 0)
}

async function findLogIndex({ db, indexName }: IndexedTrail, id: number): Promise<number[]> {
  return await (await getIndexReader().findRows(db, indexName, buildIndexQuery({ entry: id }))).ids(0, 1)
}

export interface TrailActivity {
  days: { day: PlainDate; done: number; failed: number }[]
  from: PlainDate | null
}

/** Returns null if nothing of that company is stored. `today` is a date in the business time zone. */
export async function readStoredTrailActivity(
  db: UserDatabase,
  companyId: number,
  filters: FilterValues,
  today: PlainDate,
): Promise<TrailActivity | null> {
  const { dateFrom, dateTo } = filters as { dateFrom?: PlainDate; dateTo?: PlainDate }
  const { firstDay, lastDay, from } = getActivityDays({ dateFrom, dateTo }, today)
  if (firstDay > lastDay) return { days: [], from }
  await loadIndexReader()
  return await readInTransaction(db, tables, async () => {
    const indexName = (await db.indexes.get(getTrailListId(companyId)))?.name
    if (indexName === undefined) return null
    const range = { ...filters, dateFrom: firstDay, dateTo: lastDay }
    const logIndexes = await searchStoredTrail(db, companyId, filters['searchText'])
    const count = (filterValues: FilterValues) => countDays({ db, companyId, indexName }, filterValues, logIndexes)
    const dayCounts = await count(range)
    const failures = filters['status'] === undefined ? await count({ ...range, status: -1 }) : dayCounts
    const activityDays = dayCounts.map(({ day, hits }, i) => {
      const failedCount = filters['status'] === 0 ? 0 : (failures[i]?.hits ?? 0)
      return { day, done: hits - failedCount, failed: failedCount }
    })
    return {
      days: activityDays.filter(({ done, failed }) => done + failed > 0),
      from,
    }
  })
}

async function countDays(trail: IndexedTrail, filters: FilterValues, logIndexes: ReadonlySet<number> | null) {
  if (logIndexes) {
    const dayMatches = await findMatchesByDay(trail, filters, logIndexes)
    return dayMatches.map(({ day, dayIndexes }) => ({ day, hits: dayIndexes.length }))
  }
  const { db, indexName } = trail
  const buckets = await readDayBuckets(trail, filters)
  const counts = await getIndexReader().countInBuckets(db, indexName, buildIndexQuery(filters), buckets)
  return counts.map(({ bucket, hits }) => ({ day: String(bucket.at), hits }))
}
