/**
 * Files that not every device stores: of the pages that only the provider's staff open (P-09), of those that only people
 * with the order flag open, of the audit trail, and of what admins do with users. Kept as soon as a page says that they are wanted here, each with the digest of the build (W-04): from then on
 * they work without a line like everything else.
 */
import type { OptionalChunk } from '#request/ports.ts'

export interface BuiltFile {
  url: string
  integrity?: string
  /** Who keeps it, as the build wrote it (scripts/chunk-plugin.ts); none: every device. `common`: kept with each part. */
  part?: OptionalChunk | 'common'
}

/** The name that the first such cache had stays, so that what lies on devices is found and cleared. */
const prefix = 'portal-staff-'
const cacheName = prefix + __BUILD__

const isFileOfPart = (file: BuiltFile, part: OptionalChunk) => file.part === part || file.part === 'common'
export const isOptionalFile = (file: BuiltFile) => file.part !== undefined

/** What cannot be fetched now is asked for again on the next visit. */
export async function cachePart(part: OptionalChunk, files: readonly BuiltFile[]): Promise<void> {
  const cache = await caches.open(cacheName)
  for (const { url, integrity } of files.filter((file) => isFileOfPart(file, part))) {
    if (await cache.match(url)) continue
    const file = await fetch(new Request(url, { integrity: integrity ?? '', credentials: 'same-origin' }))
    if (file.ok) await cache.put(url, file)
  }
}

export const findCachedPart = (request: Request) => caches.match(request, { cacheName })

/** Of builds before this one. */
export async function deleteOlderParts(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== cacheName) await caches.delete(name)
}
