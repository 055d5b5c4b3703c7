/**
 * Returns a function that shares runs between its callers: at most one run is active and one waits. A caller never gets the result of a run
 * that had begun before its call, because that run may have read older data.
 */
export function createSharedRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let active: Promise<T> | null = null
  let waiting: Promise<T> | null = null

  function begin(): Promise<T> {
    const own = run().finally(() => {
      if (active === own) active = null
    })
    active = own
    return own
  }

  return () => {
    if (!active) return begin()
    waiting ??= active
      .catch(() => undefined)
      .then(() => {
        waiting = null
        return begin()
      })
    return waiting
  }
}
