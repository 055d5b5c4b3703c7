/**
 * What the server says has changed while somebody looks at it, by the table of the device that holds it. Who hears the server
 * is the app's to say; a page says what it looks at, and reads again.
 */
import { useEffect, useRef } from 'react'
import { useConnection } from '#state/use-store.ts'

type ChangeListener = () => void

const listenersByTable = new Map<string, Set<ChangeListener>>()

/** The server says that rows of this table have changed. */
export function notifyChanged(table: string): void {
  for (const listener of listenersByTable.get(table) ?? []) listener()
}

/** Hears each time that rows of this table are said to have changed; returns how to stop. */
export function subscribeToChanges(table: string, listener: ChangeListener): () => void {
  const tableListeners = listenersByTable.get(table) ?? new Set()
  listenersByTable.set(table, tableListeners.add(listener))
  return () => {
    tableListeners.delete(listener)
    if (tableListeners.size === 0) listenersByTable.delete(table)
  }
}

/** In ms. Never read more often than `min`; where the server tells nothing, every `poll`. */
const intervalMs = { min: 1_000, poll: 10_000 }

/**
 * Reads again as the server says that rows of a table have changed, and every ten seconds where it says nothing: while the page
 * is seen and there is a connection. A burst is read once, and once more when it is over.
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
