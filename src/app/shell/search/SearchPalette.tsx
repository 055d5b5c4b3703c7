import { useEffect, useMemo, useRef, useState } from 'react'
import { useHref, useLocation, useNavigate } from 'react-router-dom'
import { useTranslation } from 'react-i18next'
import { keepOptionalChunk } from '#app/pwa/optional-chunks.ts'
import { createSearchCommands } from '#app/shell/search/search-commands.ts'
import { createSearchSources, loadFurtherSources } from '#app/shell/search/search-sources.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { SearchDialog } from '#features/search/dialog/SearchDialog.tsx'
import { type IndexSession, startIndexSession } from '#features/search/index/index-session.ts'
import { addRecentKey, readRecentKeys, type RecentItemsOwner } from '#features/search/recent-items.ts'
import type { SearchItem, SearchSource } from '#patterns/search-source.ts'
import { useConnection, useDispatch, useIsActing, useSignedInSession } from '#state/use-store.ts'

let isPinyinStored = false

/** Stores the readings of Chinese names on this device, once per visit, so that they work offline. */
function storePinyin() {
  if (!isPinyinStored) keepOptionalChunk('pinyin')
  isPinyinStored = true
}

interface SearchPaletteProps {
  isOpen: boolean
  onClose: () => void
}

/** The search with the sources of all features. It is rendered while the user is signed in, and remembers the items that the user opens. */
export function SearchPalette({ isOpen, onClose }: SearchPaletteProps) {
  const { caller } = useSignedInSession()
  const isActing = useIsActing()
  const { t, i18n } = useTranslation('search')
  const { t: tShell } = useTranslation('shell')
  const { language } = i18n
  const describeDue = useDueFormatter()
  const callerKey = JSON.stringify(caller)
  // biome-ignore lint: the texts change with the language, and the caller is compared by value
  const [furtherSources, setFurtherSources] = useState<readonly SearchSource[]>([])
  useEffect(() => {
    let isActive = true
    void loadFurtherSources(caller).then((loaded) => {
      // The same empty list is kept, because another one would build the index again.
      if (isActive) setFurtherSources((previous) => (loaded.length + previous.length === 0 ? previous : loaded))
    })
    return () => void (isActive = false)
    // oxlint-disable-next-line react/exhaustive-deps
  }, [callerKey])
  const [sources, commands] = useMemo(
    () => [
      [...createSearchSources(caller, t, describeDue), ...furtherSources],
      createSearchCommands({ caller, isActing }, t, tShell),
    ],
    // oxlint-disable-next-line react/exhaustive-deps
    [callerKey, isActing, language, describeDue, furtherSources],
  )
  const owner = useMemo(
    () => ({ companyId: caller.companyId, userId: caller.userId }),
    [caller.companyId, caller.userId],
  )
  useRecentVisits(sources, owner)
  // The index is built when the search opens for the first time, and then follows the rows.
  const [wasOpened, setWasOpened] = useState(false)
  if (isOpen && !wasOpened) setWasOpened(true)
  return wasOpened ? <IndexedSearch {...{ sources, commands, owner, isOpen, onClose }} /> : null
}

/**
 * Adds the item whose page is open to the recent items, however the user got there. Those of a customer for whom the user acts are not
 * stored (decision 111).
 */
function useRecentVisits(sources: readonly SearchSource[], owner: RecentItemsOwner) {
  const { pathname, search } = useLocation()
  const isActing = useIsActing()
  useEffect(() => {
    if (isActing) return
    const query = new URLSearchParams(search)
    for (const { findOpenId, toKey } of sources) {
      const id = findOpenId(pathname, query)
      if (id !== null) addRecentKey(owner, toKey(id))
    }
  }, [sources, owner, pathname, search, isActing])
}

interface IndexedSearchProps extends SearchPaletteProps {
  sources: readonly SearchSource[]
  commands: readonly SearchItem[]
  owner: RecentItemsOwner
}

function IndexedSearch({ sources, commands, owner, isOpen, onClose }: IndexedSearchProps) {
  const navigate = useNavigate()
  const basePath = useHref('/').replace(/\/$/, '')
  const [session, setSession] = useState<IndexSession | null>(null)
  useEffect(() => {
    const newSession = startIndexSession(sources, {
      recentKeys: readRecentKeys(owner),
      onPinyinLoaded: storePinyin,
    })
    setSession(newSession)
    return () => newSession.stop()
  }, [sources, owner])
  useFreshLists(sources, isOpen)
  useEffect(() => {
    if (isOpen) session?.retry()
  }, [session, isOpen])
  // Read when the search opens, so that the items do not move while it is open.
  // oxlint-disable-next-line react/exhaustive-deps
  const recentKeys = useMemo(() => (isOpen ? readRecentKeys(owner) : []), [isOpen, owner])
  const openItem = ({ path, run }: SearchItem, isNewTab: boolean) => {
    if (isNewTab && path !== undefined) return void window.open(`${basePath}${path}`, '_blank', 'noopener')
    onClose()
    if (path !== undefined) void navigate(path)
    else run?.()
  }
  return (
    isOpen && session && <SearchDialog {...{ session, sources, commands, recentKeys, onClose }} onOpen={openItem} />
  )
}

/** Minimum time in ms between two requests of a list for the search. */
const fetchIntervalMs = 60_000

/** Requests the lists when the search opens while online. The device stores the responses, and the search follows the device. */
function useFreshLists(sources: readonly SearchSource[], isOpen: boolean) {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const fetchedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (!isOpen || !isOnline || performance.now() - fetchedAt.current < fetchIntervalMs) return
    fetchedAt.current = performance.now()
    const tables = new Set<string>()
    for (const { list, fetch } of sources) {
      if (!tables.has(list.table)) void dispatch(fetch())
      tables.add(list.table)
    }
  }, [dispatch, sources, isOpen, isOnline])
}
