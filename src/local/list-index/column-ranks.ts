import type { ColumnPiece } from '#local/list-index/bucket-filter.ts'
import type { IndexedValue } from '#local/storage/cache-records.ts'
import { createPositionComparer } from '#local/list-query/filter-and-order.ts'

/** Each value has a code for the complete list, in addition to its code in each bucket. */
export interface ColumnRanks {
  count(): number
  getCodes(piece: ColumnPiece): Uint32Array
  /** Returns all codes in the order of their values. Rows without a value come last in both orders. */
  getSortedCodes(order: 'asc' | 'desc'): readonly number[]
}

export function createColumnRanks(): ColumnRanks {
  const values: IndexedValue[] = []
  const codes = new Map<IndexedValue, number>()
  const codesByPiece = new WeakMap<ColumnPiece, Uint32Array>()
  let sorted: { asc?: number[]; desc?: number[] } = {}
  function getCode(value: IndexedValue): number {
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
    getCodes(piece) {
      const pieceCodes = codesByPiece.get(piece) ?? Uint32Array.from(piece.values, getCode)
      codesByPiece.set(piece, pieceCodes)
      return pieceCodes
    },
    getSortedCodes(order) {
      sorted[order] ??= sortCodes(values, order)
      return sorted[order]
    },
  }
}

function sortCodes(values: readonly IndexedValue[], order: 'asc' | 'desc'): number[] {
  const compare = createPositionComparer(order)
  const toPosition = (code: number) => ({ value: values[code] ?? null, id: 0 })
  return [...values.keys()].sort((a, b) => compare(toPosition(a), toPosition(b)))
}
