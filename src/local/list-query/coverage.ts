/** Which part of a list is cached: spans of rows, and whether a cached filter contains another. */
import type { ListSpec } from '#contract/endpoint.ts'
import type { Coverage } from '#local/storage/cache-records.ts'
import { asksFor, type Filters } from '#local/list-query/query.ts'

/** Whether every row that `wanted` means is also meant by `known`. */
export function covers(list: ListSpec, known: Filters, wanted: Filters): boolean {
  return Object.entries(list.filters).every(([name, filter]) => {
    if (filter.kind === 'shows') {
      const shown = (filters: Filters) => filters[name] === true || asksFor(list, filter, filters)
      return shown(known) || !shown(wanted)
    }
    return known[name] === undefined || known[name] === wanted[name]
  })
}

/** Whether the stretches read so far are the whole list. */
export const isWhole = ({ spans, total }: Coverage) => total === 0 || (spans[0]?.[0] === 0 && spans[0][1] >= total)

/** Adds a stretch, joining what it touches. */
export function addSpan(spans: readonly [number, number][], added: [number, number]): [number, number][] {
  const sorted = [...spans, added].sort((a, b) => a[0] - b[0])
  const joined: [number, number][] = []
  for (const [from, to] of sorted) {
    const last = joined.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}
