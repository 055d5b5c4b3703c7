/** The demo world's apps, published by the way of every package: packed, read, put down as a version with its resources. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { packSample, publishedSamples } from '#demo/sample-data/sample-apps.ts'
import { publishMapp, storeResources } from '#server/use-cases/uploads/store-mapp.ts'

export type StorePackage = (sha256: string, bytes: Uint8Array) => Promise<void>

/** As the system. `storePackage` is handed each package before it is published. */
export async function loadApps(db: DatabaseHandle, storePackage: StorePackage): Promise<void> {
  // What reads packages is loaded for the first start of a demo, and for no other.
  const { readOwnPackage } = await import('#server/use-cases/uploads/read-own-package.ts')
  for (const sample of publishedSamples) {
    const bytes = await packSample(sample)
    const { manifest, sha256, ...content } = await readOwnPackage(bytes)
    await storePackage(sha256, bytes)
    const time = Date.parse(`${manifest.release_date}T02:00:00Z`)
    await publishMapp(db, { manifest, sha256, ...(await storeResources(db, content, time)) }, time)
  }
}
