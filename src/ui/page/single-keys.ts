/** Shortcuts of single keys (A-19, C-21): whether this browser wants them, and when a key is meant as one. */
import { useSyncExternalStore } from 'react'

const name = 'portal.keys'
const listeners = new Set<() => void>()
/** Where storage is off, the choice lasts as long as the page. */
let last: string | null = null

function read(): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return last
  }
}

const areKeysOn = (): boolean => read() !== 'off'

/** Who speaks to the computer switches them off: a word in the air would be a row of keys. */
export function switchKeys(on: boolean): void {
  last = on ? null : 'off'
  try {
    if (on) localStorage.removeItem(name)
    else localStorage.setItem(name, 'off')
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
export const useKeysOn = (): boolean => useSyncExternalStore(subscribe, areKeysOn)

const typedIn = 'input, textarea, select, [contenteditable=true]'
/** A menu goes by first letters, and what lies over the page has the keys to itself. */
const over = '[role=dialog], [role=menu], dialog[open]'

/** Neither typed into a field nor part of another shortcut, and nothing lies over the page. */
export function isSingleKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false
  const at = event.target instanceof Element ? event.target : null
  return areKeysOn() && !at?.closest(typedIn) && document.querySelector(over) === null
}
