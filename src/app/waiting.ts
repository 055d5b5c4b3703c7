import type { WorkerMessage } from '#request/ports.ts'

/**
 * Tells of every build that was fetched and waits to be taken: whoever asked for it, also before anybody listened, and as
 * often as there is a newer one. The first build of all takes over without waiting and is not told of.
 */
export function followWaiting(registration: ServiceWorkerRegistration, tell: () => void): void {
  const follow = () => {
    const worker = registration.installing
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && registration.active) tell()
    })
  }
  if (registration.waiting && registration.active) tell()
  follow()
  registration.addEventListener('updatefound', follow)
}

const tellAgainMs = 2_000

/**
 * Tells a waiting build to start until it is `taken`, again and again: a browser looks whether the old one has come to rest
 * when it is told, and may not look by itself. False: not in that time.
 */
export async function startWaiting(
  worker: Pick<ServiceWorker, 'postMessage'>,
  taken: Promise<boolean>,
  { withinMs, wait }: { withinMs: number; wait: (ms: number) => Promise<void> },
): Promise<boolean> {
  const message: WorkerMessage = { type: 'update' }
  for (let waited = 0; waited < withinMs; waited += tellAgainMs) {
    worker.postMessage(message)
    if (await Promise.race([taken, wait(tellAgainMs).then(() => false)])) return true
  }
  return false
}
