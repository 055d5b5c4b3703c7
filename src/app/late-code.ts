/** Longer each time: a build that is gone from the server does not come back by being asked for. */
const again = { firstMs: 10_000, mostMs: 300_000 }

/**
 * Code that no page waits for. Where the line is cut in the first moments of a visit it cannot be fetched, and nobody presses
 * anything to have it after all: it is asked for again when there may be a line.
 */
export async function fetchLate<T>(load: () => Promise<T>): Promise<T> {
  for (let ms = again.firstMs; ; ms = Math.min(2 * ms, again.mostMs)) {
    try {
      return await load()
    } catch {
      await lineMayBeBack(ms)
    }
  }
}

/** The browser's word, or so long at most. */
const lineMayBeBack = (ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(go, ms)
    function go() {
      clearTimeout(timer)
      window.removeEventListener('online', go)
      resolve()
    }
    window.addEventListener('online', go)
  })
