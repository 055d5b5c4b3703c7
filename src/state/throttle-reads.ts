/** Minimum time between two reads of a query, in ms. */
const minIntervalMs = 100

/**
 * Limits how often a live query reads. The first read runs immediately, each later one at least 100 ms after the previous one. A read does
 * not run if a later one is requested while it waits: Dexie uses only the latest result.
 */
export function throttleReads<T>(read: () => Promise<T>): () => Promise<T> {
  let latestTurn = 0
  let readAt = Number.NEGATIVE_INFINITY
  let lastResult: T
  return async () => {
    latestTurn += 1
    const ownTurn = latestTurn
    const waitMs = readAt + minIntervalMs - performance.now()
    // `Promise.resolve` is needed here: after awaiting a native promise, Dexie no longer tracks what is read.
    if (waitMs > 0) await Promise.resolve(new Promise((resolve) => setTimeout(resolve, waitMs)))
    if (ownTurn !== latestTurn) return lastResult
    readAt = performance.now()
    lastResult = await read()
    return lastResult
  }
}
