import { useCallback, useEffect, useRef } from 'react'

/** Returns a stable function that calls the latest callback, so that its receiver does not re-render. */
export function useLatestCallback<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R {
  const latestCallback = useRef(callback)
  useEffect(() => {
    latestCallback.current = callback
  })
  return useCallback((...args: A) => latestCallback.current(...args), [])
}
