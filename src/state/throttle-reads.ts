/** A burst of changes is read again once in so long, and for the last time when it is over. */
const minIntervalMs = 100

/**
 * A live query's reading at the pace at which anybody can look: the first at once, the next no sooner than 100 ms after
 * the one before. Whoever is overtaken while waiting reads nothing; the library asks for nothing but the latest.
 */
export function throttleReads<T>(read: () => Promise<T>): () => Promise<T> {
  let latestTurn = 0
  let readAt = Number.NEGATIVE_INFINITY
  let lastResult: T
  return async () => {
    latestTurn += 1
    const ownTurn = latestTurn
    const waitMs = readAt + minIntervalMs - performance.now()
    // By this promise and not its own: else Dexie loses sight of what is read after it.
    if (waitMs > 0) await Promise.resolve(new Promise((resolve) => setTimeout(resolve, waitMs)))
    if (ownTurn !== latestTurn) return lastResult
    readAt = performance.now()
    lastResult = await read()
    return lastResult
  }
}
