import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'

const scrollPositions = new Map<string, number>()

/** Events that show that the user interacts with the page. After one of them the stored position is not restored. */
const userEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Restores the scroll position of a list on Back (C-23). The browser would restore it before the rows are read from the device, when the
 * page is still short. So it happens when rows appear, and again if fewer rows are rendered at first. `rowCount` is the number of rendered
 * rows.
 */
export function useScrollBack(rowCount: number): void {
  const { key } = useLocation()
  const navigationType = useNavigationType()
  const targetPosition = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (navigationType === 'POP') targetPosition.current = scrollPositions.get(key) ?? null
    // REPLACE only rewrites the same address, so the target stays.
    else if (navigationType === 'PUSH') targetPosition.current = null
    const clearTarget = () => {
      targetPosition.current = null
    }
    for (const eventName of userEvents) addEventListener(eventName, clearTarget, { passive: true })
    // Runs in the layout phase, before the next page renders and scrolls up.
    return () => {
      for (const eventName of userEvents) removeEventListener(eventName, clearTarget)
      // If the page is removed before all rows are loaded, the position to restore is stored again.
      scrollPositions.set(key, targetPosition.current ?? scrollY)
    }
  }, [key, navigationType])
  useLayoutEffect(() => {
    if (targetPosition.current !== null && rowCount > 0) scrollTo(0, targetPosition.current)
  }, [rowCount, key])
}
