import { useTranslation } from 'react-i18next'
import type { SearchItem, SearchSource } from '#patterns/search-source.ts'
import type { DisplayedGroup } from '#features/search/dialog/group-items.ts'
import type { IndexSnapshot } from '#features/search/index/index-session.ts'
import { toDisplayedText } from '#features/search/matching/query.ts'

interface Results {
  groups: readonly DisplayedGroup[]
  snapshot: IndexSnapshot
  text: string
}

/** Adds a last item for each list of which the device has only a part: it opens the list, where the server searches. */
export function useListSearchItems(
  { groups, snapshot, text }: Results,
  sources: readonly SearchSource[],
): DisplayedGroup[] {
  const { t } = useTranslation('search')
  const searchText = toDisplayedText(text)
  if (searchText === '' || snapshot.isReading) return [...groups]
  const items = sources.flatMap(({ kind, toListPath }): SearchItem[] => {
    const extent = snapshot.extents[kind]
    if (!extent || extent.isComplete) return []
    const label = t(`searchList.${kind}`, { text: searchText })
    return [
      {
        key: `list ${kind}`,
        group: 'find',
        icon: 'search',
        label,
        detail: '',
        codes: [],
        path: toListPath(searchText),
      },
    ]
  })
  if (items.length === 0) return [...groups]
  const hasMatches = groups.some(({ name }) => name === 'find')
  if (!hasMatches) return [...groups, { name: 'find', items }]
  return groups.map((group) => (group.name === 'find' ? { ...group, items: [...group.items, ...items] } : group))
}
