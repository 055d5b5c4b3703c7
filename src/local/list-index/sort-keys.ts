/** The different values of one column of a long list and their order, worked out once and not with each window. */
import type { Piece } from '#local/list-index/bucket-filter.ts'
import type { Value } from '#local/storage/cache-records.ts'
import { comparePlaces } from '#local/list-query/query.ts'

/** Every value has a code for the whole list, beside the one it has in its bucket. */
export interface Ranks {
  count(): number
  /** Those of a bucket's values, in the bucket's own order. */
  codesOf(piece: Piece): Uint32Array
  /** All codes in the order of their values; what has no value comes last both ways. */
  inOrder(order: 'asc' | 'desc'): readonly number[]
}

export function createRanks(): Ranks {
  const values: Value[] = []
  const codes = new Map<Value, number>()
  const known = new WeakMap<Piece, Uint32Array>()
  let sorted: { asc?: number[]; desc?: number[] } = {}
  function codeOf(value: Value): number {
    const code = codes.get(value) ?? values.length
    if (code === values.length) {
      values.push(value)
      codes.set(value, code)
      sorted = {}
    }
    return code
  }
  return {
    count: () => values.length,
    codesOf(piece) {
      const own = known.get(piece) ?? Uint32Array.from(piece.values, codeOf)
      known.set(piece, own)
      return own
    },
    inOrder(order) {
      sorted[order] ??= inOrder(values, order)
      return sorted[order]
    },
  }
}

function inOrder(values: readonly Value[], order: 'asc' | 'desc'): number[] {
  const compare = comparePlaces(order)
  const placeOf = (code: number) => ({ value: values[code] ?? null, id: 0 })
  return [...values.keys()].sort((a, b) => compare(placeOf(a), placeOf(b)))
}
