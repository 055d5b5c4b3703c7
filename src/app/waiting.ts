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
