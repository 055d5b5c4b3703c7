import { useCallback, useEffect, useRef } from 'react'

/** A function that stays the same and calls the latest callback: what receives it is not rendered again for it. */
export function useLatestCallback<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R {
  const latestCallback = useRef(callback)
  useEffect(() => {
    latestCallback.current = callback
  })
  return useCallback((...args: A) => latestCallback.current(...args), [])
}
