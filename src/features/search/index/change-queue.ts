import type { RowRef } from '#contract/endpoint.ts'
import type { SearchKind } from '#patterns/search-source.ts'

/** Changed rows of a source: their ids, or all of its rows. */
export type SourceChange = [SearchKind, ReadonlySet<RowRef> | 'all']

/** Changes that the index has not read yet, at most one for each source. */
export function createChangeQueue() {
  const changes = new Map<SourceChange[0], SourceChange[1]>()
  return {
    add([kind, ids]: SourceChange): void {
      const waitingIds = changes.get(kind)
      const isAll = ids === 'all' || waitingIds === 'all'
      changes.set(kind, isAll ? 'all' : new Set([...(waitingIds ?? []), ...ids]))
    },
    take(): SourceChange | undefined {
      const [change] = changes
      if (change) changes.delete(change[0])
      return change
    },
    isEmpty: (): boolean => changes.size === 0,
  }
}
