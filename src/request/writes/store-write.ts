/**
 * Whose a write is, found out and stored with it in one step: nothing is stored for somebody who has gone, or while
 * somebody is going (protocol 10, 29).
 */
import type { Intent } from '#contract/endpoint.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Device } from '#local/storage/device.ts'
import { type NewEntry, enqueue, SessionChangedError } from '#local/outbox/enqueue.ts'
import { isShared } from '#local/session/shared-device.ts'
import { hasLapsed, readSession, type Session } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { keepReserve } from '#local/storage/reserve.ts'
import { isClosed, isFull } from '#local/storage/storage-errors.ts'
import { checkCounts, tellAfterwards } from '#request/session/unsent-count.ts'
import type { Ports } from '#request/ports.ts'
import { subjectOf } from '#request/session/subject.ts'

export type Recorded =
  | { entry: OutboxEntry; db: UserDatabase }
  | { problem: Problem }
  /** The disk is full, and nothing is left that could make way for it. */
  | { unstored: NewEntry; db: UserDatabase }
  /** The session has lapsed: it is sealed until the next login. */
  | { sealed: Intent }

type Wish = Omit<NewEntry, 'forUser' | 'gate'>

/** A session, and the gate's generation when it was read: every end and every beginning of one moves the gate. */
interface Writer {
  session: Session
  gate: number
}

/** So that a write need not read the session: it is stored only while the gate has not moved, which one transaction tells. */
const remembered = new WeakMap<Device, Writer>()

/** Stores a write for whoever is signed in; `problem` when nobody is, or the device cannot store. */
export async function storeForWriter(ports: Ports, wish: Wish): Promise<Recorded> {
  const device = await ports.device()
  const before = remembered.get(device)
  const soon = before && !hasLapsed(before.session, ports.clock()) ? await storeFor(ports, device, before, wish) : null
  if (soon) return soon
  remembered.delete(device)
  const writer = await writerNow(ports, device)
  if (!writer) return { problem: localProblem('SIGNED_OUT') }
  const { session } = writer
  if (hasLapsed(session, ports.clock())) return await sealForOwner(ports, device, writer, wish)
  // Not told yet when it ends, so it may be told that next; after that it is only lengthened.
  if (session.until !== null) remembered.set(device, writer)
  return (await storeFor(ports, device, writer, wish)) ?? { problem: localProblem('SIGNED_OUT') }
}

/** Nobody can be asked whether the session is over; a device that is shared takes nothing then (decision 83). */
async function sealForOwner(ports: Ports, device: Device, { session, gate }: Writer, wish: Wish): Promise<Recorded> {
  if (await isShared(device)) return { problem: localProblem('SESSION_LAPSED') }
  const { sealWrite } = await import('#local/outbox/seal-write.ts')
  const draft = { ...wish, forUser: subjectOf(session), gate }
  try {
    const done = await sealWrite(device.of(session), draft, ports.clock())
    if (done === 'moved') return { problem: localProblem('SIGNED_OUT') }
    if (done === 'no key') return { problem: localProblem('SESSION_LAPSED') }
  } catch (error) {
    // The form keeps what was typed.
    return { problem: localProblem(isClosed(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
  ports.lasting(tellAfterwards(ports, session))
  return { sealed: wish.intent }
}

/** Null, with nothing stored: this session may not be the one that is here any more. */
async function storeFor(ports: Ports, device: Device, { session, gate }: Writer, wish: Wish): Promise<Recorded | null> {
  const db = device.of(session)
  const draft = { ...wish, forUser: subjectOf(session), gate }
  try {
    const entry = await enqueue(db, draft)
    // Beside, not before: who stores many does not wait for a figure each time.
    ports.lasting(tellAfterwards(ports, session))
    ports.lasting(keepForGood(db))
    ports.lasting(setAside(db))
    return { entry, db }
  } catch (error) {
    if (error instanceof SessionChangedError) return null
    if (isFull(error)) return { unstored: draft, db }
    // The form keeps what was typed.
    return { problem: localProblem(isClosed(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
}

/** Of those who ask in one breath, begun after the last of them. */
const reading = new WeakMap<Device, Promise<Writer | null>>()

/** Whoever writes much at once has the session read once, and everything stored together. */
function writerNow(ports: Ports, device: Device): Promise<Writer | null> {
  const together =
    reading.get(device) ??
    Promise.resolve().then(() => {
      reading.delete(device)
      return readWriter(ports, device)
    })
  reading.set(device, together)
  return together
}

async function readWriter(ports: Ports, device: Device): Promise<Writer | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  // Closed, or in a database that the browser has just taken away: then it is opened anew.
  const gate = (await readGate(db)) ?? ((await checkCounts(ports, session)) ? await readGate(db) : null)
  return gate === null ? null : { session, gate }
}

/** Asked for, so that not every write asks the browser again. */
const askedFor = new WeakSet<UserDatabase>()

/** A window asks the browser not to clear away what waits; a worker and a test have no such word. */
async function keepForGood(db: UserDatabase): Promise<void> {
  if (askedFor.has(db) || !globalThis.navigator?.storage || !('persist' in navigator.storage)) return
  askedFor.add(db)
  const { askToPersist } = await import('#local/space/persistence.ts')
  await askToPersist(db)
}

const reserved = new WeakSet<UserDatabase>()

/** Before the disk may be full; a reserve that was spent is set aside again when nothing waits (`sender.ts`). */
async function setAside(db: UserDatabase): Promise<void> {
  if (reserved.has(db)) return
  reserved.add(db)
  await keepReserve(db)
}
