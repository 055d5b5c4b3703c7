import { Workbox } from 'workbox-window'

export interface WorkerRegistration {
  /**
   * Resolves to the active worker, or null if none is active yet. Rejects if the worker cannot be loaded or the first one cannot be
   * installed; may then be called again.
   */
  register(): Promise<ServiceWorker | null>
  /** Checks for a newer build. Never rejects. */
  update(): Promise<void>
}

/**
 * Calls `onUpdateWaiting` for every build that is installed and waits for activation, from any tab, also if it was installed earlier. The
 * very first build activates without waiting and is not reported.
 */
export function createRegistration(onUpdateWaiting: () => void): WorkerRegistration {
  const workbox = new Workbox('/saas/sw.js', { scope: '/saas/', updateViaCache: 'none' })
  workbox.addEventListener('waiting', onUpdateWaiting)
  let registration: ServiceWorkerRegistration | undefined

  // Workbox reports neither a worker that was already installing, nor any but the first that other tabs requested.
  function watchInstallingWorker(): void {
    const isWaiting = () => Boolean(registration?.waiting && registration.active)
    registration?.installing?.addEventListener('statechange', () => isWaiting() && onUpdateWaiting())
    if (isWaiting()) onUpdateWaiting()
  }

  return {
    async register() {
      registration = await workbox.register({ immediate: true })
      watchInstallingWorker()
      if (registration?.installing && !registration.active) await waitUntilInstalled(registration.installing)
      return registration?.active ?? null
    },
    async update() {
      if (!registration) return
      await workbox.update().catch(() => undefined)
      watchInstallingWorker()
    },
  }
}

/** Rejects if the installation fails, for example because the files came from nodes with different builds. */
const waitUntilInstalled = (worker: ServiceWorker) =>
  new Promise<void>((resolve, reject) => {
    const checkState = () => {
      if (worker.state === 'redundant') reject(new Error('the worker could not be installed'))
      else if (worker.state !== 'installing') resolve()
    }
    worker.addEventListener('statechange', checkState)
    checkState()
  })
