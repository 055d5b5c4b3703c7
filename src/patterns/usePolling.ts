import { useEffect } from 'react'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'

export function usePolling(isActive: boolean, intervalMs: number, poll: () => void): void {
  const latestPoll = useLatestCallback(poll)
  useEffect(() => {
    if (!isActive) return
    const timer = setInterval(latestPoll, intervalMs)
    return () => clearInterval(timer)
  }, [isActive, intervalMs, latestPoll])
}
