import { useCallback, useState } from 'react'

/** State of one subject: another subject begins with `initialValue`. What is set belongs to the subject of the render that sets it. */
export function useStateOf<S, T>(subject: S, initialValue: T): [T, (value: T) => void] {
  const [entry, setEntry] = useState({ subject, value: initialValue })
  const setValue = useCallback((value: T) => setEntry({ subject, value }), [subject])
  return [entry.subject === subject ? entry.value : initialValue, setValue]
}
