/** What is kept here to work offline is brought up to date by whatever page is open, when it begins and every while after. */
import { ports } from '#app/connection/api.ts'
import { hasStoredTrail } from '#local/audit-trail/stored-trail-state.ts'
import { isPreparationOn } from '#local/preparation/preparation-store.ts'

const roundIntervalMs = { first: 5_000, next: 60_000 }

/** For as long as the page lives. Costs one look into the device where nothing is kept. */
export async function refreshStoredData(): Promise<void> {
  let resolveWait = () => {}
  window.addEventListener('online', () => resolveWait())
  for (let waitMs = roundIntervalMs.first; ; waitMs = roundIntervalMs.next) {
    // A line that is back is reason enough.
    await Promise.race([ports.wait(waitMs), new Promise<void>((resolve) => (resolveWait = resolve))])
    if (document.visibilityState !== 'visible') continue
    try {
      if (await hasStoredTrail())
        await (await import(/* chunk: trail-device */ '#app/connection/audit-trail.ts')).updateTrails()
      if (await isPreparationOn())
        await (await import(/* chunk: common-prepare */ '#app/connection/preparation.ts')).refreshPreparation()
    } catch (error) {
      ports.report(error)
    }
  }
}
