/** The registration of the service worker, through workbox-window. */
import { Workbox } from 'workbox-window'

/** Registers /saas/sw.js, and looks for newer builds of it. */
export interface WorkerRegistration {
  /** Rejects when the worker cannot be fetched, and may be called again then. Resolves to the active worker, if there is one yet. */
  register(): Promise<ServiceWorker | null>
  /** Looks for a newer build; never rejects. */
  update(): Promise<void>
}

/**
 * `onUpdateWaiting` hears of every build that was installed and waits to be taken: whoever asked for it, also before anybody listened. The
 * first build of all takes over without waiting and is not told of.
 */
export function createRegistration(onUpdateWaiting: () => void): WorkerRegistration {
  const workbox = new Workbox('/saas/sw.js', { scope: '/saas/', updateViaCache: 'none' })
  workbox.addEventListener('waiting', onUpdateWaiting)
  let registration: ServiceWorkerRegistration | undefined

  // Workbox follows neither a worker that was being installed before, nor more than one that another tab asked for.
  function watchInstallingWorker(): void {
    const isWaiting = () => Boolean(registration?.waiting && registration.active)
    registration?.installing?.addEventListener('statechange', () => isWaiting() && onUpdateWaiting())
    if (isWaiting()) onUpdateWaiting()
  }

  return {
    async register() {
      registration = await workbox.register({ immediate: true })
      watchInstallingWorker()
      return registration?.active ?? null
    },
    async update() {
      if (!registration) return
      await workbox.update().catch(() => undefined)
      watchInstallingWorker()
    },
  }
}
