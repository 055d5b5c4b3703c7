import { useCallback, useEffect, useRef } from 'react'
import type { VersionedRow } from '#contract/endpoint.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import type { ListSlice } from '#state/list-slice.ts'

/**
 * Ids of the rows created a moment ago, newest first, which the list shows before all others: until its user asks for
 * another view, clears them (a refresh), or leaves the page. `subject`: what the list is of beside its view, a client type: the rows
 * of one are none of another.
 */
export function useNewRows<R extends VersionedRow, V>(
  { selectNewRows, newRowsCleared }: ListSlice<R, V>,
  subject = '',
) {
  const dispatch = useDispatch()
  const newRowRefs = useSelector(selectNewRows)
  const clear = useCallback(() => void dispatch(newRowsCleared()), [dispatch, newRowsCleared])
  const lastSubject = useRef(subject)
  useEffect(() => {
    if (lastSubject.current !== subject) clear()
    lastSubject.current = subject
  }, [subject, clear])
  useEffect(() => {
    const { pathname } = location
    return () => {
      // Strict mode runs this on arrival as well, where the address still is the page's own.
      if (location.pathname !== pathname) clear()
    }
  }, [clear])
  return { newRowRefs, clear }
}
