import type { ListSpec } from '#contract/endpoint.ts'
import type { ListCoverage } from '#local/storage/cache-records.ts'
import { isValueRequested, type FilterValues } from '#local/list-query/filter-and-order.ts'

/** Returns true if every row that matches `requestedFilters` also matches `cachedFilters`. */
export function coversFilters(list: ListSpec, cachedFilters: FilterValues, requestedFilters: FilterValues): boolean {
  return Object.entries(list.filters).every(([name, filter]) => {
    if (filter.kind === 'shows') {
      const includesHidden = (filters: FilterValues) =>
        filters[name] === true || isValueRequested(list, filter, filters)
      return includesHidden(cachedFilters) || !includesHidden(requestedFilters)
    }
    return cachedFilters[name] === undefined || cachedFilters[name] === requestedFilters[name]
  })
}

export const isCompleteList = ({ spans, total }: ListCoverage) =>
  total === 0 || (spans[0]?.[0] === 0 && spans[0][1] >= total)

export function addSpan(spans: readonly [number, number][], newSpan: [number, number]): [number, number][] {
  const sorted = [...spans, newSpan].sort((a, b) => a[0] - b[0])
  const mergedSpans: [number, number][] = []
  for (const [from, to] of sorted) {
    const lastSpan = mergedSpans.at(-1)
    if (lastSpan && from <= lastSpan[1]) lastSpan[1] = Math.max(lastSpan[1], to)
    else mergedSpans.push([from, to])
  }
  return mergedSpans
}
