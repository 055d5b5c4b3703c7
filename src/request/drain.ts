/**
 * The step that sends what waits: in order within a lane, up to four lanes at once, each entry with its own key and the
 * very bytes of its first attempt. A step is claim, send, record, under one lock (protocol 12); safety rests on the
 * server's ledger and the fence, never on the lock.
 */
import { headers } from '#contract/headers.ts'
import { verdict } from '#contract/verdict.ts'
import type { Entry, UserDatabase } from '#local/database.ts'
import { accept, claim, giveBack, hasSendable, hasten, park, pauseSending } from '#local/outbox.ts'
import { storeRow } from '#local/rows.ts'
import { noteWaiting, readGate, readSession, sweep } from '#local/session.ts'
import { sendSignedIn } from '#request/bearer.ts'
import { type Answer, isGood, jsonOf, problemOf, requestTimeoutMs } from '#request/line.ts'
import type { Ports } from '#request/ports.ts'
import { freeze } from '#request/record.ts'
import { finishSignOut } from '#request/sign-in.ts'

const lanesAtOnce = 4
const leaseMs = requestTimeoutMs + 15_000
const backoff = { firstMs: 1_000, mostMs: 60_000 }

export const drainLock = (db: UserDatabase) => `drain:${db.name}`

/**
 * Sends until nothing may go now. `hurry`: there was a sign of life, or somebody waits, so what waits only because of
 * the line is tried at once. Safe to call at any time, any number of times. True when something still waits to be sent.
 */
export async function drain(ports: Ports, { hurry = false } = {}): Promise<boolean> {
  const device = await ports.device()
  await sweep(device)
  const session = await readSession(device)
  if (!session) return false
  if (session.signedOut) return !(await finishSignOut(ports))
  const db = device.of(session)
  if (hurry) await hasten(db)
  // A step that got something through proves the line.
  while (await step(ports, db)) await hasten(db)
  await noteWaiting(device, session)
  const isLeft = await hasSendable(db)
  if (isLeft) ports.wakeLater()
  return isLeft
}

/** One step; false when nothing was accepted, so that a dead line is not asked again at once. */
async function step(ports: Ports, db: UserDatabase): Promise<boolean> {
  const held = await ports.locks.hold(drainLock(db), { waitMs: leaseMs }, () => sendNext(ports, db, false))
  if (held) return held.value
  // Kept past every lease: a frozen tab. It may wake and send the same bytes; the ledger knows them.
  const taken = await ports.locks.hold(drainLock(db), { waitMs: 0, steal: true }, () => sendNext(ports, db, true))
  return taken?.value ?? false
}

async function sendNext(ports: Ports, db: UserDatabase, stolen: boolean): Promise<boolean> {
  const generation = await readGate(db)
  if (generation === null) return false
  const claimed = await claim(db, { now: ports.clock(), leaseMs, most: lanesAtOnce, generation, stolen, freeze })
  const moved = await Promise.all(claimed.map((entry) => send(ports, db, entry, generation)))
  return moved.some((one) => one)
}

/** True when the server has settled it, one way or the other. */
async function send(ports: Ports, db: UserDatabase, entry: Entry, generation: number): Promise<boolean> {
  const { bytes } = entry
  if (!bytes) return false
  const answer = await sendSignedIn(ports, bytes)
  if (!answer) return await wait(ports, db, entry, 'line', null)
  return await settle(ports, db, { entry, answer, generation })
}

interface Heard {
  entry: Entry
  answer: Answer
  generation: number
}

async function settle(ports: Ports, db: UserDatabase, heard: Heard): Promise<boolean> {
  const { entry, answer } = heard
  const problem = problemOf(answer)
  const said = verdict(entry.bytes?.method ?? '', {
    status: answer.status,
    code: isGood(answer) ? null : problem.code,
    echoed: answer.headers.get(headers.key) === entry.key,
    final: answer.headers.has(headers.outcome),
  })
  switch (said) {
    case 'done':
      await accept(db, entry, acceptedFrom(ports, heard))
      return true
    case 'refused':
    case 'asks':
    case 'conflict':
      if (said === 'conflict') await keepCurrent(ports, db, heard)
      return await park(db, entry, said, problem)
    case 'sign in':
      await giveBack(db, entry, { state: 'sign in', notBefore: 0, held: null, problem })
      return false
    case 'later':
      return await later(ports, db, heard)
  }
}

/** A conflict tells how the row stands now: the user decides before that, and what they decide is based on it. */
async function keepCurrent(ports: Ports, db: UserDatabase, { entry, answer, generation }: Heard): Promise<void> {
  const { current } = (problemOf(answer).data ?? {}) as { current?: unknown }
  const asOf = Number(answer.headers.get(headers.asOf) ?? ports.clock())
  if (isRow(current)) await storeRow(db, entry.table, current, { asOf, generation })
}

function acceptedFrom(ports: Ports, { answer, generation }: Heard) {
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
  }
}

/** `INTENT_DONE` brings along what was answered the first time, if it is still known (protocol 1, 19). */
function storedBody(answer: Answer): unknown {
  const { answer: first } = (problemOf(answer).data ?? {}) as { answer?: { body?: unknown } | null }
  return first?.body ?? null
}

const isRow = (body: unknown): body is { id: number; row_version: number } =>
  typeof body === 'object' &&
  body !== null &&
  'id' in body &&
  typeof body.id === 'number' &&
  'row_version' in body &&
  typeof body.row_version === 'number'

async function later(ports: Ports, db: UserDatabase, { entry, answer }: Heard): Promise<boolean> {
  const isOurs = answer.headers.get(headers.key) === entry.key
  const after = retryAfterMs(answer)
  if (isOurs && after !== null && (answer.status === 429 || answer.status === 503))
    await pauseSending(db, ports.clock(), after)
  // Without our echo nobody but the line has spoken, whatever the status says (protocol 3).
  return await wait(ports, db, entry, isOurs ? 'server' : 'line', after)
}

/** Seconds, as our server writes it. */
function retryAfterMs(answer: Answer): number | null {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

/** Full jitter, so that many devices do not come back together. */
async function wait(
  ports: Ports,
  db: UserDatabase,
  entry: Entry,
  held: 'line' | 'server',
  atLeastMs: number | null,
): Promise<boolean> {
  const ceiling = Math.min(backoff.mostMs, backoff.firstMs * 2 ** Math.min(entry.attempts, 10))
  const notBefore = ports.clock() + (atLeastMs ?? 0) + ports.chance() * ceiling
  await giveBack(db, entry, { state: 'waiting', notBefore, held, problem: null })
  return false
}
