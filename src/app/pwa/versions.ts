/** The builds that meet on this device, for people who ask and for what they report (P-16). */
import { buildOf } from '#app/pwa/update-flow.ts'
import { ports } from '#app/connection/api.ts'
import { askWord } from '#app/pwa/build-info.ts'

export interface Versions {
  page: string
  /** Null: none is in control, or it does not say. */
  worker: string | null
  /** What the server serves now; null: it cannot be asked. */
  server: string | null
}

export async function readVersions(): Promise<Versions> {
  const [worker, word] = await Promise.all([buildOf(navigator.serviceWorker?.controller ?? null), askWord()])
  return { page: ports.build, worker, server: word?.build ?? null }
}

/** One line to be copied into a message to support: the names of builds bear the moment they were made. */
export const versionLine = ({ page, worker, server }: Versions): string =>
  `page ${page}, worker ${worker ?? 'none'}, server ${server ?? 'not reached'}, ${navigator.userAgent}`
