/**
 * Pages that Chromium has frozen run no timers but still receive messages. Their live queries would begin transactions that never finish
 * and block all other pages. So the connections of a frozen page are closed; requests wait until the page is resumed.
 */
import { Dexie, RangeSet } from 'dexie'

function closeConnections(): void {
  // `connections` is missing in Dexie's types.
  const { connections } = Dexie as unknown as { connections: readonly Dexie[] }
  for (const db of connections) db.close({ disableAutoOpen: false })
}

/** True while the page is in the back-forward cache. Dexie then has closed its channel to other pages, and opens it on `pageshow`. */
let isInCache = false

/** Runs all live queries again, because changes may have been missed. Dexie does it for a page restored from the back-forward cache. */
function refreshLiveQueries(): void {
  if (!isInCache) Dexie.on.storagemutated.fire({ all: new RangeSet(Dexie.minKey, Dexie.maxKey) })
}

/** A worker has no such event, so its types do not know the property. */
function notePageHide(event: Event): void {
  isInCache = 'persisted' in event && event.persisted === true
}

globalThis.addEventListener?.('freeze', closeConnections, { capture: true })
globalThis.addEventListener?.('resume', refreshLiveQueries, { capture: true })
globalThis.addEventListener?.('pagehide', notePageHide, { capture: true })
globalThis.addEventListener?.('pageshow', () => void (isInCache = false), { capture: true })
