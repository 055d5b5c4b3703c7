/**
 * The stored files of the build before, for one release (W-10): a page of it that stays open under this worker, with
 * unsaved words in it, may fetch a part of itself only now, perhaps without a line.
 */
/** Of Workbox, which keeps all builds' files under one. */
const precachePattern = /^workbox-precache-/
const prefix = 'portal-former-'
const cacheName = prefix + __BUILD__

/** Of the hashed files alone: what has a fixed name is the new build's. */
export const isHashedFile = ({ pathname }: URL) => pathname.startsWith('/saas/assets/')

/** While this build is being stored beside the former one, whose files go when it takes over. */
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

/** What was kept for a build before this one, or by one that was never finished. */
export async function deleteOlderBuilds(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name)
}

/** The server keeps them as long, those too that are never stored ahead. */
export const respondFromPreviousBuild = async (request: Request): Promise<Response> =>
  (await caches.match(request, { cacheName })) ?? (await fetch(request))
