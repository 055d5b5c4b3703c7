/** Single-key shortcuts (A-19, C-21): the user's setting, and whether a key event counts as one. */
import { useSyncExternalStore } from 'react'

const storageKey = 'portal.keys'
const listeners = new Set<() => void>()
/** Without storage, the setting lasts as long as the page. */
let lastChoice: string | null = null

function read(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return lastChoice
  }
}

const readSingleKeys = (): boolean => read() !== 'off'

/** Users of speech input switch them off, because a spoken word would trigger several keys. */
export function setSingleKeys(isOn: boolean): void {
  lastChoice = isOn ? null : 'off'
  try {
    if (isOn) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, 'off')
  } catch {
    // Without storage, only `lastChoice` keeps it.
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

const inputSelector = 'input, textarea, select, [contenteditable=true]'
/** Menus use first letters themselves, and overlays have their own keys. */
const overlaySelector = '[role=dialog], [role=menu], dialog[open]'

/** Returns whether a key was neither typed into a field nor part of another shortcut, and no overlay is open. */
export function isSingleKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false
  const element = event.target instanceof Element ? event.target : null
  return readSingleKeys() && !element?.closest(inputSelector) && document.querySelector(overlaySelector) === null
}
