/** What an answer makes of the entry it is about: one table of verdicts, each ending in one transaction of the device. */
import { currentIn, isRow } from '#contract/conflict.ts'
import { headers } from '#contract/headers.ts'
import { verdict } from '#contract/verdict.ts'
import { acceptAsItIs } from '#local/outbox/accept-no-op.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { sendMerged } from '#local/outbox/user-actions.ts'
import { storeRow } from '#local/lists/response-store.ts'
import { accept, returnToQueue, holdForUser, pauseSending, type Waits } from '#local/outbox/settle.ts'
import { longestWaitMs } from '#local/outbox/claim.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { begunBy } from '#request/jobs/job-response.ts'
import { type ResponseData, isGood, jsonOf, problemOf, retryAfterMs } from '#request/transport/transport.ts'
import { merge } from '#request/writes/merge.ts'
import type { Ports } from '#request/ports.ts'

const backoff = { firstMs: 1_000, maxMs: 60_000 }
/** Somebody else has the row open: a while, and not all at the same moment (protocol 16). */
const locked = { minMs: 5_000, spreadMs: 55_000 }

export interface EntryResponse {
  entry: OutboxEntry
  answer: ResponseData
  generation: number
}

/** What the answer means for this entry (protocol 3). */
export const verdictOn = ({ entry, answer }: EntryResponse) =>
  verdict(entry.bytes?.method ?? '', {
    status: answer.status,
    code: isGood(answer) ? null : problemOf(answer).code,
    echoed: answer.headers.get(headers.key) === entry.key,
    final: answer.headers.has(headers.outcome),
  })

/** Refused by the server, and for the device as good as done: the row was to go, and somebody else took it away. */
export const isGoneAlready = ({ status }: ResponseData) => status === 404 || status === 410

/** True when the server has settled it, one way or the other. */
export async function settle(ports: Ports, db: UserDatabase, heard: EntryResponse): Promise<boolean> {
  const { entry, answer } = heard
  const problem = problemOf(answer)
  const said = verdictOn(heard)
  switch (said) {
    case 'done':
      if (isGoneAlready(answer))
        await acceptAsItIs(db, entry, { ...acceptedFrom(ports, heard), status: 204, body: '' }, ports.newId)
      else await accept(db, entry, acceptedFrom(ports, heard))
      return true
    case 'refused':
    case 'asks':
      return await holdForUser(db, entry, said, problem)
    case 'conflict':
      return await compare(ports, db, heard)
    case 'sign in':
      await returnToQueue(db, entry, { state: 'sign in', notBefore: 0, delayedBy: null, problem })
      return false
    case 'later':
      return await later(ports, db, heard)
  }
}

/** A conflict tells how the row stands now: the user decides before that, and what they decide is based on it. */
async function compare(ports: Ports, db: UserDatabase, heard: EntryResponse): Promise<boolean> {
  const { entry, answer, generation } = heard
  const problem = problemOf(answer)
  const current = currentIn(problem)
  if (!current) return await holdForUser(db, entry, 'conflict', problem)
  const asOf = Number(answer.headers.get(headers.asOf) ?? ports.clock())
  await storeRow(db, entry.table, current, { asOf, generation })
  const merged = merge(entry, current)
  if (merged.kind === 'already so') {
    const told = { status: 200, body: JSON.stringify(current), row: current, version: null }
    return await acceptAsItIs(db, entry, { ...told, now: ports.clock(), asOf, generation }, ports.newId)
  }
  if (merged.kind === 'overlap') return await holdForUser(db, entry, 'conflict', problem)
  const { input, base } = merged
  return await sendMerged(db, entry, { key: ports.newId(), input, base, ifMatch: current.row_version })
}

export function acceptedFrom(ports: Ports, { answer, generation }: Omit<EntryResponse, 'entry'>) {
  const body = isGood(answer) ? jsonOf(answer) : storedBody(answer)
  const version = /^"(\d+)"$/.exec(answer.headers.get('etag') ?? '')?.[1]
  const now = ports.clock()
  return {
    status: answer.status,
    body: answer.text,
    row: isRow(body) ? body : null,
    version: version === undefined ? null : Number(version),
    now,
    asOf: Number(answer.headers.get(headers.asOf) ?? now),
    generation,
    begun: begunBy(answer),
    outcomeId: outcomeIdOf(answer),
    assetId: assetIn(body),
  }
}

/** The number of the server's own record: the second word of its outcome. */
export const outcomeIdOf = ({ headers: given }: ResponseData): string | null =>
  /;\s*(\d+)$/.exec(given.get(headers.outcome) ?? '')?.[1] ?? null

/** An upload is answered with a word for an id. */
function assetIn(body: unknown): string | null {
  const { id } = (body ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : null
}

/** `INTENT_DONE` brings along what was answered the first time, if it is still known (protocol 1, 19). */
function storedBody(answer: ResponseData): unknown {
  const { answer: first } = (problemOf(answer).data ?? {}) as { answer?: { body?: unknown } | null }
  return first?.body ?? null
}

async function later(ports: Ports, db: UserDatabase, { entry, answer }: EntryResponse): Promise<boolean> {
  const isOurs = answer.headers.get(headers.key) === entry.key
  const after = retryAfterMs(answer)
  if (isOurs && after !== null && (answer.status === 429 || answer.status === 503))
    await pauseSending(db, ports.clock(), after)
  if (isOurs && answer.status === 423) {
    const notBefore = ports.clock() + atMost((after ?? 0) + locked.minMs + ports.chance() * locked.spreadMs)
    // Kept with it: whoever sent it, or sends another one behind it, is told what it waits for.
    await returnToQueue(db, entry, { state: 'waiting', notBefore, delayedBy: 'server', problem: problemOf(answer) })
    return false
  }
  // An earlier copy of it is being carried out: no trouble of the server's, so earlier failures lengthen nothing.
  if (isOurs && problemOf(answer).code === 'IDEMPOTENCY_IN_PROGRESS')
    return await wait(ports, db, { ...entry, attempts: 0 }, 'server', after)
  // Without our echo nobody but the line has spoken, whatever the status says (protocol 3).
  return await wait(ports, db, entry, isOurs ? 'server' : 'network', after)
}

/** Whether others may still be sent after this one did not get through: it is this write's trouble, not the server's. */
export const goesOn = ({ status, headers: given }: ResponseData, { key }: OutboxEntry) =>
  given.get(headers.key) === key && ![401, 429, 503].includes(status)

export async function wait(
  ports: Ports,
  db: UserDatabase,
  entry: OutboxEntry,
  delayedBy: 'network' | 'server',
  atLeastMs: number | null,
): Promise<boolean> {
  await returnToQueue(db, entry, waits(ports, entry, delayedBy, atLeastMs))
  return false
}

/** What is held for longer looks as if the clock had been turned back, and is sent at once. */
const atMost = (ms: number) => Math.min(ms, longestWaitMs)

/** Full jitter, so that many devices do not come back together. */
export const waits = (
  ports: Ports,
  entry: OutboxEntry,
  delayedBy: 'network' | 'server',
  atLeastMs: number | null,
): Waits => ({
  state: 'waiting',
  notBefore: ports.clock() + atMost((atLeastMs ?? 0) + jitter(ports, entry.attempts)),
  delayedBy,
  problem: null,
})

export const jitter = (ports: Ports, attempts: number) =>
  ports.chance() * Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(attempts, 10))
