/**
 * How a visible page finds out that the line, the server or a dead worker's turn is back, with no event from outside: it
 * looks each second while something waits, and asks for the smallest answer that the server has (O2). Hidden pages do not.
 */
import type { UserDatabase } from '#local/storage/database.ts'
import { readCounts, subjectKey } from '#local/outbox/counters.ts'
import { findSendable } from '#local/outbox/status.ts'
import { readSession } from '#local/session/session.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { isServerThere } from '#request/transport/ping.ts'
import type { Ports } from '#request/ports.ts'

/**
 * Tries in a row that brought nothing, before they become fewer. So long a try a round costs the other end what the
 * probing costs it while the line is down, and whatever ends within half a minute is noticed in the round after (O2).
 */
const patience = 30
/** Of looking without sending, between two tries that brought nothing. */
const maxRounds = 16

/** hurry: there is a line, try what waits for one. go: something could be sent, and nobody seems to. */
export type Found = 'nothing' | 'go' | 'hurry'

/** A function to be called each second or so by a page that is looked at. */
export function createProbe(ports: Ports): () => Promise<Found> {
  let known: UserDatabase | null = null
  let last: Found = 'nothing'
  let told: string | null = null
  let vain = 0
  let rest = 0
  return async () => {
    const db = await openIfWaiting(ports, known)
    known = db
    const found = db ? await look(ports, db) : 'nothing'
    const before = told
    told = (await ports.tally?.read()) ?? null
    // What was delivered or made meanwhile changes the counts: then the last try was not in vain.
    if (found !== last || told !== before) vain = rest = 0
    last = found
    if (found === 'nothing') return found
    // A line that answers and lets nothing through is not tried every second for ever.
    if (rest > 0) {
      rest -= 1
      return 'nothing'
    }
    vain += 1
    rest = vain > patience ? Math.min(maxRounds, 2 ** (vain - patience)) : 0
    return found
  }
}

/** By the cookie, before any database is opened: the sign-in page looks at nothing else. */
async function openIfWaiting(ports: Ports, known: UserDatabase | null): Promise<UserDatabase | null> {
  const counts = readCounts((await ports.tally?.read()) ?? null)
  if (Object.keys(counts).length === 0) return null
  const device = await ports.device()
  const session = await readSession(device)
  if (!session || session.signedOut || !counts[subjectKey(session)]) return null
  const db = device.of(session)
  // Once a visit: whether what the cookie tells of is here.
  if (db !== known) await checkCounts(ports, session)
  return db
}

async function look(ports: Ports, db: UserDatabase): Promise<Found> {
  const stalled = await findSendable(db, ports.clock())
  if (stalled !== 'line') return stalled === null ? 'nothing' : 'go'
  return (await isServerThere(ports)) ? 'hurry' : 'nothing'
}
