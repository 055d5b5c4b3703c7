/**
 * Detects in a visible page, without an event, that the connection or the server is back, or that a dead worker has left entries due. It
 * checks about once a second while something waits; if only the connection is missing, it pings the server (O2). Hidden pages do not check.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { parseCounts, toSubjectKey } from '#local/outbox/counters.ts'
import { findSendable } from '#local/outbox/status.ts'
import { readActiveSession } from '#local/session/session.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import type { PipelinePorts } from '#request/ports.ts'

/**
 * Number of attempts in a row without progress before the interval grows. Until then an attempt costs the server as little as a ping, and
 * an outage that ends within half a minute is noticed in the next round (O2).
 */
const maxTries = 30
/** Limit of skipped rounds between two attempts without progress. */
const maxRounds = 16

/** `immediate`: the server can be reached. `go`: something could be sent, and no sender seems to be active. */
export type ProbeResult = 'nothing' | 'go' | 'immediate'

/** Returns a function that a visible page calls about once a second. */
export function createProbe(ports: PipelinePorts): () => Promise<ProbeResult> {
  let knownDatabase: UserDatabase | null = null
  let lastResult: ProbeResult = 'nothing'
  let storedCounts: string | null = null
  let failedTries = 0
  let skippedRounds = 0
  return async () => {
    const db = await openDatabaseIfWaiting(ports, knownDatabase)
    knownDatabase = db
    const probeResult = db ? await findProbeResult(ports, db) : 'nothing'
    const previousCounts = storedCounts
    storedCounts = (await ports.unsentCookie?.read()) ?? null
    // The counts change when writes are sent or new ones are added. Both make attempts frequent again.
    if (probeResult !== lastResult || storedCounts !== previousCounts) failedTries = skippedRounds = 0
    lastResult = probeResult
    if (probeResult === 'nothing') return probeResult
    // If attempts follow each other without progress, they become less frequent.
    if (skippedRounds > 0) {
      skippedRounds -= 1
      return 'nothing'
    }
    failedTries += 1
    skippedRounds = failedTries > maxTries ? Math.min(maxRounds, 2 ** (failedTries - maxTries)) : 0
    return probeResult
  }
}

/** Returns the user's database if writes wait. The cookie is checked first, so that the sign-in page does not open a database. */
async function openDatabaseIfWaiting(
  ports: PipelinePorts,
  knownDatabase: UserDatabase | null,
): Promise<UserDatabase | null> {
  const counts = parseCounts((await ports.unsentCookie?.read()) ?? null)
  if (Object.keys(counts).length === 0) return null
  const device = await ports.device()
  const session = await readActiveSession(device)
  if (!session || !counts[toSubjectKey(session)]) return null
  const db = device.getDatabase(session)
  // Checks whether the writes that the cookie counts still exist in the database.
  if (db !== knownDatabase) await checkCounts(ports, session)
  return db
}

async function findProbeResult(ports: PipelinePorts, db: UserDatabase): Promise<ProbeResult> {
  const sendableState = await findSendable(db, ports.clock())
  if (sendableState !== 'line') return sendableState === null ? 'nothing' : 'go'
  return (await pingServer(ports)) ? 'immediate' : 'nothing'
}
