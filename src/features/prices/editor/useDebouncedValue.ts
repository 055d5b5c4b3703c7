import { useEffect, useState } from 'react'

const restMs = 300

/** The value once it has been the same for a moment, so that what hangs on it is not rendered at every key. */
export function useDebouncedValue<T>(value: T): T {
  const [debouncedValue, setDebouncedValue] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebouncedValue(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return debouncedValue
}
