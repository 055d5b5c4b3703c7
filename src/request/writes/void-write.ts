/** Takes back writes that may be on their way: the server makes sure that they never run, or says how they ended (protocol 13, 15). */
import { headers } from '#contract/headers.ts'
import { voidRequest } from '#contract/requests.ts'
import { toWire } from '#contract/http-mapping.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { dropForGood } from '#local/outbox/user-actions.ts'
import { accept, findDropping, holdDropping } from '#local/outbox/settle.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { isGood } from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { acceptedFrom, jitter } from '#request/writes/apply-response.ts'

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
  const answer = await sendSignedIn(ports, letter)
  const outcome = answer?.headers.get(headers.outcome)
  // It had taken effect before it could be taken back: what is done stands, and the device says so.
  if (answer && outcome?.startsWith('done')) return await accept(db, entry, acceptedFrom(ports, { answer, generation }))
  if (answer && (outcome?.startsWith('refused') || isGood(answer)))
    return await dropForGood(db, entry.intent, { now: ports.clock(), newId: ports.newId })
  await holdDropping(db, entry, ports.clock() + jitter(ports, entry.attempts))
  return false
}
