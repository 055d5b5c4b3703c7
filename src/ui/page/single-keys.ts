/** Shortcuts of single keys (A-19, C-21): whether this browser wants them, and when a key is meant as one. */
import { useSyncExternalStore } from 'react'

const storageKey = 'portal.keys'
const listeners = new Set<() => void>()
/** Where storage is off, the choice lasts as long as the page. */
let lastChoice: string | null = null

function read(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return lastChoice
  }
}

const readSingleKeys = (): boolean => read() !== 'off'

/** Who speaks to the computer switches them off: a word in the air would be a row of keys. */
export function setSingleKeys(isOn: boolean): void {
  lastChoice = isOn ? null : 'off'
  try {
    if (isOn) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, 'off')
  } catch {
    // Kept for the page above.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** Draws again when they are switched, in another tab too. */
export const useSingleKeys = (): boolean => useSyncExternalStore(subscribe, readSingleKeys)

const inputSelector = 'input, textarea, select, [contenteditable=true]'
/** A menu goes by first letters, and what lies over the page has the keys to itself. */
const overlaySelector = '[role=dialog], [role=menu], dialog[open]'

/** Neither typed into a field nor part of another shortcut, and nothing lies over the page. */
export function isSingleKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false
  const element = event.target instanceof Element ? event.target : null
  return readSingleKeys() && !element?.closest(inputSelector) && document.querySelector(overlaySelector) === null
}
