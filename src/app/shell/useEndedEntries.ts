import { useEffect, useRef, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { type EntryView, isParked } from '#local/outbox/read-entries.ts'
import { useConnection } from '#state/use-store.ts'

/**
 * Age of an entry after which its form no longer waits for the response, in ms (protocol 21). The form then shows the entry as queued, so
 * its end must be announced.
 */
const formWaitMs = 3_500
/** Time without a change of the entries before their end is announced, in ms. */
const quietMs = 1_000

/** Collects queued entries that were sent or refused. Returns them when no entry is being sent and none has changed for `quietMs`. */
export function useEndedEntries(entries: readonly EntryView[]) {
  const { networkState } = useConnection()
  const watchedIntents = useRef(new Set<Intent>())
  const endedIntents = useRef<EndedIntents>({ sentIntents: [], refusedIntents: [] })
  const [endedEntries, setEndedEntries] = useState<EndedIntents | null>(null)
  useEffect(() => {
    moveEnded(watchedIntents.current, endedIntents.current, entries)
    const sinceLimit = networkState === 'online' ? Date.now() - formWaitMs : Number.POSITIVE_INFINITY
    for (const entry of entries)
      if (!isParked(entry) && entry.since < sinceLimit) watchedIntents.current.add(entry.intent)
    const { sentIntents, refusedIntents } = endedIntents.current
    if (sentIntents.length + refusedIntents.length === 0 || entries.some(({ state }) => state === 'sending')) return
    const timer = setTimeout(() => {
      setEndedEntries(endedIntents.current)
      endedIntents.current = { sentIntents: [], refusedIntents: [] }
    }, quietMs)
    return () => clearTimeout(timer)
  }, [entries, networkState])
  return endedEntries
}

interface EndedIntents {
  sentIntents: Intent[]
  refusedIntents: Intent[]
}

function moveEnded(
  watchedIntents: Set<Intent>,
  { sentIntents, refusedIntents }: EndedIntents,
  entries: readonly EntryView[],
) {
  const entriesByIntent = new Map(entries.map((entry) => [entry.intent, entry]))
  for (const intent of watchedIntents) {
    const entry = entriesByIntent.get(intent)
    if (entry && !isParked(entry)) continue
    watchedIntents.delete(intent)
    const endedList = entry ? refusedIntents : sentIntents
    endedList.push(intent)
  }
}
