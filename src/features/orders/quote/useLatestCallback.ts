import { useCallback, useEffect, useRef } from 'react'

/** One function for as long as the part is there, that always does what was said last: what is given it need not be drawn anew. */
export function useLatestCallback<A extends unknown[]>(callback: (...args: A) => void): (...args: A) => void {
  const latestCallback = useRef(callback)
  useEffect(() => {
    latestCallback.current = callback
  })
  return useCallback((...args: A) => latestCallback.current(...args), [])
}
