/** Decides whether a key event is a single-key shortcut (A-19, C-21), and stores the user's setting. */
import { useSyncExternalStore } from 'react'

const storageKey = 'portal.keys'
const listeners = new Set<() => void>()
/** The user's choice if the browser has no storage. It is lost with the page. */
let lastChoice: string | null = null

function read(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return lastChoice
  }
}

const readSingleKeys = (): boolean => read() !== 'off'

/** Switches single-key shortcuts on or off. Users of speech input switch them off, because a spoken word would trigger several keys (WCAG 2.1.4). */
export function setSingleKeys(isOn: boolean): void {
  lastChoice = isOn ? null : 'off'
  try {
    if (isOn) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, 'off')
  } catch {
    // The browser has no storage, so only `lastChoice` has the setting.
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

export const useSingleKeys = (): boolean => useSyncExternalStore(subscribe, readSingleKeys)

/** Fields that a key changes. A check box is none of them: only the space bar changes it. */
const inputSelector = 'input:not([type=checkbox]), textarea, select, [contenteditable=true]'
/** Overlays that use single keys themselves, such as first letters in a menu. */
const overlaySelector = '[role=dialog], [role=menu], dialog[open]'

/** Returns true if shortcuts are on, no overlay is open, and the key was neither typed into a field nor part of another shortcut. */
export function isSingleKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false
  const element = event.target instanceof Element ? event.target : null
  return readSingleKeys() && !element?.closest(inputSelector) && document.querySelector(overlaySelector) === null
}
