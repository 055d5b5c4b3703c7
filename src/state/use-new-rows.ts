import { useCallback, useEffect } from 'react'
import type { Row } from '#contract/endpoint.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import type { ListSlice } from '#state/list-slice.ts'

/**
 * Ids of the rows created a moment ago, newest first, which the list shows before all others: until its user asks for
 * another view, clears them (a refresh), or leaves the page.
 */
export function useNewRows<R extends Row, V>({ selectNewRows, newRowsCleared }: ListSlice<R, V>) {
  const dispatch = useDispatch()
  const newRows = useSelector(selectNewRows)
  const clear = useCallback(() => void dispatch(newRowsCleared()), [dispatch, newRowsCleared])
  useEffect(() => {
    const { pathname } = location
    return () => {
      // Strict mode runs this on arrival as well, where the address still is the page's own.
      if (location.pathname !== pathname) clear()
    }
  }, [clear])
  return { newRows, clear }
}
