import type { PlainDate } from '#domain/time.ts'
import { type SearchGroup, searchGroups, type SearchItem } from '#patterns/search-source.ts'
import { compareHits, type SearchHit } from '#features/search/index/item-index.ts'

export interface DisplayedGroup {
  name: SearchGroup | 'recent'
  items: readonly SearchItem[]
}

/** Maximum number of displayed items by group. */
const maxItems = { recent: 6, do: 5, goTo: 5, find: 10 }
/** Maximum number of items before the user types. */
const maxFirstItems = { do: 5, goTo: 8 }
/** Maximum number of items with a day before the forms, which must not be pushed out. */
const maxFirstDays = 2

const isCurrent = ({ lastDay }: SearchItem, today: PlainDate) => lastDay === undefined || lastDay >= today

/** Groups the hits. The group with the best match comes first, so that Enter opens it; otherwise the order is Do, Go to, Find. */
export function groupHits(hits: readonly SearchHit[], today: PlainDate): DisplayedGroup[] {
  const sortedHits = hits.filter(({ item }) => isCurrent(item, today)).toSorted(compareHits)
  return searchGroups
    .map((name) => sortedHits.filter(({ item }) => item.group === name))
    .filter((groupedHits) => groupedHits.length > 0)
    .toSorted((a, b) => (a[0]?.rank ?? 0) - (b[0]?.rank ?? 0))
    .map((groupedHits) => {
      const name = (groupedHits[0] as SearchHit).item.group
      return { name, items: groupedHits.slice(0, maxItems[name]).map(({ item }) => item) }
    })
}

/** The groups before the user types: recent items, then the soonest items with a day, then commands and pages in their own order. */
export function groupFirstItems(
  recentItems: readonly SearchItem[],
  items: readonly SearchItem[],
  today: PlainDate,
): DisplayedGroup[] {
  const currentItems = items.filter((item) => item.isSuggested && isCurrent(item, today))
  const dayItems = currentItems
    .filter(({ day }) => day !== undefined)
    .toSorted(({ day: a = '' }, { day: b = '' }) => (a < b ? -1 : a > b ? 1 : 0))
  const suggestedItems = [...dayItems.slice(0, maxFirstDays), ...currentItems.filter(({ day }) => day === undefined)]
  const groups: DisplayedGroup[] = [
    { name: 'recent', items: recentItems.slice(0, maxItems.recent) },
    { name: 'do', items: suggestedItems.filter(({ group }) => group === 'do').slice(0, maxFirstItems.do) },
    { name: 'goTo', items: suggestedItems.filter(({ group }) => group === 'goTo').slice(0, maxFirstItems.goTo) },
  ]
  return groups.filter(({ items }) => items.length > 0)
}
