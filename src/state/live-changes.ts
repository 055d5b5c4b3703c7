/** Notifies pages of changes that the server reports, by table. The app receives the reports; pages subscribe and read again. */
import { useEffect, useRef } from 'react'
import { useConnection } from '#state/use-store.ts'

type ChangeListener = () => void

const listenersByTable = new Map<string, Set<ChangeListener>>()

export function notifyChanged(table: string): void {
  for (const listener of listenersByTable.get(table) ?? []) listener()
}

/** Calls the listener each time rows of this table have changed. Returns an unsubscribe function. */
export function subscribeToChanges(table: string, listener: ChangeListener): () => void {
  const tableListeners = listenersByTable.get(table) ?? new Set()
  listenersByTable.set(table, tableListeners.add(listener))
  return () => {
    tableListeners.delete(listener)
    if (tableListeners.size === 0) listenersByTable.delete(table)
  }
}

/**
 * Reads again when the user returns to the page. For rows of which the server reports no change: reading them at intervals would keep the
 * session of an unused page open.
 */
export function useReadOnReturn(read: ChangeListener): void {
  const latestRead = useRef(read)
  useEffect(() => {
    latestRead.current = read
  })
  useEffect(() => {
    const onVisibilityChange = () => void (document.visibilityState === 'visible' && latestRead.current())
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => document.removeEventListener('visibilitychange', onVisibilityChange)
  }, [])
}

/** In ms. `min`: shortest time between two reads. `poll`: interval if the server reports nothing. */
const intervalMs = { min: 1_000, poll: 10_000 }

/**
 * Reads again when the server reports changes of a table, and otherwise every ten seconds, while the page is visible and online. A burst of
 * changes causes one read at its start and one at its end.
 */
export function useLiveChanges(table: string, read: ChangeListener): void {
  const isOnline = useConnection().networkState === 'online'
  const latestRead = useRef(read)
  useEffect(() => {
    latestRead.current = read
  })
  useEffect(() => {
    if (!isOnline) return
    let readAt = Date.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const schedule = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(readNow, ms)
    }
    function readNow() {
      readAt = Date.now()
      schedule(intervalMs.poll)
      if (document.visibilityState === 'visible') latestRead.current()
    }
    const readSoon = () => schedule(Math.max(0, readAt + intervalMs.min - Date.now()))
    const onVisibilityChange = () => void (document.visibilityState === 'visible' && readSoon())
    schedule(intervalMs.poll)
    const stop = subscribeToChanges(table, readSoon)
    document.addEventListener('visibilitychange', onVisibilityChange)
    return () => {
      stop()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisibilityChange)
    }
  }, [table, isOnline])
}
