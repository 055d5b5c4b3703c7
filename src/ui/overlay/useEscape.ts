import { useEffect } from 'react'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { isOverlayOpen } from '#ui/overlay/is-overlay-open.ts'

/** Calls `onEscape` if Escape is pressed, unless the key closes a dialog or a menu, clears a field, or cancels a composed character. */
export function useEscape(onEscape: () => void, isActive = true): void {
  const canEscape = useLatestCallback(() => isActive && !isOverlayOpen())
  const handleEscape = useLatestCallback(onEscape)
  useEffect(() => {
    let isAllowed = false
    // Decided before other handlers of the key run, because one of them may close the dialog.
    const onCapture = () => {
      isAllowed = canEscape()
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isAllowed || event.defaultPrevented || event.isComposing) return
      // The key has had its effect, so it does not also go back to the parent page.
      event.preventDefault()
      handleEscape()
    }
    document.addEventListener('keydown', onCapture, true)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onCapture, true)
      document.removeEventListener('keydown', onKey)
    }
  }, [canEscape, handleEscape])
}
