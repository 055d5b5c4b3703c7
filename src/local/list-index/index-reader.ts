/** Finds pages of a long list by its index. Loaded when the first of them is read (`loadIndexReader` in list-index.ts). */
import { type Question, testBlocks } from '#local/list-index/bucket-filter.ts'
import { find, type Found } from '#local/list-index/bucket-page.ts'
import { idColumn } from '#local/list-index/buckets.ts'
import { copiesOf, forgetCopies } from '#local/list-index/column-cache.ts'
import type { Bucket } from '#local/storage/cache-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** How many rows the filter means, and their ids in the order asked for. `buckets`: those of the filter, where they are read already. */
export const findRows = (
  db: UserDatabase,
  name: string,
  question: Question,
  buckets?: readonly Bucket[],
): Promise<Found> => find(db, name, question, buckets)

/** Of each bucket the ids that the filter means and that are among `ids`, in the list's own order. */
export async function findInBuckets(
  db: UserDatabase,
  name: string,
  { question, buckets, ids }: { question: Question; buckets: readonly Bucket[]; ids: ReadonlySet<number> },
): Promise<{ bucket: Bucket; found: number[] }[]> {
  const blocks = await testBlocks(copiesOf(db, name), question, buckets, idColumn)
  return blocks.map(({ bucket, mask, beside }) => {
    const meant = mask()
    const found: number[] = []
    for (const [n, id] of (beside?.codes ?? []).entries())
      if ((meant === null || meant[n] === 1) && ids.has(id)) found.push(id)
    return { bucket, found }
  })
}

/** How many rows of each bucket the filter means. */
export async function countInBuckets(
  db: UserDatabase,
  name: string,
  question: Question,
  buckets: readonly Bucket[],
): Promise<{ bucket: Bucket; hits: number }[]> {
  const blocks = await testBlocks(copiesOf(db, name), question, buckets, null)
  return blocks.map(({ bucket, hits }) => ({ bucket, hits }))
}

/** Columns that were read stay in memory: forgets those of one index, or all of them when the user has gone. */
export const forgetReadColumns = (db?: UserDatabase, name?: string): void => forgetCopies(db, name)
