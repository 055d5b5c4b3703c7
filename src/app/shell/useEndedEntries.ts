import { useEffect, useRef, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { type EntryView, isParked } from '#local/outbox/read-entries.ts'
import { useConnection } from '#state/use-store.ts'

/** As long as a form waits for its own answer (protocol 21): what is older was told as queued, so its end is told too. */
const formWaitMs = 3_500
/** After the last of them has moved. */
const quietMs = 1_000

/** What has left the outbox or was refused in the last sending, once that has come to rest. */
export function useEndedEntries(entries: readonly EntryView[]) {
  const { networkState } = useConnection()
  const watchedIntents = useRef(new Set<Intent>())
  const endedIntents = useRef({ sentIntents: [] as Intent[], refusedIntents: [] as Intent[] })
  const [endedEntries, setEndedEntries] = useState<typeof endedIntents.current | null>(null)
  useEffect(() => {
    const entriesByIntent = new Map(entries.map((entry) => [entry.intent, entry]))
    for (const intent of watchedIntents.current) {
      const entry = entriesByIntent.get(intent)
      if (entry && !isParked(entry)) continue
      watchedIntents.current.delete(intent)
      endedIntents.current[entry ? 'refusedIntents' : 'sentIntents'].push(intent)
    }
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
