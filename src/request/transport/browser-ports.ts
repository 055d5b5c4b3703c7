/** Provides the ports that page and worker have in common. Does not load Dexie or the pipeline. */
import { createWebLocks } from '#request/transport/web-locks.ts'
import type { PipelinePorts } from '#request/ports.ts'

interface SyncManager {
  getTags(): Promise<string[]>
  register(tag: string): Promise<void>
}

/**
 * Requests a Background Sync event, where it is supported and allowed. Does nothing while one is registered: the browser runs a
 * registration immediately if it seems to be online, so each run would cause the next one.
 */
export async function requestSync(registration: ServiceWorkerRegistration | undefined): Promise<void> {
  // Missing in TypeScript's libraries, and supported by few browsers.
  const { sync } = (registration ?? {}) as { sync?: SyncManager }
  try {
    if (sync && !(await sync.getTags()).includes('drain')) await sync.register('drain')
  } catch {
    // Refused by the user or the browser. The other triggers are sufficient.
  }
}

type SharedPorts = Omit<PipelinePorts, 'build' | 'tokenAccess' | 'requestWakeup' | 'unsentCookie'>

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** True when the page was left and its open transactions were aborted (decision 81). */
let isPageLeft = false
for (const type of ['pagehide', 'freeze'])
  globalThis.addEventListener?.(type, () => void (isPageLeft = true), { capture: true })

/** Does not report transactions that were aborted because the page was left. They are repeated when it is restored. */
function report(error: unknown): void {
  if (isPageLeft && error instanceof Error && error.name === 'AbortError') return
  reportError(error)
}

export const browserPorts: SharedPorts = {
  network: (request) => fetch(request),
  origin: location.origin,
  clock: () => Date.now(),
  wait,
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
  // Few browsers lack Web Locks (P-31). Only they load the fallback. They load it at the start, while there is a connection.
  locks: createWebLocks(navigator.locks ?? import('#request/transport/request-lock-fallback.ts'), wait),
  device: async () => (await import('#local/storage/device.ts')).getThisDevice(),
  // `setAppBadge` exists in workers too. It is absent where apps have no icon.
  badge: (count) => void navigator.setAppBadge?.(count).catch(() => {}),
  keepAlive: (promise) => void promise.catch(report),
  report,
}
