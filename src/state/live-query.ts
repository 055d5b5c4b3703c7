/** Rows that change by themselves: the one doorway to live queries over the device's database. */
import { useLiveQuery as useDexieQuery } from 'dexie-react-hooks'
import { useState } from 'react'
import { throttleReads } from '#state/throttle-reads.ts'

/**
 * Undefined until the device has answered, unless `initialValue` says what it answered a moment ago. After `dependencies` change the
 * last answer stays until the new one is there. What an answer says again stays the very thing it was, the whole or a row of it:
 * nothing is drawn for it again.
 */
export function useLiveQuery<T>(
  read: () => Promise<T> | T,
  dependencies: readonly unknown[],
  initialValue?: T,
): T | undefined {
  const [lastResult] = useState<LastResult<T>>(() => ({ lastValue: initialValue }))
  return useDexieQuery(throttleReads(keepIdentity(read, lastResult)), [...dependencies], initialValue)
}

interface LastResult<T> {
  lastValue: T | undefined
}

const keepIdentity =
  <T>(read: () => Promise<T> | T, lastResult: LastResult<T>) =>
  // Async by word, not only by what it answers: else Dexie loses sight of what is read after the first await, and the
  // screen hears of no change to it.
  async (): Promise<T> => {
    lastResult.lastValue = reuseUnchanged(lastResult.lastValue, await read())
    return lastResult.lastValue
  }

/**
 * `current`, with all that stands in `last` at the same place and says the same taken from there. Looks into lists and plain objects, as
 * rows are; anything else is the same only if it is that very thing.
 */
export function reuseUnchanged<T>(previous: unknown, current: T): T {
  if (Object.is(previous, current) || !isPlain(previous) || !isPlain(current)) return current
  if (Array.isArray(previous) !== Array.isArray(current)) return current
  const reusedValue = Array.isArray(current)
    ? current.map((part, index) => reuseUnchanged(previous[index as never], part))
    : Object.fromEntries(
        Object.entries(current).map(([name, part]) => [name, reuseUnchanged(previous[name as never], part)]),
      )
  const names = Object.keys(reusedValue)
  const isSame =
    names.length === Object.keys(previous).length &&
    names.every((name) => name in previous && Object.is(previous[name as never], reusedValue[name as never]))
  return (isSame ? previous : reusedValue) as T
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || !value) return false
  const kind: unknown = Object.getPrototypeOf(value)
  return kind === Object.prototype || kind === Array.prototype
}
