import { useEffect } from 'react'
import { useConnection, useSelector } from '#state/use-store.ts'
import { subscribeToChanges } from '#state/live-changes.ts'

/** Fetches on mount, and when `fetch`, the connection or the user's rights change. `skip` disables it. */
export function useFetch(fetch: () => void, skip = false): void {
  const isOnline = useConnection().networkState === 'online'
  const rights = useSelector(({ session }) => session.kind === 'signed in' && JSON.stringify(session.caller))
  // biome-ignore lint: neither connection nor rights are used, their change is the reason
  useEffect(() => {
    if (!skip) fetch()
  }, [fetch, isOnline, rights, skip])
  // Fetches again after the browser has deleted the database.
  useEffect(() => (skip ? undefined : subscribeToChanges('database', fetch)), [fetch, skip])
}
