import { useCallback, useEffect, useRef } from 'react'
import type { VersionedRow } from '#contract/endpoint.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import type { ListSlice } from '#state/list-slice.ts'

/**
 * Returns ids of rows created a moment ago, latest first. The list shows them first until the user changes the view, clears them (refresh)
 * or leaves the page. `subject` is what the list depends on in addition to its view, such as a client type: new rows of one are not shown
 * in another.
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
      // Strict mode also runs this on mount, when the address is still that of the page.
      if (location.pathname !== pathname) clear()
    }
  }, [clear])
  return { newRowRefs, clear }
}
