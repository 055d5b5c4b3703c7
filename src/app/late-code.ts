const againMs = 10_000

/**
 * Code that no page waits for. Where the line is cut in the first moments of a visit it cannot be fetched, and nobody presses
 * anything to have it after all: it is asked for again when there may be a line.
 */
export async function fetchLate<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch {
      await lineMayBeBack()
    }
  }
}

const lineMayBeBack = () =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(go, againMs)
    function go() {
      clearTimeout(timer)
      window.removeEventListener('online', go)
      resolve()
    }
    window.addEventListener('online', go)
  })
