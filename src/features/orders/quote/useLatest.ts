import { useCallback, useEffect, useRef } from 'react'

/** One function for as long as the part is there, that always does what was said last: what is given it need not be drawn anew. */
export function useLatest<A extends unknown[]>(act: (...given: A) => void): (...given: A) => void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  return useCallback((...given: A) => latest.current(...given), [])
}
