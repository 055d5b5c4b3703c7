/** Cancels writes that may be in progress: the server guarantees that they never run, or reports their outcome (protocol 13, 15). */
import { headers } from '#contract/headers.ts'
import { dropVoidedEntry } from '#local/outbox/entry-actions.ts'
import { acceptWrite, findDroppingEntries, delayDropping } from '#local/outbox/settle-entry.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/send-signed-in.ts'
import { maxBlockedTries } from '#request/transport/blocked.ts'
import { buildIntentRequest } from '#request/transport/entry-request.ts'
import { pingServer } from '#request/transport/ping-server.ts'
import { type BlockedResponse, isSuccess } from '#request/transport/send-request.ts'
import { readAcceptedWrite, calculateJitterMs, type SendContext } from '#request/writes/apply-response.ts'
import { calculateBlockedWaitMs } from '#request/writes/settle-blocked.ts'

/** Runs before anything else is sent. Returns true if at least one write was settled. */
export async function voidWrites(context: SendContext): Promise<boolean> {
  let hasVoided = false
  for (const entry of await findDroppingEntries(context.db, context.ports.clock()))
    if (await voidWrite(context, entry)) hasVoided = true
  return hasVoided
}

async function voidWrite(context: SendContext, entry: OutboxEntry): Promise<boolean> {
  const { ports, db } = context
  let blockedResponse: BlockedResponse | null = null
  const response = await sendSignedIn(ports, {
    ...buildIntentRequest('DELETE', entry),
    onBlocked: (blockedBy) => void (blockedResponse = blockedBy),
  })
  const outcomeHeader = response?.headers.get(headers.outcome)
  // The write was executed before it could be cancelled, and is recorded as done.
  if (response && outcomeHeader?.startsWith('done'))
    return await acceptWrite(db, entry, readAcceptedWrite(context, response))
  if (response && (outcomeHeader?.startsWith('refused') || isSuccess(response)))
    return await dropVoidedEntry(db, entry.intent, { now: ports.clock(), newId: ports.newId })
  if (blockedResponse && (await pingServer(ports))) return await voidBlockedWrite(context, entry, blockedResponse)
  const notBefore = ports.clock() + calculateJitterMs(ports, entry.attempts)
  await delayDropping(db, entry, { notBefore, delayedBy: 'network', blockedTries: 0 })
  return false
}

/**
 * Called if a proxy blocks the request that voids a write. After some attempts the entry is deleted, because the user has decided so: the
 * write is no longer sent from this device.
 */
async function voidBlockedWrite(
  { ports, db }: SendContext,
  entry: OutboxEntry,
  blockedResponse: BlockedResponse,
): Promise<boolean> {
  const blockedTries = (entry.blockedTries ?? 0) + 1
  if (blockedTries >= maxBlockedTries)
    return await dropVoidedEntry(db, entry.intent, { now: ports.clock(), newId: ports.newId })
  const notBefore = ports.clock() + calculateBlockedWaitMs(blockedResponse, blockedTries)
  await delayDropping(db, entry, { notBefore, delayedBy: 'server', blockedTries })
  return false
}
