/**
 * Code that no page waits for. Where the line is cut in the first moments of a visit it cannot be fetched, and nobody presses
 * anything to have it after all: it is asked for again when there may be a line, by itself less and less often, because what
 * a new build took away does not come back.
 */
export const retryImport = <T>(load: () => Promise<T>, ms = 10_000): Promise<T> =>
  load().catch(() => waitForConnection(ms).then(() => retryImport(load, 2 * ms)))

const waitForConnection = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
    window.addEventListener('online', resolve)
  })
