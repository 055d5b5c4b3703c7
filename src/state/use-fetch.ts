import { useEffect } from 'react'
import { useConnection } from '#state/hooks.ts'
import { onChanged } from '#state/live-changes.ts'

/**
 * Fetches when the page comes, when `fetch` is another, and when the connection changes: what is shown is as new as it can
 * be. `skip`: not now.
 */
export function useFetch(fetch: () => void, skip = false): void {
  const isOnline = useConnection().line === 'online'
  // biome-ignore lint: the connection is not used, its coming back is the reason
  useEffect(() => {
    if (!skip) fetch()
  }, [fetch, isOnline, skip])
  // The browser took away what was here.
  useEffect(() => (skip ? undefined : onChanged('database', fetch)), [fetch, skip])
}
