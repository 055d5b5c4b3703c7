/** Rows that change by themselves: the one doorway to live queries over the device's database. */
import { liveQuery } from 'dexie'
import { useLayoutEffect, useState } from 'react'

/**
 * Undefined until the device has answered. After `asks` change the last answer stays until the new one is there. By hand,
 * because Dexie's own hook asks everything twice when it begins, and the first rows wait for both.
 */
export function useLive<T>(read: () => Promise<T> | T, asks: readonly unknown[]): T | undefined {
  const [found, setFound] = useState<{ value?: T; error?: unknown }>({})
  // Before the paint and not after it: the asking is on its way while the browser draws.
  // biome-ignore lint: `asks` says what `read` depends on
  useLayoutEffect(() => {
    // Async by word, not only by what it answers: else Dexie loses sight of what is read after the first await, and the
    // screen hears of no change to it.
    const query = liveQuery(async () => await read()).subscribe({
      next: (value) => setFound({ value }),
      error: (error) => setFound({ error }),
    })
    return () => query.unsubscribe()
  }, [...asks])
  if (found.error !== undefined) throw found.error
  return found.value
}
