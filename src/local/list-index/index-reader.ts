import { type IndexQuery, testBuckets } from '#local/list-index/bucket-filter.ts'
import { idColumn } from '#local/list-index/buckets.ts'
import { createCachedReader } from '#local/list-index/column-cache.ts'
import type { ListBucket } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Returns the number of matches and a function that reads their ids in order. `buckets` are those of the filter, if already read. */
export { findIndexMatches as findRows } from '#local/list-index/index-matches.ts'

export async function findInBuckets(
  db: UserDatabase,
  name: string,
  { query, buckets, ids }: { query: IndexQuery; buckets: readonly ListBucket[]; ids: ReadonlySet<number> },
): Promise<{ bucket: ListBucket; matchingIds: number[] }[]> {
  const blocks = await testBuckets(createCachedReader(db, name), query, buckets, idColumn)
  return blocks.map(({ bucket, mask, extraColumn }) => {
    const rowMask = mask()
    const matchingIds: number[] = []
    for (const [i, id] of (extraColumn?.codes ?? []).entries())
      if ((rowMask === null || rowMask[i] === 1) && ids.has(id)) matchingIds.push(id)
    return { bucket, matchingIds }
  })
}

export async function countInBuckets(
  db: UserDatabase,
  name: string,
  query: IndexQuery,
  buckets: readonly ListBucket[],
): Promise<{ bucket: ListBucket; hits: number }[]> {
  const blocks = await testBuckets(createCachedReader(db, name), query, buckets, null)
  return blocks.map(({ bucket, hits }) => ({ bucket, hits }))
}

/** Deletes cached columns of one index, or all of them when the user has signed out. */
export { deleteCachedColumns as forgetReadColumns } from '#local/list-index/column-cache.ts'
