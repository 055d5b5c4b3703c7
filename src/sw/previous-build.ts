/** Keeps the previous build's files for one release (W-10): its open pages may load a chunk later, offline. */
/** Workbox keeps the files of all builds in one cache of this name. */
const precachePattern = /^workbox-precache-/
const prefix = 'portal-former-'
const cacheName = prefix + __BUILD__

/** Returns true for files with a hash in their name. A file with a fixed name belongs to the new build. */
export const isHashedFile = ({ pathname }: URL) => pathname.startsWith('/saas/assets/')

/** Runs while this build is being installed. The previous build's files are deleted when this one activates. */
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

/** The server keeps these files equally long, including those that are never cached in advance. */
export const respondFromPreviousBuild = async (request: Request): Promise<Response> =>
  (await caches.match(request, { cacheName })) ?? (await fetch(request))
