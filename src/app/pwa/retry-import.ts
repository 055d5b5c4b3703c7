/**
 * Loads code that no page waits for. If the connection is lost early in a visit, no user action would load it again. So it is retried when
 * the connection may be back, with growing intervals, because code that a new build removed never comes back.
 */
export const retryImport = <T>(load: () => Promise<T>, ms = 10_000): Promise<T> =>
  load().catch(() => waitForConnection(ms).then(() => retryImport(load, 2 * ms)))

const waitForConnection = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
    window.addEventListener('online', resolve)
  })
