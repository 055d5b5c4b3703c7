/** Reads the builds on this device, for users who ask and for problem reports (P-16). */
import { readWorkerBuild } from '#app/pwa/update-flow.ts'
import { ports } from '#app/connection/api.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'
import { readPreference, storePreference } from '#app/preferences/preferences.ts'

export interface BuildVersions {
  page: string
  /** Null if no worker is in control, or it does not respond. */
  worker: string | null
  /** Build that the server serves now, or null if it cannot be reached. */
  server: string | null
  /** Mail address for questions from the server's last response, or null if none was received. */
  support: string | null
}

export async function readVersions(): Promise<BuildVersions> {
  const [worker, buildInfo] = await Promise.all([
    readWorkerBuild(navigator.serviceWorker?.controller ?? null),
    fetchBuildInfo(),
  ])
  if (buildInfo) storePreference('portal.support', buildInfo.support)
  return { page: ports.build, worker, server: buildInfo?.build ?? null, support: readPreference('portal.support') }
}

/** Formats one line for a message to support. The name of a build contains its time. */
export const formatVersions = ({ page, worker, server }: BuildVersions): string =>
  `page ${page}, worker ${worker ?? 'none'}, server ${server ?? 'not reached'}, ${navigator.userAgent}`
