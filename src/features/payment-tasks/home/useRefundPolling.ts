import { useEffect, useState } from 'react'
import { usePolling } from '#patterns/usePolling.ts'

/** Most refunds end within seconds. Others take days, for which a slow interval is enough. Both in ms. */
const fastPollMs = 2000
const slowPollMs = 60_000
const fastPeriodMs = 60_000

/** Polls while refunds are in progress, fast in the first minute after one has started. `runningIds`: ids of the refunds in progress. */
export function useRefundPolling(isOnline: boolean, runningIds: readonly number[], poll: () => void): void {
  const idsText = runningIds.join(' ')
  const [slowIdsText, setSlowIdsText] = useState('')
  useEffect(() => {
    if (idsText === '') return
    const timer = setTimeout(() => setSlowIdsText(idsText), fastPeriodMs)
    return () => clearTimeout(timer)
  }, [idsText])
  const isSlow = slowIdsText === idsText
  usePolling(isOnline && idsText !== '', isSlow ? slowPollMs : fastPollMs, poll)
}
