import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { SearchItem } from '#patterns/search-source.ts'
import { useToday } from '#ui/page/use-today.ts'
import { type DisplayedGroup, groupFirstItems, groupHits } from '#features/search/dialog/group-items.ts'
import { runInSlices } from '#features/search/index/run-in-slices.ts'
import { createItemIndex, type SearchHit } from '#features/search/index/item-index.ts'
import type { IndexSession, IndexSnapshot } from '#features/search/index/index-session.ts'

const maxHitsPerSource = 10

interface SearchResults {
  groups: readonly DisplayedGroup[]
  snapshot: IndexSnapshot
  /** Text of the displayed results. It is behind the typed text while a search takes longer than a slice. */
  text: string
}

/** Returns what matches the text, and searches again when the index changes. */
export function useSearchResults(
  session: IndexSession,
  commands: readonly SearchItem[],
  { text, recentKeys }: { text: string; recentKeys: readonly string[] },
): SearchResults {
  const snapshot = useSyncExternalStore(session.subscribe, session.getSnapshot)
  const commandIndex = useMemo(() => {
    const index = createItemIndex()
    for (const command of commands) index.put(command.key, [command])
    return index
  }, [commands])
  const [result, setResult] = useState<{ text: string; groups: readonly DisplayedGroup[] }>({ text: '', groups: [] })
  const { version } = snapshot
  const today = useToday(null)
  // biome-ignore lint: the version stands for the rows that the session has indexed
  useEffect(() => {
    if (text.trim() === '') return
    function* search(): Generator<void, SearchHit[]> {
      const commandHits = yield* commandIndex.search(text, maxHitsPerSource)
      return [...commandHits, ...(yield* session.search(text, maxHitsPerSource))]
    }
    return runInSlices(search(), (hits) => setResult({ text, groups: groupHits(hits, today) }))
    // oxlint-disable-next-line react/exhaustive-deps
  }, [text, session, commandIndex, version, today])
  // biome-ignore lint: as above
  const firstGroups = useMemo(
    () => groupFirstItems(session.findItems(recentKeys), [...session.listSuggestedItems(), ...commands], today),
    // oxlint-disable-next-line react/exhaustive-deps
    [session, recentKeys, commands, version, today],
  )
  return text.trim() === '' ? { groups: firstGroups, text: '', snapshot } : { ...result, snapshot }
}
