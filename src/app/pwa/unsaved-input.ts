/**
 * Whether something typed would be lost by leaving. Whoever has such a thing asks before the tab goes (`beforeunload`), and
 * that is what is asked here: no form has to be told of updates, and none can be forgotten.
 */

/** Held shared by every tab with unsaved words, while an update waits; whoever has it alone knows that there are none. */
export const unsavedInputLock = 'portal-typing'

export const hasUnsavedInput = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

const checkMs = 500
let isWatching = false

/** Tells the other tabs from now on. Looked at now and then, and only while an update waits: nobody announces a key press. */
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
