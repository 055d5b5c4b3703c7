/** Checks for unsaved input by a `beforeunload` event, which forms handle anyway. */

/** Shared by tabs with unsaved input while an update waits. A tab that gets it alone knows that no tab has any. */
export const unsavedInputLock = 'portal-typing'

export const hasUnsavedInput = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

const checkMs = 500
let isWatching = false

/** Checks at intervals, and only while an update waits, because no event reports input. */
export async function holdUnsavedInputLock(): Promise<void> {
  if (isWatching || !navigator.locks) return
  isWatching = true
  for (;;) {
    if (hasUnsavedInput()) await navigator.locks.request(unsavedInputLock, { mode: 'shared' }, waitUntilSaved)
    await pause()
  }
}

async function waitUntilSaved(): Promise<void> {
  while (hasUnsavedInput()) await pause()
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, checkMs))
