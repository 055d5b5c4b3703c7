/** The builds that meet on this device, for people who ask and for what they report (P-16). */
import { readWorkerBuild } from '#app/pwa/update-flow.ts'
import { ports } from '#app/connection/api.ts'
import { fetchBuildInfo } from '#app/pwa/build-info.ts'
import { readPreference, storePreference } from '#app/preferences/preferences.ts'

export interface BuildVersions {
  page: string
  /** Null: none is in control, or it does not say. */
  worker: string | null
  /** What the server serves now; null: it cannot be asked. */
  server: string | null
  /** Mail address of who answers questions, as the server last named it to this browser; null: never. */
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

/** One line to be copied into a message to support: the names of builds bear the moment they were made. */
export const formatVersions = ({ page, worker, server }: BuildVersions): string =>
  `page ${page}, worker ${worker ?? 'none'}, server ${server ?? 'not reached'}, ${navigator.userAgent}`
