import { ports } from '#app/connection/api.ts'
import { hasStoredTrail } from '#local/audit-trail/stored-trail-state.ts'
import { isPreparationOn } from '#local/preparation/preparation-store.ts'

const roundIntervalMs = { first: 5_000, next: 60_000 }

/**
 * Updates the stored trails and the prepared data at intervals while the page is visible. Never ends. If nothing is stored, the cost is one
 * read of the device.
 */
export async function refreshStoredData(): Promise<void> {
  let resolveWait = () => {}
  window.addEventListener('online', () => resolveWait())
  for (let waitMs = roundIntervalMs.first; ; waitMs = roundIntervalMs.next) {
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
