/**
 * The stored files of the build before, for one release (W-10): a page of it that stays open under this worker, with
 * unsaved words in it, may fetch a part of itself only now, perhaps without a line.
 */
/** Of Workbox, which keeps all builds' files under one. */
const precache = /^workbox-precache-/
const prefix = 'portal-former-'
const own = prefix + __BUILD__

/** Of the hashed files alone: what has a fixed name is the new build's. */
export const isHashed = ({ pathname }: URL) => pathname.startsWith('/saas/assets/')

/** While this build is being stored beside the former one, whose files go when it takes over. */
export async function keepFormer(files: ReadonlySet<string>): Promise<void> {
  const name = (await caches.keys()).find((one) => precache.test(one))
  if (name === undefined) return
  const stored = await caches.open(name)
  const former = (await stored.keys()).filter(({ url }) => isHashed(new URL(url)) && !files.has(new URL(url).pathname))
  if (former.length === 0) return
  const kept = await caches.open(own)
  for (const request of former) {
    const file = await stored.match(request)
    if (file) await kept.put(request, file)
  }
}

/** What was kept for a build before this one, or by one that was never finished. */
export async function forgetOlder(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== own) await caches.delete(name)
}

/** The server keeps them as long, those too that are never stored ahead. */
export const answerFormer = async (request: Request): Promise<Response> =>
  (await caches.match(request, { cacheName: own })) ?? (await fetch(request))
