/**
 * Whose a write is, found out and stored with it in one step: nothing is stored for somebody who has gone, or while
 * somebody is going (protocol 10, 29).
 */
import type { Intent } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import type { Device } from '#local/storage/device.ts'
import { type NewEntry, enqueue, SessionChangedError } from '#local/outbox/enqueue.ts'
import { isShared } from '#local/session/shared-device.ts'
import { hasSessionExpired, readActiveSession, type Session } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { storeReserve } from '#local/storage/reserve.ts'
import { isClosedError, isFullError } from '#local/storage/storage-errors.ts'
import { checkCounts, storeUnsentCountLater } from '#request/session/unsent-count.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { formatSubject } from '#request/session/subject.ts'

export type RecordWriteResult =
  | { entry: OutboxEntry; db: UserDatabase }
  | { problem: Problem }
  /** The disk is full, and nothing is left that could make way for it. */
  | { unstoredEntry: NewEntry; db: UserDatabase }
  /** The session has lapsed: it is sealed until the next login. */
  | { sealedIntent: Intent }

type WriteDraft = Omit<NewEntry, 'forUser' | 'sessionGeneration'>

/** A session, and the gate's generation when it was read: every end and every beginning of one moves the gate. */
interface WriterSession {
  session: Session
  sessionGeneration: number
}

/** So that a write need not read the session: it is stored only while the gate has not moved, which one transaction tells. */
const rememberedWriters = new WeakMap<Device, WriterSession>()

/** Stores a write for whoever is signed in; `problem` when nobody is, or the device cannot store. */
export async function storeForWriter(ports: PipelinePorts, writeDraft: WriteDraft): Promise<RecordWriteResult> {
  const device = await ports.device()
  const rememberedWriter = rememberedWriters.get(device)
  const fastResult =
    rememberedWriter && !hasSessionExpired(rememberedWriter.session, ports.clock())
      ? await storeFor(ports, device, rememberedWriter, writeDraft)
      : null
  if (fastResult) return fastResult
  rememberedWriters.delete(device)
  const writer = await readWriterOnce(ports, device)
  if (!writer) return { problem: createLocalProblem('SIGNED_OUT') }
  const { session } = writer
  if (hasSessionExpired(session, ports.clock())) return await sealForOwner(ports, device, writer, writeDraft)
  // Not told yet when it ends, so it may be told that next; after that it is only lengthened.
  if (session.until !== null) rememberedWriters.set(device, writer)
  return (await storeFor(ports, device, writer, writeDraft)) ?? { problem: createLocalProblem('SIGNED_OUT') }
}

/** Nobody can be asked whether the session is over; a device that is shared takes nothing then (decision 83). */
async function sealForOwner(
  ports: PipelinePorts,
  device: Device,
  { session, sessionGeneration }: WriterSession,
  writeDraft: WriteDraft,
): Promise<RecordWriteResult> {
  if (await isShared(device)) return { problem: createLocalProblem('SESSION_LAPSED') }
  const { sealWrite } = await import('#local/outbox/seal-write.ts')
  const draft = { ...writeDraft, forUser: formatSubject(session), sessionGeneration }
  try {
    const sealResult = await sealWrite(device.getDatabase(session), draft, ports.clock())
    if (sealResult === 'moved') return { problem: createLocalProblem('SIGNED_OUT') }
    if (sealResult === 'no key') return { problem: createLocalProblem('SESSION_LAPSED') }
  } catch (error) {
    // The form keeps what was typed.
    return { problem: createLocalProblem(isClosedError(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
  ports.keepAlive(storeUnsentCountLater(ports, session))
  return { sealedIntent: writeDraft.intent }
}

/** Null, with nothing stored: this session may not be the one that is here any more. */
async function storeFor(
  ports: PipelinePorts,
  device: Device,
  { session, sessionGeneration }: WriterSession,
  writeDraft: WriteDraft,
): Promise<RecordWriteResult | null> {
  const db = device.getDatabase(session)
  const draft = { ...writeDraft, forUser: formatSubject(session), sessionGeneration }
  try {
    const entry = await enqueue(db, draft)
    // Beside, not before: who stores many does not wait for a figure each time.
    ports.keepAlive(storeUnsentCountLater(ports, session))
    ports.keepAlive(persistOnce(db))
    ports.keepAlive(reserveSpace(db))
    return { entry, db }
  } catch (error) {
    if (error instanceof SessionChangedError) return null
    if (isFullError(error)) return { unstoredEntry: draft, db }
    // The form keeps what was typed.
    return { problem: createLocalProblem(isClosedError(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
}

/** Of those who ask in one breath, begun after the last of them. */
const pendingReads = new WeakMap<Device, Promise<WriterSession | null>>()

/** Whoever writes much at once has the session read once, and everything stored together. */
function readWriterOnce(ports: PipelinePorts, device: Device): Promise<WriterSession | null> {
  const pendingWriter =
    pendingReads.get(device) ??
    Promise.resolve().then(() => {
      pendingReads.delete(device)
      return readWriter(ports, device)
    })
  pendingReads.set(device, pendingWriter)
  return pendingWriter
}

async function readWriter(ports: PipelinePorts, device: Device): Promise<WriterSession | null> {
  const session = await readActiveSession(device)
  if (!session) return null
  const db = device.getDatabase(session)
  // Closed, or in a database that the browser has just taken away: then it is opened anew.
  const sessionGeneration =
    (await readSessionGeneration(db)) ?? ((await checkCounts(ports, session)) ? await readSessionGeneration(db) : null)
  return sessionGeneration === null ? null : { session, sessionGeneration }
}

/** Asked for, so that not every write asks the browser again. */
const persistedDatabases = new WeakSet<UserDatabase>()

/** A window asks the browser not to clear away what waits; a worker and a test have no such word. */
async function persistOnce(db: UserDatabase): Promise<void> {
  if (persistedDatabases.has(db) || !globalThis.navigator?.storage || !('persist' in navigator.storage)) return
  persistedDatabases.add(db)
  const { requestPersistence } = await import('#local/space/persistence.ts')
  await requestPersistence(db)
}

const reservedDatabases = new WeakSet<UserDatabase>()

/** Before the disk may be full; a reserve that was spent is set aside again when nothing waits (`sender.ts`). */
async function reserveSpace(db: UserDatabase): Promise<void> {
  if (reservedDatabases.has(db)) return
  reservedDatabases.add(db)
  await storeReserve(db)
}
