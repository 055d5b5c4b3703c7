/** Caches pictures and change logs. Anybody who has their address can read them, so a sign-out deletes them from the cache. */
import { CacheExpiration, ExpirationPlugin } from 'workbox-expiration'
import { CacheFirst, type StrategyOptions } from 'workbox-strategies'
import { getResource } from '#contract/staff/apps.ts'
import { getAsset } from '#contract/public.ts'

const cacheName = 'portal-media'
const limits = { maxEntries: 200, maxAgeSeconds: 30 * 24 * 3_600 }

type Plugin = NonNullable<StrategyOptions['plugins']>[number]

const folders = [getAsset, getResource].map(({ path }) => path.replace(':id', ''))
export const isMedia = ({ pathname }: URL) => folders.some((folder) => pathname.startsWith(folder))

const expiration = new ExpirationPlugin({ ...limits, purgeOnQuotaError: true }) as Plugin
export const mediaStrategy = new CacheFirst({ cacheName, plugins: [expiration] })

/** Deletes all cached media. The plugin's own method would delete only what this worker has used since it started. */
export async function deleteMedia(): Promise<void> {
  await caches.delete(cacheName)
  await new CacheExpiration(cacheName, limits).delete()
}
