import { useEffect, useRef, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import { type EntryView, isParked } from '#local/outbox/read-entries.ts'
import { useConnection } from '#state/hooks.ts'

/** As long as a form waits for its own answer (protocol 21): what is older was told as queued, so its end is told too. */
const toldMs = 3_500
/** After the last of them has moved. */
const restMs = 1_000

/** What has left the outbox or was refused in the last sending, once that has come to rest. */
export function useDrained(entries: readonly EntryView[]) {
  const { line } = useConnection()
  const watched = useRef(new Set<Intent>())
  const moved = useRef({ gone: [] as Intent[], refused: [] as Intent[] })
  const [drained, setDrained] = useState<typeof moved.current | null>(null)
  useEffect(() => {
    const here = new Map(entries.map((entry) => [entry.intent, entry]))
    for (const intent of watched.current) {
      const entry = here.get(intent)
      if (entry && !isParked(entry)) continue
      watched.current.delete(intent)
      moved.current[entry ? 'refused' : 'gone'].push(intent)
    }
    const before = line === 'online' ? Date.now() - toldMs : Number.POSITIVE_INFINITY
    for (const entry of entries) if (!isParked(entry) && entry.since < before) watched.current.add(entry.intent)
    const { gone, refused } = moved.current
    if (gone.length + refused.length === 0 || entries.some(({ state }) => state === 'sending')) return
    const timer = setTimeout(() => {
      setDrained(moved.current)
      moved.current = { gone: [], refused: [] }
    }, restMs)
    return () => clearTimeout(timer)
  }, [entries, line])
  return drained
}
