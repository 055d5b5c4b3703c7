/**
 * Chromium's frozen pages run no timers and still hear messages: told of a change, their live queries would begin transactions
 * of whose end they do not hear, and which block every other page. So they have no connection; what is asked meanwhile waits for
 * a new one, which comes when the page is resumed.
 */
import { Dexie, RangeSet } from 'dexie'

function closeConnections(): void {
  // Missing in its types.
  const { connections } = Dexie as unknown as { connections: readonly Dexie[] }
  for (const db of connections) db.close({ disableAutoOpen: false })
}

/** As Dexie does for a page that comes back by the Back button: changes that nobody heard of are read. */
const refreshLiveQueries = () => Dexie.on.storagemutated.fire({ all: new RangeSet(Dexie.minKey, Dexie.maxKey) })

globalThis.addEventListener?.('freeze', closeConnections, { capture: true })
globalThis.addEventListener?.('resume', refreshLiveQueries, { capture: true })
