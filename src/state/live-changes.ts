/**
 * What the server says has changed while somebody looks at it, by the table of the device that holds it. Who hears the server
 * is the app's to say; a page says what it looks at, and reads again.
 */
import { useEffect, useRef } from 'react'
import { useConnection } from '#state/hooks.ts'

type Hear = () => void

const watchers = new Map<string, Set<Hear>>()

/** The server says that rows of this table have changed. */
export function tellChanged(table: string): void {
  for (const hear of watchers.get(table) ?? []) hear()
}

/** Hears each time that rows of this table are said to have changed; returns how to stop. */
export function onChanged(table: string, hear: Hear): () => void {
  const those = watchers.get(table) ?? new Set()
  watchers.set(table, those.add(hear))
  return () => {
    those.delete(hear)
    if (those.size === 0) watchers.delete(table)
  }
}

/** In ms. Never read more often than `least`; where the server tells nothing, every `poll`. */
const pace = { least: 1_000, poll: 10_000 }

/**
 * Reads again as the server says that rows of a table have changed, and every ten seconds where it says nothing: while the page
 * is seen and there is a connection. A burst is read once, and once more when it is over.
 */
export function useLiveChanges(table: string, read: Hear): void {
  const isOnline = useConnection().line === 'online'
  const latest = useRef(read)
  useEffect(() => {
    latest.current = read
  })
  useEffect(() => {
    if (!isOnline) return
    let readAt = Date.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const plan = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(go, ms)
    }
    function go() {
      readAt = Date.now()
      plan(pace.poll)
      if (document.visibilityState === 'visible') latest.current()
    }
    const hear = () => plan(Math.max(0, readAt + pace.least - Date.now()))
    const seen = () => void (document.visibilityState === 'visible' && hear())
    plan(pace.poll)
    const stop = onChanged(table, hear)
    document.addEventListener('visibilitychange', seen)
    return () => {
      stop()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [table, isOnline])
}
