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

/** Groups the hits. The group with the best match comes first, so that Enter opens it; otherwise the order is Do, Go to, Find. */
export function groupHits(hits: readonly SearchHit[]): DisplayedGroup[] {
  const sortedHits = hits.toSorted(compareHits)
  return searchGroups
    .map((name) => sortedHits.filter(({ item }) => item.group === name))
    .filter((groupedHits) => groupedHits.length > 0)
    .toSorted((a, b) => (a[0]?.rank ?? 0) - (b[0]?.rank ?? 0))
    .map((groupedHits) => {
      const name = (groupedHits[0] as SearchHit).item.group
      return { name, items: groupedHits.slice(0, maxItems[name]).map(({ item }) => item) }
    })
}

/** The groups before the user types: recent items, then commands and pages in their own order. */
export function groupFirstItems(recentItems: readonly SearchItem[], commands: readonly SearchItem[]): DisplayedGroup[] {
  const suggestedItems = commands.filter(({ isSuggested }) => isSuggested)
  const groups: DisplayedGroup[] = [
    { name: 'recent', items: recentItems.slice(0, maxItems.recent) },
    { name: 'do', items: suggestedItems.filter(({ group }) => group === 'do').slice(0, maxFirstItems.do) },
    { name: 'goTo', items: suggestedItems.filter(({ group }) => group === 'goTo').slice(0, maxFirstItems.goTo) },
  ]
  return groups.filter(({ items }) => items.length > 0)
}
