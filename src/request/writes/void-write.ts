/** Takes back writes that may be on their way: the server makes sure that they never run, or says how they ended (protocol 13, 15). */
import { headers } from '#contract/headers.ts'
import { voidRequest } from '#contract/requests.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { dropForGood } from '#local/outbox/user-actions.ts'
import { accept, findDropping, holdDropping } from '#local/outbox/settle.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { maxBlockedTries } from '#request/transport/blocked.ts'
import { isServerThere } from '#request/transport/ping.ts'
import { type BlockedResponse, isGood } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { acceptedFrom, jitter } from '#request/writes/apply-response.ts'
import { blockedWaitMs } from '#request/writes/settle-blocked.ts'

/** Before anything else is sent. True when one of them is settled. */
export async function withdraw(ports: Ports, db: UserDatabase, generation: number): Promise<boolean> {
  let moved = false
  for (const entry of await findDropping(db, ports.clock()))
    if (await withdrawOne(ports, db, entry, generation)) moved = true
  return moved
}

async function withdrawOne(ports: Ports, db: UserDatabase, entry: OutboxEntry, generation: number): Promise<boolean> {
  const { path } = toWire(voidRequest, { params: { id: `~${entry.intent}` } })
  const letter = { method: 'DELETE', path, headers: { [headers.forUser]: entry.forUser }, body: null }
  let blocked: BlockedResponse | null = null
  const answer = await sendSignedIn(ports, { ...letter, onBlocked: (by) => void (blocked = by) })
  const outcome = answer?.headers.get(headers.outcome)
  // It had taken effect before it could be taken back: what is done stands, and the device says so.
  if (answer && outcome?.startsWith('done')) return await accept(db, entry, acceptedFrom(ports, { answer, generation }))
  if (answer && (outcome?.startsWith('refused') || isGood(answer)))
    return await dropForGood(db, entry.intent, { now: ports.clock(), newId: ports.newId })
  if (blocked && (await isServerThere(ports))) return await withdrawBlocked(ports, db, entry, blocked)
  const notBefore = ports.clock() + jitter(ports, entry.attempts)
  await holdDropping(db, entry, { notBefore, delayedBy: 'network', blockedTries: 0 })
  return false
}

/** Where the server cannot be told, its user's will counts all the same: the write is not sent from here any more. */
async function withdrawBlocked(
  ports: Ports,
  db: UserDatabase,
  entry: OutboxEntry,
  blocked: BlockedResponse,
): Promise<boolean> {
  const blockedTries = (entry.blockedTries ?? 0) + 1
  if (blockedTries >= maxBlockedTries)
    return await dropForGood(db, entry.intent, { now: ports.clock(), newId: ports.newId })
  const notBefore = ports.clock() + blockedWaitMs(blocked, blockedTries)
  await holdDropping(db, entry, { notBefore, delayedBy: 'server', blockedTries })
  return false
}
