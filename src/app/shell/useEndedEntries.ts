import { useEffect, useRef, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { type EntryView, isParked } from '#local/outbox/read-entries.ts'
import { useConnection } from '#state/use-store.ts'

/** In ms. How long a form waits for its own response (protocol 21). An older entry was shown as queued, so its end is shown too. */
const formWaitMs = 3_500
/** In ms, after the last change. */
const quietMs = 1_000

/** Collects entries that were sent or refused, and returns them when no entry changes any longer. */
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
