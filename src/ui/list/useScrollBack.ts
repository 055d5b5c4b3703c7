import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'

/** How far down each step of the history was when it was left. */
const scrollPositions = new Map<string, number>()

/** Who moves by themselves is left where they go. */
const userEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Back leads to where one was on a list (C-23). The browser would scroll before the device has given the rows, when there is
 * nothing to scroll; so it is done with them, and again where a list is drawn shorter at first. `rowCount`: how many are drawn.
 */
export function useScrollBack(rowCount: number): void {
  const { key } = useLocation()
  const navigationType = useNavigationType()
  const targetPosition = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (navigationType === 'POP') targetPosition.current = scrollPositions.get(key) ?? null
    // An address that is only written another way leads nowhere else.
    else if (navigationType === 'PUSH') targetPosition.current = null
    const clearTarget = () => {
      targetPosition.current = null
    }
    for (const eventName of userEvents) addEventListener(eventName, clearTarget, { passive: true })
    // Before what takes this place is drawn, and scrolls up.
    return () => {
      for (const eventName of userEvents) removeEventListener(eventName, clearTarget)
      // A page that is taken away before all its rows are there is not left yet.
      scrollPositions.set(key, targetPosition.current ?? scrollY)
    }
  }, [key, navigationType])
  useLayoutEffect(() => {
    if (targetPosition.current !== null && rowCount > 0) scrollTo(0, targetPosition.current)
  }, [rowCount, key])
}
