/**
 * A write that something between this device and the server refuses. While the server cannot be reached either, it waits for the
 * connection. Otherwise it is tried three times, and then its user is told; other writes go on meanwhile.
 */
import { headers } from '#contract/headers.ts'
import { getRequest } from '#contract/requests.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { longestWaitMs } from '#local/outbox/claim.ts'
import { accept, returnToQueue } from '#local/outbox/settle.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { Ports } from '#request/ports.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { blockedProblem, maxBlockedTries } from '#request/transport/blocked.ts'
import { isServerThere } from '#request/transport/ping.ts'
import type { BlockedResponse, ResponseData } from '#request/transport/transport.ts'
import { acceptedFrom, wait } from '#request/writes/apply-response.ts'

/** What may pass by itself (a gateway that restarts, a limit) is given longer than a rule that says no. In ms. */
const firstWait = { passing: 15_000, refusal: 2_000 }
const isPassing = ({ status }: BlockedResponse) => status >= 500 || status === 408 || status === 429

export interface BlockedEntry {
  entry: OutboxEntry
  blocked: BlockedResponse
  generation: number
}

/** True when other writes may be sent at once. */
export async function settleBlocked(ports: Ports, db: UserDatabase, told: BlockedEntry): Promise<boolean> {
  const { entry, blocked, generation } = told
  const outcome = await askOutcome(ports, entry)
  // It had arrived: only its response was replaced.
  if (outcome?.headers.get(headers.outcome)?.startsWith('done'))
    return await accept(db, entry, acceptedFrom(ports, { answer: outcome, generation }))
  if (!outcome && !(await isServerThere(ports))) return await wait(ports, db, entry, 'network', blocked.retryAfterMs)
  const blockedTries = (entry.blockedTries ?? 0) + 1
  const problem = blockedProblem(blocked)
  if (blockedTries >= maxBlockedTries)
    await returnToQueue(db, entry, { state: 'refused', notBefore: 0, delayedBy: null, problem, blockedTries })
  else {
    const notBefore = ports.clock() + blockedWaitMs(blocked, blockedTries)
    await returnToQueue(db, entry, { state: 'waiting', notBefore, delayedBy: 'server', problem, blockedTries })
  }
  return true
}

/** `tries`: so many have failed. */
export const blockedWaitMs = (blocked: BlockedResponse, tries: number): number =>
  Math.min(
    longestWaitMs,
    Math.max(
      blocked.retryAfterMs ?? 0,
      (isPassing(blocked) ? firstWait.passing : firstWait.refusal) * 2 ** (tries - 1),
    ),
  )

/** What the server knows of the write; null: it could not be asked. */
async function askOutcome(ports: Ports, { intent, forUser }: OutboxEntry): Promise<ResponseData | null> {
  const { method, path } = toWire(getRequest, { params: { id: `~${intent}` } })
  return await sendSignedIn(ports, { method, path, headers: { [headers.forUser]: forUser }, body: null })
}
