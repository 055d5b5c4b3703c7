import { type RefObject, useEffect, useLayoutEffect } from 'react'

/** Part of a scrolling row that `width` px of it show at `scrollLeft`. A fraction of a px is no hidden content. */
export function getCutEnds(scrollLeft: number, width: number, fullWidth: number): 'start' | 'end' | 'both' | null {
  const isStartCut = scrollLeft > 1
  const isEndCut = scrollLeft + width < fullWidth - 1
  if (isStartCut && isEndCut) return 'both'
  return isStartCut ? 'start' : isEndCut ? 'end' : null
}

/** Sets `data-cut` of a row to the ends at which it is cut off, for the style sheet. */
export function useCutEnds(row: RefObject<HTMLElement | null>): void {
  // The labels can change with each rendering, and the row keeps its size.
  useLayoutEffect(() => {
    if (row.current) markCutEnds(row.current)
  })
  useEffect(() => {
    const element = row.current
    if (!element) return
    const update = () => markCutEnds(element)
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [row])
}

function markCutEnds(element: HTMLElement): void {
  const cutEnds = getCutEnds(element.scrollLeft, element.clientWidth, element.scrollWidth)
  if (cutEnds) element.dataset.cut = cutEnds
  else delete element.dataset.cut
}
