/**
 * How a visible page finds out that the line, the server or a dead worker's turn is back, with no event from outside: it
 * looks each second while something waits, and asks for the smallest answer that the server has (O2). Hidden pages do not.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { parseCounts, toSubjectKey } from '#local/outbox/counters.ts'
import { findSendable } from '#local/outbox/status.ts'
import { readActiveSession } from '#local/session/session.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import type { PipelinePorts } from '#request/ports.ts'

/**
 * Tries in a row that brought nothing, before they become fewer. So long a try a round costs the other end what the
 * probing costs it while the line is down, and whatever ends within half a minute is noticed in the round after (O2).
 */
const maxTries = 30
/** Of looking without sending, between two tries that brought nothing. */
const maxRounds = 16

/** immediate: there is a line, try what waits for one. go: something could be sent, and nobody seems to. */
export type ProbeResult = 'nothing' | 'go' | 'immediate'

/** A function to be called each second or so by a page that is looked at. */
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
    // What was delivered or made meanwhile changes the counts: then the last try was not in vain.
    if (probeResult !== lastResult || storedCounts !== previousCounts) failedTries = skippedRounds = 0
    lastResult = probeResult
    if (probeResult === 'nothing') return probeResult
    // A line that answers and lets nothing through is not tried every second for ever.
    if (skippedRounds > 0) {
      skippedRounds -= 1
      return 'nothing'
    }
    failedTries += 1
    skippedRounds = failedTries > maxTries ? Math.min(maxRounds, 2 ** (failedTries - maxTries)) : 0
    return probeResult
  }
}

/** By the cookie, before any database is opened: the sign-in page looks at nothing else. */
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
  // Once a visit: whether what the cookie tells of is here.
  if (db !== knownDatabase) await checkCounts(ports, session)
  return db
}

async function findProbeResult(ports: PipelinePorts, db: UserDatabase): Promise<ProbeResult> {
  const sendableState = await findSendable(db, ports.clock())
  if (sendableState !== 'line') return sendableState === null ? 'nothing' : 'go'
  return (await pingServer(ports)) ? 'immediate' : 'nothing'
}
