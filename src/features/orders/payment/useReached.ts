import { type RefObject, useEffect, useState } from 'react'

/** Returns whether the user has scrolled to the element: its start is in the upper 70% of the window, or above it. */
export function useReached(element: RefObject<HTMLElement | null>): boolean {
  const [isReached, setIsReached] = useState(true)
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver === 'undefined') return
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1)
        if (entry) setIsReached(entry.isIntersecting || entry.boundingClientRect.top < 0)
      },
      { rootMargin: '0px 0px -30% 0px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isReached
}
