/**
 * Handles a write that is blocked between this device and the server. If the server cannot be reached otherwise either, the write waits for
 * the connection. Otherwise it is tried three times and then shown to its user; other writes continue meanwhile.
 */
import { headers } from '#contract/headers.ts'
import { maxWaitMs } from '#local/outbox/claim.ts'
import { acceptWrite, returnToQueue } from '#local/outbox/settle-entry.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { toBlockedProblem, maxBlockedTries } from '#request/transport/blocked.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import { buildIntentRequest } from '#request/transport/entry-request.ts'
import type { BlockedResponse } from '#request/transport/send-request.ts'
import { readAcceptedWrite, delayEntry, type SendContext } from '#request/writes/apply-response.ts'

/**
 * Wait after the first blocked attempt, in ms; it doubles with each attempt. A temporary problem (a restarting gateway, a rate limit) gets
 * a longer wait than a refusal by a rule.
 */
const firstWaitMs = { temporary: 15_000, refusal: 2_000 }
const isTemporary = ({ status }: BlockedResponse) => status >= 500 || status === 408 || status === 429

/** Returns true if other writes may be sent next without a wait. */
export async function settleBlocked(
  context: SendContext,
  entry: OutboxEntry,
  blockedResponse: BlockedResponse,
): Promise<boolean> {
  const { ports, db } = context
  const outcome = await sendSignedIn(ports, buildIntentRequest('GET', entry))
  // The write had arrived, and only its response was replaced.
  if (outcome?.headers.get(headers.outcome)?.startsWith('done'))
    return await acceptWrite(db, entry, readAcceptedWrite(context, outcome))
  if (!outcome && !(await pingServer(ports)))
    return await delayEntry(context, entry, 'network', blockedResponse.retryAfterMs)
  const blockedTries = (entry.blockedTries ?? 0) + 1
  const problem = toBlockedProblem(blockedResponse)
  if (blockedTries >= maxBlockedTries)
    await returnToQueue(db, entry, { state: 'refused', notBefore: 0, delayedBy: null, problem, blockedTries })
  else {
    const notBefore = ports.clock() + calculateBlockedWaitMs(blockedResponse, blockedTries)
    await returnToQueue(db, entry, { state: 'waiting', notBefore, delayedBy: 'server', problem, blockedTries })
  }
  return true
}

export const calculateBlockedWaitMs = (blockedResponse: BlockedResponse, tries: number): number =>
  Math.min(
    maxWaitMs,
    Math.max(
      blockedResponse.retryAfterMs ?? 0,
      (isTemporary(blockedResponse) ? firstWaitMs.temporary : firstWaitMs.refusal) * 2 ** (tries - 1),
    ),
  )
