import { useState } from 'react'

/** A switch whose position is stored on this device. Without storage it lasts as long as the page. */
export function useStoredSwitch(storageKey: string, getDefault: () => boolean) {
  const [isOn, setIsOn] = useState(() => readSwitch(storageKey) ?? getDefault())
  const change = (next: boolean) => {
    if (next === isOn) return
    setIsOn(next)
    try {
      localStorage.setItem(storageKey, next ? 'on' : 'off')
    } catch {
      // The browser has no storage.
    }
  }
  return [isOn, change] as const
}

function readSwitch(storageKey: string): boolean | null {
  try {
    const text = localStorage.getItem(storageKey)
    return text === 'on' ? true : text === 'off' ? false : null
  } catch {
    return null
  }
}
