import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'

/** How far down each step of the history was when it was left. */
const left = new Map<string, number>()

/**
 * Back leads to where one was on a list (C-23). The browser would scroll before the device has given the rows, when there is
 * nothing to scroll; so it is done with them. `rows`: how many are drawn.
 */
export function useScrollBack(rows: number): void {
  const { key } = useLocation()
  const arrivedBy = useNavigationType()
  const wanted = useRef<number | null>(null)
  useLayoutEffect(() => {
    wanted.current = arrivedBy === 'POP' ? (left.get(key) ?? null) : null
    // Before what takes this place is drawn, and scrolls up.
    return () => void left.set(key, scrollY)
  }, [key, arrivedBy])
  useLayoutEffect(() => {
    if (wanted.current === null || rows === 0) return
    scrollTo(0, wanted.current)
    if (Math.abs(scrollY - wanted.current) < 2) wanted.current = null
  }, [rows, key])
}
