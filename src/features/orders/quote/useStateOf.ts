import { useCallback, useState } from 'react'

/**
 * Returns a state that belongs to `subject`. For a new subject it is `initialValue` again. A late call of an old setter does not change the
 * state of a new subject.
 */
export function useStateOf<S, T>(subject: S, initialValue: T): [T, (value: T) => void] {
  const [entry, setEntry] = useState({ subject, value: initialValue })
  const setValue = useCallback((value: T) => setEntry({ subject, value }), [subject])
  return [entry.subject === subject ? entry.value : initialValue, setValue]
}
