/**
 * Refuses to install a worker that is older than the newest build of this device, as long as a node serves that build. Otherwise a device
 * would change between two builds during a rolling upgrade, with every request for the worker's script.
 */
import { type BuildInfo, buildInfoPath, getBuildNumber, isReplacedBy } from '#contract/client-build.ts'
import { readNewestBuild, recordBuild } from '#local/storage/newest-build.ts'

let check: Promise<void> | undefined

/** Rejects if this worker must not be installed. */
export const requireCurrentBuild = (): Promise<void> => (check ??= checkOwnBuild())

async function checkOwnBuild(): Promise<void> {
  const newestBuild = await readNewestBuild()
  if (newestBuild !== null && getBuildNumber(newestBuild) > getBuildNumber(__BUILD__)) {
    const response = await fetch(buildInfoPath, { cache: 'no-store' })
    const { builds = [] } = (await response.json()) as BuildInfo
    if (!isReplacedBy(newestBuild, { build: __BUILD__, builds }))
      throw new Error(`build ${__BUILD__} is not installed, because ${newestBuild} is newer`)
  }
  await recordBuild(__BUILD__)
}
