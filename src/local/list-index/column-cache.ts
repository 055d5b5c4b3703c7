/**
 * Columns of long lists as they were last read, so that the next question need not read them again. A copy counts only
 * while its bucket bears the stamp that it had then: whoever writes a bucket, this tab, another one or the worker, gives
 * it a new one in the same transaction. Bounded for the whole page or worker; what was used longest ago goes first.
 */
import { type Piece, piecesOf, type ReadPieces } from '#local/list-index/bucket-filter.ts'
import { bucketName } from '#local/list-index/buckets.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Bucket } from '#local/storage/cache-records.ts'
import { createRanks, type Ranks } from '#local/list-index/sort-keys.ts'

/** Every column of a list of 100,000 rows takes some 3 MB. */
export const maxBytes = 6_000_000

interface Copy {
  stamp: string
  piece: Piece
}

/** One column of one list. */
interface Copies {
  /** By bucket. */
  of: Map<string, Copy>
  bytes: number
  /** How many there are in all buckets: `ranks` with more of them than this has some that are gone. */
  values: number
  ranks: Ranks
}

const kept = new Map<string, Copies>()

const nameOf = (db: UserDatabase, list: string, column: string) => `${db.name} ${list} ${column}`
const none = (): Copies => ({ of: new Map(), bytes: 0, values: 0, ranks: createRanks() })

/** Reads what there is no copy of. The buckets must have been read in the same transaction. */
export const copiesOf = (db: UserDatabase, list: string): ReadPieces => {
  const read = piecesOf(db, list)
  return async (column, buckets) => {
    const name = nameOf(db, list, column)
    const copies = kept.get(name) ?? none()
    const found = buckets.map((bucket) => valid(copies, bucket))
    const missing = buckets.filter((_, n) => !found[n])
    const pieces = missing.length === 0 ? [] : await read(column, missing)
    for (const [n, bucket] of missing.entries()) put(copies, bucket, pieces[n] as Piece)
    use(name, copies)
    let next = 0
    return found.map((piece) => piece ?? (pieces[next++] as Piece))
  }
}

/** The order of a column's values: of those that are kept, as long as they are. */
export function ranksOf(db: UserDatabase, list: string, column: string): Ranks {
  const copies = kept.get(nameOf(db, list, column))
  if (!copies) return createRanks()
  if (copies.ranks.count() > copies.values) copies.ranks = createRanks()
  return copies.ranks
}

/** A list that has another index now, or all there is. */
export function forgetCopies(db?: UserDatabase, list?: string): void {
  for (const name of kept.keys()) if (!db || name.startsWith(nameOf(db, list ?? '', ''))) kept.delete(name)
}

export const countBytes = () => [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0)

/** A bucket that an older build wrote has no stamp: nobody can tell whether a copy of it still holds. */
function valid({ of }: Copies, { at, stamp }: Bucket): Piece | undefined {
  const copy = of.get(bucketName(at))
  return stamp !== undefined && copy?.stamp === stamp ? copy.piece : undefined
}

function put(copies: Copies, { at, stamp }: Bucket, piece: Piece): void {
  if (stamp === undefined) return
  const name = bucketName(at)
  const old = copies.of.get(name)
  copies.of.set(name, { stamp, piece })
  copies.bytes += bytesOf(piece) - (old ? bytesOf(old.piece) : 0)
  copies.values += piece.values.length - (old?.piece.values.length ?? 0)
}

/** Roughly, with what `Ranks` holds of each value. */
const bytesOf = ({ codes, values }: Piece) =>
  codes.byteLength +
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 32 + value.length : 24), 0)

function use(name: string, copies: Copies): void {
  kept.delete(name)
  if (copies.bytes > maxBytes) return
  kept.set(name, copies)
  let bytes = countBytes()
  for (const [oldest, { bytes: own }] of kept) {
    if (bytes <= maxBytes) break
    kept.delete(oldest)
    bytes -= own
  }
}
