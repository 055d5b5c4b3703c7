import { useEffect, useState } from 'react'

const restMs = 300

/** Returns the value once it has not changed for a short time, so that large lists render less often. */
export function useDebouncedValue<T>(value: T): T {
  const [debouncedValue, setDebouncedValue] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebouncedValue(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return debouncedValue
}
