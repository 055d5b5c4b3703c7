/** Stores a write for its user, never for one who has signed out or is signing out (protocol 10, 29). */
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
  /** The disk is full, and no cached data is left that could be deleted. */
  | { unstoredEntry: NewEntry; db: UserDatabase }
  /** The session has expired, so the write is sealed until the next login. */
  | { sealedIntent: Intent }

type WriteDraft = Omit<NewEntry, 'forUser' | 'sessionGeneration'>

/** A session, and its generation when it was read. Every sign-in, sign-out and end of a session changes the generation. */
interface WriterSession {
  session: Session
  sessionGeneration: number
}

/** The session of the last write. A write need not read it again, because the transaction fails if the generation has changed. */
const rememberedWriters = new WeakMap<Device, WriterSession>()

/** Stores a write for the signed-in user. Returns `problem` if no user is signed in or the device cannot store it. */
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
  // A session without an end time is not cached, because it may get one. A later change of the end time only extends it.
  if (session.until !== null) rememberedWriters.set(device, writer)
  return (await storeFor(ports, device, writer, writeDraft)) ?? { problem: createLocalProblem('SIGNED_OUT') }
}

/**
 * Seals a write for its owner. Offline, the device cannot tell whether the session is really over. A shared device stores nothing then
 * (decision 83).
 */
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
    // The form keeps the input.
    return { problem: createLocalProblem(isClosedError(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
  ports.keepAlive(storeUnsentCountLater(ports, session))
  return { sealedIntent: writeDraft.intent }
}

/** Returns null and stores nothing if this session may no longer be the current one. */
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
    // These run in the background, so that many writes in a row do not wait for them.
    ports.keepAlive(storeUnsentCountLater(ports, session))
    ports.keepAlive(persistOnce(db))
    ports.keepAlive(reserveSpace(db))
    return { entry, db }
  } catch (error) {
    if (error instanceof SessionChangedError) return null
    if (isFullError(error)) return { unstoredEntry: draft, db }
    // The form keeps the input.
    return { problem: createLocalProblem(isClosedError(error) ? 'STORAGE_LOST' : 'STORAGE_FAILED') }
  }
}

/** Pending reads of the session, which callers of the same event-loop turn share. */
const pendingReads = new WeakMap<Device, Promise<WriterSession | null>>()

/** Reads the session. Many writes that start together share one read, so that they are stored together. */
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
  // Null means that the generation is closed, or that the browser has just deleted the database. A deleted database is opened again.
  const sessionGeneration =
    (await readSessionGeneration(db)) ?? ((await checkCounts(ports, session)) ? await readSessionGeneration(db) : null)
  return sessionGeneration === null ? null : { session, sessionGeneration }
}

/** Databases for which persistence was already requested, so that not every write does it. */
const persistedDatabases = new WeakSet<UserDatabase>()

/** Asks the browser not to delete this origin's data. Only a window can ask, not a worker or a test. */
async function persistOnce(db: UserDatabase): Promise<void> {
  if (persistedDatabases.has(db) || !globalThis.navigator?.storage || !('persist' in navigator.storage)) return
  persistedDatabases.add(db)
  const { requestPersistence } = await import('#local/space/persistence.ts')
  await requestPersistence(db)
}

const reservedDatabases = new WeakSet<UserDatabase>()

/** Reserves space for writes while the disk still has some. A used reserve is created again when no entry waits (`sender.ts`). */
async function reserveSpace(db: UserDatabase): Promise<void> {
  if (reservedDatabases.has(db)) return
  reservedDatabases.add(db)
  await storeReserve(db)
}
