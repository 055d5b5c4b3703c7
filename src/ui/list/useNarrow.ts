import { useSyncExternalStore } from 'react'

/** A phone, or a window that is zoomed that far: in the reader's letters, as the lists have it. */
const narrow = '(width < 48rem)'

const subscribe = (listener: () => void) => {
  const query = matchMedia(narrow)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether filters and order are kept in a sheet, behind one button. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(narrow).matches)
