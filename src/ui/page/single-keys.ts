/** Reads single-key shortcuts from key events (A-19, C-21), and stores the user's setting. */
import { useSyncExternalStore } from 'react'
import { isOverlayOpen } from '#ui/overlay/is-overlay-open.ts'

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

/** Fields that a key changes. A check box is not one of them: only the space bar changes it. */
const inputSelector = 'input:not([type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false])'
/**
 * Returns the character of a key on a keyboard with Latin letters. Caps Lock, full-width characters and the slash of Chinese punctuation
 * (`、`) make no difference. Keyboards with other letters (Zhuyin, Cyrillic) have the Latin letter at the same position.
 */
export function toLatinKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  // A name such as `Escape` or `Process`.
  if ([...key].length !== 1) return key
  const character = key === '、' ? '/' : key.normalize('NFKC').toLowerCase()
  if (/^[ -~]$/.test(character)) return character
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? character
}

/** AltGr types a third character. On Windows it is also reported as Ctrl and Alt. */
const isOtherShortcut = (event: KeyboardEvent) =>
  event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph')

/**
 * Returns the key of a single-key shortcut as `toLatinKey` does. Returns null if shortcuts are off, an overlay is open, or the key was typed
 * into a field, is part of another shortcut, or belongs to an input method. Letters with Shift are no shortcuts.
 */
export function readSingleKey(event: KeyboardEvent): string | null {
  if (isOtherShortcut(event) || event.isComposing || event.defaultPrevented || !readSingleKeys()) return null
  const element = event.target instanceof Element ? event.target : null
  if (element?.closest(inputSelector) || isOverlayOpen()) return null
  const key = toLatinKey(event)
  return event.shiftKey && /^[a-z]$/.test(key) ? null : key
}
