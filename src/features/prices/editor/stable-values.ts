/** Values and functions that do not change at every key, so that what hangs on them is not drawn at every key. */
import { useCallback, useEffect, useRef, useState } from 'react'

const restMs = 300

/** The value once it has been the same for a moment. */
export function useDebouncedValue<T>(value: T): T {
  const [debouncedValue, setDebouncedValue] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebouncedValue(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return debouncedValue
}

/** The same function at every drawing, so that a thousand rows are not drawn again for it. */
export function useStableCallback<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R {
  const latestCallback = useRef(callback)
  useEffect(() => {
    latestCallback.current = callback
  })
  return useCallback((...args: A) => latestCallback.current(...args), [])
}
