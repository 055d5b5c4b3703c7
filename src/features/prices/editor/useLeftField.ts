import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { hasField, type ProblemPosition } from '#features/prices/sent-list.ts'

export type FieldPosition = Pick<ProblemPosition, 'key' | 'name'>

/**
 * Calls `onLeft` when the focus leaves a field of the price list, with the values after all changes of that moment: a date is normalised and
 * the end of a range is raised at the same time. Waits until the pointer is up, because an error moves the button that is being pressed.
 */
export function useLeftField(onLeft: (position: FieldPosition) => void) {
  const runWhenPointerIsUp = useRunWhenPointerIsUp()
  const [leftField, setLeftField] = useState<FieldPosition | null>(null)
  const latestOnLeft = useRef(onLeft)
  useEffect(() => {
    latestOnLeft.current = onLeft
  })
  useEffect(() => {
    if (leftField) latestOnLeft.current(leftField)
  }, [leftField])
  return ({ target }: FocusEvent<HTMLElement>) => {
    const position = getPosition(target)
    if (position) runWhenPointerIsUp(() => setLeftField(position))
  }
}

/** Returns null for controls that are not a value of the list. */
function getPosition(element: HTMLElement): FieldPosition | null {
  const { cell, row } = element.dataset
  if (cell !== undefined) return { key: Number(row), name: cell }
  const { name } = element as HTMLInputElement
  return hasField(name) ? { key: 0, name } : null
}

/** Runs the actions at once if no pointer is down. A pointer that scrolls the page ends with `pointercancel`. */
function useRunWhenPointerIsUp(): (action: () => void) => void {
  const isDown = useRef(false)
  const waitingActions = useRef<(() => void)[]>([])
  useEffect(() => {
    const stop = new AbortController()
    const setDown = () => {
      isDown.current = true
    }
    const setUp = () => {
      isDown.current = false
      // The click of this pointer comes before the timeout.
      for (const action of waitingActions.current.splice(0)) setTimeout(action)
    }
    addEventListener('pointerdown', setDown, { capture: true, signal: stop.signal })
    for (const name of ['pointerup', 'pointercancel'])
      addEventListener(name, setUp, { capture: true, signal: stop.signal })
    return () => stop.abort()
  }, [])
  return (action) => {
    if (isDown.current) waitingActions.current.push(action)
    else action()
  }
}
