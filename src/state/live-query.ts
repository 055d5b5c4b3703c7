/** Live queries over the device's database. All other code uses them through this file. */
import { useLiveQuery as useDexieQuery } from 'dexie-react-hooks'
import { useState } from 'react'
import { throttleReads } from '#state/throttle-reads.ts'

/**
 * Returns undefined before the first result, unless `initialValue` is given. After a change of `dependencies`, the previous result stays
 * until the new one arrives. Unchanged parts of a new result (all of it, or a row) keep their identity, so that they are not rendered
 * again.
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
  // The function must be declared `async`. If it only returned a promise, Dexie would not track reads after the first await, and the page
  // would miss changes.
  async (): Promise<T> => {
    lastResult.lastValue = reuseUnchanged(lastResult.lastValue, await read())
    return lastResult.lastValue
  }

/**
 * Returns `current`, in which all parts that equal `previous` at the same position are replaced by those of `previous`. Compares arrays and
 * plain objects deeply, and everything else by identity.
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
