/** Rows that change by themselves: the one doorway to live queries over the device's database. */
import { useLiveQuery as useDexieQuery } from 'dexie-react-hooks'
import { useState } from 'react'
import { paced } from '#state/pace.ts'

/**
 * Undefined until the device has answered, unless `first` says what it answered a moment ago. After `asks` change the
 * last answer stays until the new one is there. An answer that says the same is the same: nothing is drawn for it again.
 */
export function useLiveQuery<T>(read: () => Promise<T> | T, asks: readonly unknown[], first?: T): T | undefined {
  const [kept] = useState<Kept<T>>(() => ({ last: first }))
  return useDexieQuery(paced(steady(read, kept)), [...asks], first)
}

interface Kept<T> {
  last: T | undefined
}

const steady =
  <T>(read: () => Promise<T> | T, kept: Kept<T>) =>
  // Async by word, not only by what it answers: else Dexie loses sight of what is read after the first await, and the
  // screen hears of no change to it.
  async (): Promise<T> => {
    const now = await read()
    if (kept.last !== undefined && isSame(kept.last, now)) return kept.last
    kept.last = now
    return now
  }

/** Looks into lists and plain objects, as rows are; anything else is the same only if it is that very thing. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  const kind = Object.getPrototypeOf(a)
  if (kind !== Object.getPrototypeOf(b) || (kind !== Object.prototype && kind !== Array.prototype)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => name in b && isSame(a[name as keyof typeof a], b[name as keyof typeof b]))
}
