/** The builds that meet on this device, for people who ask and for what they report (P-16). */
import { buildOf } from '#app/pwa/update-flow.ts'
import { ports } from '#app/connection/api.ts'
import { askWord } from '#app/pwa/build-info.ts'
import { recall, remember } from '#app/preferences/preferences.ts'

export interface Versions {
  page: string
  /** Null: none is in control, or it does not say. */
  worker: string | null
  /** What the server serves now; null: it cannot be asked. */
  server: string | null
  /** Mail address of who answers questions, as the server last named it to this browser; null: never. */
  support: string | null
}

export async function readVersions(): Promise<Versions> {
  const [worker, word] = await Promise.all([buildOf(navigator.serviceWorker?.controller ?? null), askWord()])
  if (word) remember('portal.support', word.support)
  return { page: ports.build, worker, server: word?.build ?? null, support: recall('portal.support') }
}

/** One line to be copied into a message to support: the names of builds bear the moment they were made. */
export const versionLine = ({ page, worker, server }: Versions): string =>
  `page ${page}, worker ${worker ?? 'none'}, server ${server ?? 'not reached'}, ${navigator.userAgent}`
