import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { SearchItem } from '#patterns/search-source.ts'

interface SearchKeysOptions {
  items: readonly SearchItem[]
  activeIndex: number
  /** False as long as the displayed results belong to an older text. */
  isUpToDate: boolean
  moveTo: (index: number) => void
  onOpen: (item: SearchItem, isNewTab: boolean) => void
}

/**
 * Handles the keys of the field. Enter on results of an older text waits for those of the typed text, and opens the active item of these.
 * `forgetEnter` is called when the text changes.
 */
export function useSearchKeys({ items, activeIndex, isUpToDate, moveTo, onOpen }: SearchKeysOptions) {
  const waitingEnter = useRef<{ isNewTab: boolean } | null>(null)
  const forgetEnter = () => void (waitingEnter.current = null)
  const activeItem = items[activeIndex]
  useEffect(() => {
    if (!isUpToDate || !waitingEnter.current) return
    const { isNewTab } = waitingEnter.current
    waitingEnter.current = null
    if (activeItem) onOpen(activeItem, isNewTab)
  })
  const onFieldKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const index = findTarget(event, activeIndex, items.length)
    if (index !== null) moveTo(index)
    else if (event.key === 'Enter') {
      const isNewTab = event.ctrlKey || event.metaKey
      if (!isUpToDate) waitingEnter.current = { isNewTab }
      else if (activeItem) onOpen(activeItem, isNewTab)
    } else return
    event.preventDefault()
    // A dialog or page below must not react to the same key.
    event.stopPropagation()
  }
  return { onFieldKeyDown, forgetEnter }
}

/** Returns the index that a key moves to, or null if it does not move. With Shift the keys select text in the field. */
function findTarget({ key, shiftKey }: KeyboardEvent, index: number, count: number): number | null {
  if (shiftKey) return null
  if (key === 'ArrowDown') return index + 1
  if (key === 'ArrowUp') return index - 1 + count
  if (key === 'Home') return 0
  return key === 'End' ? Math.max(count - 1, 0) : null
}
