import { type RefObject, useEffect, useRef } from 'react'
import { useNavigationType } from 'react-router-dom'

/**
 * Remembers whether opening a dialog or drawer that is in the address added a step to the history. After a link or a reload it did not, so
 * closing must not go back.
 */
export function useHistoryStep(isOpen: boolean): RefObject<boolean> {
  const navigationType = useNavigationType()
  const hasHistoryStep = useRef(false)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (isOpen !== wasOpen.current) hasHistoryStep.current = isOpen && navigationType === 'PUSH'
    wasOpen.current = isOpen
  }, [isOpen, navigationType])
  return hasHistoryStep
}
