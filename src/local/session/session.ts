/**
 * The session of this device. It is enough to open the app offline. The generation in each user's database changes with the session, so
 * that a transaction there can check whether its session is still the current one.
 */
import { liveQuery } from 'dexie'
import { getMetaRecord, type UserDatabase } from '#local/storage/database.ts'
import {
  type Device,
  type DeviceUser,
  getThisDevice,
  isSameSubject,
  type SessionRecord,
} from '#local/storage/device.ts'
import { forgetOwnAccount } from '#local/session/own-account.ts'
import { isShared } from '#local/session/shared-device.ts'
import type { Subject } from '#local/storage/records.ts'
import { transact, withRetry } from '#local/storage/transaction.ts'

export interface Session extends Subject {
  /** Incremented by every sign-in, sign-out and end of a session. A response to an earlier request is then not stored. */
  generation: number
  /** True if the user signed out offline. The server does not know it yet, and nothing may renew the session. */
  signedOut: boolean
  /** Time after which the server no longer renews the session (epoch ms), or null if the server sent no end time. */
  until: number | null
  renewFrom?: number | undefined
  newestAccess?: string | undefined
  /** End of the consent under which the user acts for a customer (server time, epoch ms), otherwise undefined (decision 111). */
  actingUntil?: number | undefined
  actingFrom?: Subject | undefined
}

/**
 * Returns null if no user has signed in on this device, or if the session has ended. A session that was signed out offline is returned
 * until the server knows of it.
 */
export async function readSession(device: Device = getThisDevice()): Promise<Session | null> {
  const { directory } = device
  const record = await withRetry(directory, () => directory.session.get('now'))
  if (!record?.subject) return null
  const { subject, generation, signedOut, until = null, renewFrom, newestAccess, actingUntil, actingFrom } = record
  return { ...subject, generation, signedOut, until, renewFrom, newestAccess, actingUntil, actingFrom }
}

export async function readActiveSession(device: Device = getThisDevice()): Promise<Session | null> {
  const session = await readSession(device)
  return session?.signedOut ? null : session
}

export async function findUserDatabase(device: Device = getThisDevice()): Promise<UserDatabase | null> {
  const session = await readActiveSession(device)
  return session && device.getDatabase(session)
}

/** Calls the listener with the session now and after each change, also by other tabs and the worker. Returns an unsubscribe function. */
export function subscribeToSession(
  listener: (session: Session | null) => void,
  device: Device = getThisDevice(),
): () => void {
  const subscription = liveQuery(() => readSession(device)).subscribe(listener)
  return () => subscription.unsubscribe()
}

/**
 * Opens the session after a sign-in by password, or after a response proved whose session cookie the browser has. `actingUntil` is the end
 * of the consent if the user acts for a customer.
 */
export async function openSession(device: Device, subject: Subject, actingUntil?: number): Promise<void> {
  const db = device.getDatabase(subject)
  const isActing = actingUntil !== undefined
  // Stored before the generation is opened: code that wipes a former session reads the generation first and the session second.
  await changeSession(device, (previous) => buildNextRecord(previous, subject, actingUntil), {
    ...subject,
    clean: false,
    ...(isActing ? { isActing } : {}),
  })
  await transact(db, ['meta', 'outbox'], async () => {
    const generation = ((await getMetaRecord(db, 'session-generation'))?.generation ?? 0) + 1
    await db.meta.put({ name: 'session-generation', open: true, generation })
    await db.outbox.where('state').equals('sign in').modify({ state: 'waiting', notBefore: 0, delayedBy: null })
  })
  await wipeFormerUsers(device)
}

/** Starting and ending acting is the same session of the server, with the same tokens. */
function buildNextRecord(previous: SessionRecord, subject: Subject, actingUntil: number | undefined): SessionRecord {
  const isSameUser = previous.subject?.userId === subject.userId && !previous.signedOut
  const isSwitch = isSameUser && (actingUntil !== undefined || previous.actingUntil !== undefined)
  const own = previous.actingUntil === undefined ? (previous.subject ?? undefined) : previous.actingFrom
  const tokens = isSwitch ? {} : { until: undefined, renewFrom: undefined, newestAccess: undefined }
  const actingFrom = actingUntil !== undefined && isSameUser ? own : undefined
  return { ...previous, ...tokens, subject, signedOut: false, actingUntil, actingFrom }
}

/**
 * Ends acting for a customer on this device if the consent is over, also offline. `serverNow` is the server's time in epoch ms. Returns
 * whether it has ended.
 */
export async function endOverdueActing(device: Device, serverNow: number): Promise<boolean> {
  const session = await readSession(device)
  if (session?.actingUntil === undefined || session.actingUntil > serverNow) return false
  if (session.signedOut || !session.actingFrom) return await endSession(device, session.generation)
  await openSession(device, session.actingFrom)
  return true
}

/** Returns true if the session has expired although the user has not signed out. Nothing can be sent before a new sign-in. */
export const hasSessionExpired = ({ signedOut, until }: Session, now: number) =>
  !signedOut && until !== null && until < now

/** Signs the user out. The mark is stored first, before anything can fail (protocol 29). */
export async function markSignedOut(device: Device): Promise<void> {
  await changeSession(device, (previous) => ({ ...previous, signedOut: previous.subject !== null }))
  await wipeFormerUsers(device)
}

/**
 * Ends the session after the server has ended it. Returns false if another session has begun meanwhile (protocol 32). With `isExpired` the
 * session ended by time alone: cached data is sealed for its user, except on a shared device, where it is deleted as after a logout
 * (decision 83).
 */
export async function endSession(device: Device, generation: number, { isExpired = false } = {}): Promise<boolean> {
  const { directory } = device
  const isActing = (await readSession(device))?.actingUntil !== undefined
  const shouldKeepCache = isExpired && !isActing && !(await isShared(device))
  const isEnded = await transact(directory, ['session', 'occupants'], async () => {
    const previous = await directory.session.get('now')
    if (!previous?.subject || previous.generation !== generation) return false
    await directory.session.put({
      ...previous,
      subject: null,
      signedOut: false,
      actingUntil: undefined,
      actingFrom: undefined,
      generation: generation + 1,
    })
    await forgetOwnAccount(device)
    if (shouldKeepCache) await directory.occupants.put({ ...previous.subject, clean: false, isExpired: true })
    return true
  })
  if (isEnded) await wipeFormerUsers(device)
  return isEnded
}

const readableAfterExpiryMs = 14 * 24 * 3_600_000

/**
 * Ends a session that expired more than 14 days ago. Until then its data can be read offline; after that the data is sealed until its user
 * logs in (decision 83).
 */
export async function endLongExpiredSession(device: Device, now: number): Promise<void> {
  const session = await readSession(device)
  if (!session || session.until === null || !hasSessionExpired(session, now - readableAfterExpiryMs)) return
  await endSession(device, session.generation, { isExpired: true })
}

const noSession: SessionRecord = { name: 'now', subject: null, generation: 0, signedOut: false }

async function changeSession(
  device: Device,
  getNextRecord: (previous: SessionRecord) => SessionRecord,
  occupant?: DeviceUser,
): Promise<void> {
  const { directory } = device
  await transact(directory, ['session', 'occupants'], async () => {
    const previous = (await directory.session.get('now')) ?? noSession
    const next = getNextRecord(previous)
    await directory.session.put({ ...next, generation: previous.generation + 1 })
    if (next.signedOut || !next.subject || !isSameSubject(previous.subject, next.subject))
      await forgetOwnAccount(device)
    if (!occupant) return
    // Another user has signed in, so the cached data of expired sessions is now wiped.
    await directory.occupants
      .filter((otherOccupant) => otherOccupant.isExpired === true && !isSameSubject(otherOccupant, occupant))
      .modify({ isExpired: false, clean: false })
    await directory.occupants.put(occupant)
  })
}

/**
 * Wipes the data of all users whose session is no longer active. Also runs at start, because a browser may die between marking and wiping.
 */
export async function wipeFormerUsers(device: Device): Promise<void> {
  for (const occupant of await device.directory.occupants.toArray()) {
    if (occupant.clean) continue
    const db = device.getDatabase(occupant)
    // Read before the session is checked: a sign-in in between changes the generation, and then no data is deleted.
    const generation = (await getMetaRecord(db, 'session-generation'))?.generation ?? 0
    const session = await readActiveSession(device)
    // While a user acts for a customer, the own data stays: it is the same person, who returns to it.
    if (isSameSubject(session, occupant) || isSameSubject(session?.actingFrom ?? null, occupant)) continue
    // Loaded only when a user has left, so that pages need not load it earlier.
    const { wipeUserData } = await import('#local/seals/sealed-outbox.ts')
    if (!(await wipeUserData(db, generation, { keepsCache: occupant.isExpired === true }))) continue
    if (occupant.isActing) await deleteAllRecords(db)
    await markClean(device, occupant)
  }
}

/** Deletes also what a sign-out leaves for its user, such as forms that were not sent. Does nothing if a session is open again. */
async function deleteAllRecords(db: UserDatabase): Promise<void> {
  const names = db.tables.map(({ name }) => name)
  await transact(db, names, async () => {
    const generation = await getMetaRecord(db, 'session-generation')
    if (generation?.open) return
    for (const name of names) await db.table(name).clear()
    if (generation) await db.meta.put(generation)
  })
}

/** Marks a user's data as wiped, unless the user has signed in again meanwhile and has new data. */
async function markClean(device: Device, occupant: Subject): Promise<void> {
  const { directory } = device
  await transact(directory, ['session', 'occupants'], async () => {
    const { subject = null, signedOut = false } = (await directory.session.get('now')) ?? {}
    if (!signedOut && isSameSubject(subject, occupant)) return
    await directory.occupants.update([occupant.companyId, occupant.userId], { clean: true })
  })
}
