import { useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'

/** How far down each step of the history was when it was left. */
const left = new Map<string, number>()

/** Who moves by themselves is left where they go. */
const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/**
 * Back leads to where one was on a list (C-23). The browser would scroll before the device has given the rows, when there is
 * nothing to scroll; so it is done with them, and again where a list is drawn shorter at first. `rows`: how many are drawn.
 */
export function useScrollBack(rows: number): void {
  const { key } = useLocation()
  const arrivedBy = useNavigationType()
  const wanted = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (arrivedBy === 'POP') wanted.current = left.get(key) ?? null
    // An address that is only written another way leads nowhere else.
    else if (arrivedBy === 'PUSH') wanted.current = null
    const end = () => {
      wanted.current = null
    }
    for (const act of acts) addEventListener(act, end, { passive: true })
    // Before what takes this place is drawn, and scrolls up.
    return () => {
      for (const act of acts) removeEventListener(act, end)
      // A page that is taken away before all its rows are there is not left yet.
      left.set(key, wanted.current ?? scrollY)
    }
  }, [key, arrivedBy])
  useLayoutEffect(() => {
    if (wanted.current !== null && rows > 0) scrollTo(0, wanted.current)
  }, [rows, key])
}
