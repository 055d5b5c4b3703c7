/** A burst of changes is read again once in so long, and for the last time when it is over. */
const restMs = 100

/**
 * A live query's reading at the pace at which anybody can look: the first at once, the next no sooner than 100 ms after
 * the one before. Whoever is overtaken while waiting reads nothing; the library asks for nothing but the latest.
 */
export function paced<T>(read: () => Promise<T>): () => Promise<T> {
  let turn = 0
  let readAt = Number.NEGATIVE_INFINITY
  let last: T
  return async () => {
    turn += 1
    const own = turn
    const wait = readAt + restMs - performance.now()
    // By this promise and not its own: else Dexie loses sight of what is read after it.
    if (wait > 0) await Promise.resolve(new Promise((go) => setTimeout(go, wait)))
    if (own !== turn) return last
    readAt = performance.now()
    last = await read()
    return last
  }
}
