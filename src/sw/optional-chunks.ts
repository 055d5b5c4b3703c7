/**
 * Caches chunks that only some devices need: pages of the provider's staff (P-09), pages for users with the order right, the audit trail,
 * user administration, and the readings of Chinese names. Cached when a page requests them, each with the digest of the build (W-04). From
 * then on they work offline like everything else.
 */
import type { OptionalChunk } from '#request/ports.ts'

export interface BuiltFile {
  url: string
  integrity?: string
  /**
   * Part of the build to which the file belongs (scripts/chunk-plugin.ts). `common`: cached with each part of pages. Undefined: cached on
   * every device.
   */
  part?: OptionalChunk | 'common'
}

/**
 * Prefix of the cache names. The first such cache was for staff only. The prefix never changes, so that old caches are found and deleted.
 */
const prefix = 'portal-staff-'
const cacheName = prefix + __BUILD__

const isFileOfPart = (file: BuiltFile, part: OptionalChunk) =>
  file.part === part || (file.part === 'common' && part !== 'pinyin')
export const isOptionalFile = (file: BuiltFile) => file.part !== undefined

/** A file that cannot be fetched now is requested again on the next visit. */
export async function cachePart(part: OptionalChunk, files: readonly BuiltFile[]): Promise<void> {
  const cache = await caches.open(cacheName)
  for (const { url, integrity } of files.filter((file) => isFileOfPart(file, part))) {
    if (await cache.match(url)) continue
    const file = await fetch(new Request(url, { integrity: integrity ?? '', credentials: 'same-origin' }))
    if (file.ok) await cache.put(url, file)
  }
}

export const findCachedPart = (request: Request) => caches.match(request, { cacheName })

export async function deleteOlderParts(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name)
}
