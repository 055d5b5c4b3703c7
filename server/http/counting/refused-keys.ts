/** Maximum number of remembered keys. The oldest are forgotten first; they are then counted again. */
const maxKeys = 10_000

export interface RefusedKeys {
  /** Remembers a key until this time, epoch ms. */
  add(key: string, windowEnd: number): void
  /** Returns until when one of the keys is refused, or null. */
  findEnd(keys: readonly string[]): number | null
}

/** Remembers callers over a limit. */
export function createRefusedKeys(clock: () => number): RefusedKeys {
  const endsByKey = new Map<string, number>()
  return {
    add(key, windowEnd) {
      endsByKey.delete(key)
      endsByKey.set(key, windowEnd)
      for (const oldestKey of endsByKey.keys()) {
        if (endsByKey.size <= maxKeys) break
        endsByKey.delete(oldestKey)
      }
    },
    findEnd(keys) {
      if (endsByKey.size === 0) return null
      for (const key of keys) {
        const windowEnd = endsByKey.get(key)
        if (windowEnd !== undefined && windowEnd > clock()) return windowEnd
        endsByKey.delete(key)
      }
      return null
    },
  }
}
