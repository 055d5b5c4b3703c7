/** Finds pages of a long list by its index. Loaded when the first of them is read (`loadIndexReader` in list-index.ts). */
import { type IndexQuery, testBuckets } from '#local/list-index/bucket-filter.ts'
import { idColumn } from '#local/list-index/buckets.ts'
import { createCachedReader } from '#local/list-index/column-cache.ts'
import type { ListBucket } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** How many rows the filter means, and their ids in the order asked for. `buckets`: those of the filter, where they are read already. */
export { findIndexMatches as findRows } from '#local/list-index/index-matches.ts'

/** Of each bucket the ids that the filter means and that are among `ids`, in the list's own order. */
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

/** How many rows of each bucket the filter means. */
export async function countInBuckets(
  db: UserDatabase,
  name: string,
  query: IndexQuery,
  buckets: readonly ListBucket[],
): Promise<{ bucket: ListBucket; hits: number }[]> {
  const blocks = await testBuckets(createCachedReader(db, name), query, buckets, null)
  return blocks.map(({ bucket, hits }) => ({ bucket, hits }))
}

/** Columns that were read stay in memory: forgets those of one index, or all of them when the user has gone. */
export { deleteCachedColumns as forgetReadColumns } from '#local/list-index/column-cache.ts'
