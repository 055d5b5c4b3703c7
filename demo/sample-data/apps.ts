import type { DatabaseHandle } from '#server/db/database.ts'
import { packSample, publishedSamples } from '#demo/sample-data/sample-apps.ts'
import { publishMapp, storeResources } from '#server/use-cases/uploads/store-mapp.ts'

export type StorePackage = (sha256: string, bytes: Uint8Array) => Promise<void>

/** Publishes the sample apps. Runs as the system role. `storePackage` is called for each package before it is published. */
export async function loadApps(db: DatabaseHandle, storePackage: StorePackage): Promise<void> {
  // Imported dynamically, because the package reader is needed only at the first start of a demo.
  const { readOwnPackage } = await import('#server/use-cases/uploads/read-own-package.ts')
  for (const sample of publishedSamples) {
    const bytes = await packSample(sample)
    const { manifest, sha256, ...content } = await readOwnPackage(bytes)
    await storePackage(sha256, bytes)
    const time = Date.parse(`${manifest.release_date}T02:00:00Z`)
    await publishMapp(db, { manifest, sha256, ...(await storeResources(db, content, time)) }, time)
  }
}
