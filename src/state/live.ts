/** Rows that change by themselves: the one doorway to live queries over the device's database. */
import { useLiveQuery } from 'dexie-react-hooks'

/** Undefined until the device has answered. After `asks` change the last answer stays until the new one is there. */
export function useLive<T>(read: () => Promise<T> | T, asks: readonly unknown[]): T | undefined {
  // Async by word, not only by what it answers: else Dexie loses sight of what is read after the first await, and the
  // screen hears of no change to it.
  return useLiveQuery(async () => await read(), [...asks])
}
