/** The ports that page and worker have in common. Neither Dexie nor the pipeline comes with them. */
import { createWebLocks } from '#request/transport/web-locks.ts'
import type { PipelinePorts } from '#request/ports.ts'

interface SyncManager {
  getTags(): Promise<string[]>
  register(tag: string): Promise<void>
}

/**
 * Asks for a wake-up by Background Sync, where there is such a thing and it is allowed. Not while one is asked for: a
 * registration fires at once when the browser believes in the line, and would so be repeated without end.
 */
export async function requestSync(registration: ServiceWorkerRegistration | undefined): Promise<void> {
  // Not in TypeScript's libraries, and in few browsers.
  const { sync } = (registration ?? {}) as { sync?: SyncManager }
  try {
    if (sync && !(await sync.getTags()).includes('drain')) await sync.register('drain')
  } catch {
    // Refused by the user or the browser: the other triggers do without.
  }
}

type SharedPorts = Omit<PipelinePorts, 'build' | 'tokenAccess' | 'requestWakeup' | 'unsentCookie'>

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The page was left, and what it had open in the database was aborted (decision 81). */
let isPageLeft = false
for (const type of ['pagehide', 'freeze'])
  globalThis.addEventListener?.(type, () => void (isPageLeft = true), { capture: true })

/** Not what was aborted because the page was left: that is done again when it comes back, and else nobody is there to read it. */
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
  // Few browsers are without (P-31): what stands in is fetched by them alone, and at once, while there is a line.
  locks: createWebLocks(navigator.locks ?? import('#request/transport/request-lock-fallback.ts'), wait),
  device: async () => (await import('#local/storage/device.ts')).getThisDevice(),
  // Also in workers; absent where apps have no icon.
  badge: (count) => void navigator.setAppBadge?.(count).catch(() => {}),
  keepAlive: (promise) => void promise.catch(report),
  report,
}
