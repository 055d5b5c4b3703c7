/** Keeps the previous build's files for one release (W-10): its open pages may load a chunk later, offline. */
/** Pattern of the name of Workbox's cache, which contains the files of all builds. */
const precachePattern = /^workbox-precache-/
const prefix = 'portal-former-'
const cacheName = prefix + __BUILD__

/** Returns true for files with a hash in their name. A file with a fixed name belongs to the new build. */
export const isHashedFile = ({ pathname }: URL) => pathname.startsWith('/saas/assets/')

/**
 * Copies the previous build's files while this build is being installed. Workbox deletes them from its own cache when this build activates.
 */
export async function cachePreviousBuild(files: ReadonlySet<string>): Promise<void> {
  const name = (await caches.keys()).find((one) => precachePattern.test(one))
  if (name === undefined) return
  const precache = await caches.open(name)
  const previousRequests = (await precache.keys()).filter(
    ({ url }) => isHashedFile(new URL(url)) && !files.has(new URL(url).pathname),
  )
  if (previousRequests.length === 0) return
  const cache = await caches.open(cacheName)
  for (const request of previousRequests) {
    const file = await precache.match(request)
    if (file) await cache.put(request, file)
  }
}

export async function deleteOlderBuilds(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name)
}

/**
 * Returns a file of the previous build, from the cache or from the server. The server keeps the files of its recent builds, including those
 * that are cached only on use.
 */
export const respondFromPreviousBuild = async (request: Request): Promise<Response> =>
  (await caches.match(request, { cacheName })) ?? (await fetch(request))
