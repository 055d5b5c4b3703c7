/**
 * Remembers the newest client build of this device. During a rolling upgrade the nodes of the server have two builds, and the browser may
 * get the older worker after the newer page.
 */
import { getBuildNumber } from '#contract/client-build.ts'

const cacheName = 'portal-newest-build'
const recordPath = '/saas/newest-build'

export async function readNewestBuild(): Promise<string | null> {
  const record = await caches.match(recordPath, { cacheName })
  return record ? await record.text() : null
}

/** Overwrites a newer build too: the server no longer has it. */
export async function recordBuild(build: string): Promise<void> {
  const cache = await caches.open(cacheName)
  await cache.put(recordPath, new Response(build))
}

export async function recordBuildIfNewer(build: string): Promise<void> {
  if (getBuildNumber(build) > getBuildNumber((await readNewestBuild()) ?? '')) await recordBuild(build)
}
