import { useEffect } from 'react'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'

/** Calls `onEscape` if Escape is pressed, unless the key closes a dialog or a menu, clears a field, or cancels a composed character. */
export function useEscape(onEscape: () => void, isActive = true): void {
  const canEscape = useLatestCallback(() => isActive && !document.querySelector('[role=dialog]'))
  const handleEscape = useLatestCallback(onEscape)
  useEffect(() => {
    let isAllowed = false
    // Decided before other handlers of the key run, because one of them may close the dialog.
    const onCapture = () => {
      isAllowed = canEscape()
    }
    const onKey = ({ key, defaultPrevented, isComposing }: KeyboardEvent) => {
      if (key === 'Escape' && isAllowed && !defaultPrevented && !isComposing) handleEscape()
    }
    document.addEventListener('keydown', onCapture, true)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onCapture, true)
      document.removeEventListener('keydown', onKey)
    }
  }, [canEscape, handleEscape])
}
