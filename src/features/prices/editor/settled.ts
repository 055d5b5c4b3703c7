/** Values and functions that do not change at every key, so that what hangs on them is not drawn at every key. */
import { useCallback, useEffect, useRef, useState } from 'react'

const restMs = 300

/** The value once it has been the same for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** The same function at every drawing, so that a thousand rows are not drawn again for it. */
export function useStable<A extends unknown[], R>(act: (...given: A) => R): (...given: A) => R {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  return useCallback((...given: A) => latest.current(...given), [])
}
