/**
 * Whether something typed would be lost by leaving. Whoever has such a thing asks before the tab goes (`beforeunload`), and
 * that is what is asked here: no form has to be told of updates, and none can be forgotten.
 */

/** Held shared by every tab with unsaved words, while an update waits; whoever has it alone knows that there are none. */
export const typingLock = 'portal-typing'

export const isTyping = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

const lookMs = 500
let watching = false

/** Tells the other tabs from now on. Looked at now and then, and only while an update waits: nobody announces a key press. */
export async function tellTyping(): Promise<void> {
  if (watching || !navigator.locks) return
  watching = true
  for (;;) {
    if (isTyping()) await navigator.locks.request(typingLock, { mode: 'shared' }, whileTyping)
    await pause()
  }
}

async function whileTyping(): Promise<void> {
  while (isTyping()) await pause()
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, lookMs))
