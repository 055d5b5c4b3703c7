import { useCallback, useState } from 'react'

/** A new subject starts with `initialValue`. A setter sets the value of the subject of its own render. */
export function useStateOf<S, T>(subject: S, initialValue: T): [T, (value: T) => void] {
  const [entry, setEntry] = useState({ subject, value: initialValue })
  const setValue = useCallback((value: T) => setEntry({ subject, value }), [subject])
  return [entry.subject === subject ? entry.value : initialValue, setValue]
}
