import { useCallback, useEffect, useRef } from 'react'

/** Returns a function that never changes and calls the latest callback, so that components that receive it do not re-render. */
export function useLatestCallback<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R {
  const latestCallback = useRef(callback)
  useEffect(() => {
    latestCallback.current = callback
  })
  return useCallback((...args: A) => latestCallback.current(...args), [])
}
