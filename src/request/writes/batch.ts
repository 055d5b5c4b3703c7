/**
 * Many writes in one request (protocol 23-25): each item with its own key, those of one lane chained. Nothing counts but
 * a whole answer with one echoed entry per item; after anything else every item is unknown and goes again as it is.
 */
import { headers } from '#contract/headers.ts'
import { sendBatch } from '#contract/requests.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { acceptAll, giveBackAll, pauseSending } from '#local/outbox/settle.ts'
import type { OutboxEntry, FrozenRequest } from '#local/storage/records.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import {
  type BlockedResponse,
  type ResponseData,
  isGood,
  jsonOf,
  problemOf,
  retryAfterMs,
} from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import {
  acceptedFrom,
  goesOn,
  type EntryResponse,
  isGoneAlready,
  settle,
  verdictOn,
  waits,
} from '#request/writes/apply-response.ts'

/** halve: too large in one piece. singly: whoever answers does not know batches. */
export type BatchEnd = 'go on' | 'stop' | 'halve' | 'singly'

export async function sendTogether(
  ports: Ports,
  db: UserDatabase,
  entries: readonly OutboxEntry[],
  generation: number,
): Promise<BatchEnd> {
  let blocked: BlockedResponse | null = null
  const answer = await sendSignedIn(ports, { ...letterOf(entries), onBlocked: (by) => void (blocked = by) })
  // Which of them is refused on its way shows when each is sent alone.
  if (!answer && blocked) return await freely(db, entries, 'singly')
  if (!answer) return await unknown(ports, db, entries, 'network')
  if (isGood(answer)) {
    const items = itemsOf(answer, entries)
    return items
      ? await settleAll(ports, db, { entries, items, generation })
      : await unknown(ports, db, entries, 'network')
  }
  const { status } = answer
  if (status === 413) return await freely(db, entries, 'halve')
  if ([400, 403, 404, 405, 501].includes(status)) return await freely(db, entries, 'singly')
  if (status === 401) return await signIn(db, entries, answer)
  const after = retryAfterMs(answer)
  if (after !== null && (status === 429 || status === 503)) await pauseSending(db, ports.clock(), after)
  return await unknown(ports, db, entries, 'server')
}

function letterOf(entries: readonly OutboxEntry[]) {
  const last = new Map<string, string>()
  const items = entries.map((entry) => {
    const after = last.get(entry.queueKey)
    last.set(entry.queueKey, entry.intent)
    return { ...itemOf(entry.bytes as FrozenRequest, entry.key), ...(after === undefined ? {} : { after }) }
  })
  const body = JSON.stringify(items)
  return { method: sendBatch.method, path: sendBatch.path, headers: { 'content-type': 'application/json' }, body }
}

/** What an item may carry; the rest is the envelope's. */
const carried = ['if-match', headers.forUser, headers.intent]

function itemOf({ method, path, headers: given, body }: FrozenRequest, key: string) {
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => carried.includes(name)))
  return { method, path, key, headers: own, ...(body === null ? {} : { body: JSON.parse(body) as unknown }) }
}

type ItemAnswer = { status: number; headers: Record<string, string>; body: unknown }

/** Null: cut off, somebody else's, or not one entry for each item. */
function itemsOf(answer: ResponseData, entries: readonly OutboxEntry[]): ResponseData[] | null {
  const said = jsonOf(answer)
  if (!Array.isArray(said) || said.length !== entries.length) return null
  const items = said as (ItemAnswer | null)[]
  if (!items.every((item, at) => item?.headers?.[headers.key] === entries[at]?.key)) return null
  return (items as ItemAnswer[]).map((item) => asAnswer(item, answer))
}

/** As if it had come alone; what the envelope says of time and subject holds for each. */
function asAnswer({ status, headers: own, body }: ItemAnswer, envelope: ResponseData): ResponseData {
  const given = new Headers({ 'content-type': 'application/json', ...own })
  for (const name of [headers.asOf, headers.subject, headers.requestId]) {
    const said = envelope.headers.get(name)
    if (said !== null && !given.has(name)) given.set(name, said)
  }
  return { status, headers: given, text: body === null ? '' : JSON.stringify(body) }
}

async function settleAll(
  ports: Ports,
  db: UserDatabase,
  { entries, items, generation }: { entries: readonly OutboxEntry[]; items: ResponseData[]; generation: number },
): Promise<BatchEnd> {
  const heard = items.flatMap((answer, at) => {
    const entry = entries[at]
    return entry ? [{ entry, answer, generation }] : []
  })
  const [done, others] = [heard.filter(isDone), heard.filter((one) => !isDone(one))]
  const accepted = done.map((one) => ({ entry: one.entry, accepted: acceptedFrom(ports, one) }))
  // What took effect is recorded together; within a lane nothing that did not can stand before it.
  await acceptAll(db, accepted)
  let end: BatchEnd = done.length > 0 ? 'go on' : 'stop'
  for (const one of others) if (await settleItem(ports, db, one)) end = 'go on'
  return end
}

const isDone = (heard: EntryResponse) => verdictOn(heard) === 'done' && !isGoneAlready(heard.answer)

/** True when others may follow at once. */
async function settleItem(ports: Ports, db: UserDatabase, heard: EntryResponse): Promise<boolean> {
  const { entry, answer } = heard
  const { code } = problemOf(answer)
  // Nobody tried it: it goes next, or when what it follows is settled.
  if (code === 'NOT_ATTEMPTED' || code === 'DEPENDENCY_FAILED') return (await freely(db, [entry], 'go on')) === 'go on'
  return (await settle(ports, db, heard)) || goesOn(answer, entry)
}

async function unknown(
  ports: Ports,
  db: UserDatabase,
  entries: readonly OutboxEntry[],
  delayedBy: 'network' | 'server',
): Promise<BatchEnd> {
  await giveBackAll(db, entries, (entry) => waits(ports, entry, delayedBy, null))
  return 'stop'
}

async function freely(db: UserDatabase, entries: readonly OutboxEntry[], end: BatchEnd): Promise<BatchEnd> {
  await giveBackAll(db, entries, () => ({ state: 'waiting', notBefore: 0, delayedBy: null, problem: null }))
  return end
}

async function signIn(db: UserDatabase, entries: readonly OutboxEntry[], answer: ResponseData): Promise<BatchEnd> {
  const why = { state: 'sign in' as const, notBefore: 0, delayedBy: null, problem: problemOf(answer) }
  await giveBackAll(db, entries, () => why)
  return 'stop'
}
