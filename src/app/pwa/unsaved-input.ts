/** Checks for unsaved input by a `beforeunload` event, which forms handle anyway. */

/**
 * Name of a lock. While an update waits, tabs with unsaved input hold it in shared mode. A tab that gets it exclusively knows that no other
 * tab has unsaved input.
 */
export const unsavedInputLock = 'portal-typing'

export const hasUnsavedInput = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

const checkMs = 500
let isWatching = false

/** Holds the lock while this tab has unsaved input. Called when an update waits. It checks at intervals, because no event reports input. */
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
