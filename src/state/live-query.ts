/** Rows that change by themselves: the one doorway to live queries over the device's database. */
import { useLiveQuery as useDexieQuery } from 'dexie-react-hooks'
import { useState } from 'react'
import { paced } from '#state/pace.ts'

/**
 * Undefined until the device has answered, unless `first` says what it answered a moment ago. After `asks` change the
 * last answer stays until the new one is there. What an answer says again stays the very thing it was, the whole or a row of it:
 * nothing is drawn for it again.
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
    kept.last = shared(kept.last, await read())
    return kept.last
  }

/**
 * `now`, with all that stands in `last` at the same place and says the same taken from there. Looks into lists and plain objects, as
 * rows are; anything else is the same only if it is that very thing.
 */
export function shared<T>(last: unknown, now: T): T {
  if (Object.is(last, now) || !isPlain(last) || !isPlain(now)) return now
  if (Array.isArray(last) !== Array.isArray(now)) return now
  const taken = Array.isArray(now)
    ? now.map((one, at) => shared(last[at as never], one))
    : Object.fromEntries(Object.entries(now).map(([name, one]) => [name, shared(last[name as never], one)]))
  const names = Object.keys(taken)
  const isSame =
    names.length === Object.keys(last).length &&
    names.every((name) => name in last && Object.is(last[name as never], taken[name as never]))
  return (isSame ? last : taken) as T
}

function isPlain(one: unknown): one is object {
  if (typeof one !== 'object' || !one) return false
  const kind: unknown = Object.getPrototypeOf(one)
  return kind === Object.prototype || kind === Array.prototype
}
