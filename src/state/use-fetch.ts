import { useEffect } from 'react'
import { useConnection, useSelector } from '#state/use-store.ts'
import { subscribeToChanges } from '#state/live-changes.ts'

/**
 * Fetches when the page comes, when `fetch` is another, and when the connection or the user's rights change: what is shown is as new
 * as it can be. `skip`: not now.
 */
export function useFetch(fetch: () => void, skip = false): void {
  const isOnline = useConnection().networkState === 'online'
  const rights = useSelector(({ session }) => session.kind === 'signed in' && JSON.stringify(session.caller))
  // biome-ignore lint: neither connection nor rights are used, their change is the reason
  useEffect(() => {
    if (!skip) fetch()
  }, [fetch, isOnline, rights, skip])
  // The browser took away what was here.
  useEffect(() => (skip ? undefined : subscribeToChanges('database', fetch)), [fetch, skip])
}
