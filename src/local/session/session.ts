/**
 * Who this device works for. The device's word is enough to open the app without a network. The gate in each user's
 * database moves with it, so that a transaction there can tell whether the one it works for is still there.
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
  /** Raised by every sign-in, sign-out and end of a session: what was asked before belongs to nobody after. */
  generation: number
  /** Signed out without a network: the server does not know yet, and nothing may renew the session. */
  signedOut: boolean
  /** When the server renews it no longer, epoch ms; null: it did not say. */
  until: number | null
  /** From when on a new token is asked for ahead (local/renewing). */
  renewFrom?: number | undefined
  newestAccess?: string | undefined
}

/** Null: nobody ever signed in here, or the session ended and the server knows. */
export async function readSession(device: Device = getThisDevice()): Promise<Session | null> {
  const { directory } = device
  const record = await withRetry(directory, () => directory.session.get('now'))
  if (!record?.subject) return null
  const { subject, generation, signedOut, until = null, renewFrom, newestAccess } = record
  return { ...subject, generation, signedOut, until, renewFrom, newestAccess }
}

/** Null: nobody is signed in. */
export async function readActiveSession(device: Device = getThisDevice()): Promise<Session | null> {
  const session = await readSession(device)
  return session?.signedOut ? null : session
}

/** The database of the signed-in user. Null: nobody is signed in. */
export async function findUserDatabase(device: Device = getThisDevice()): Promise<UserDatabase | null> {
  const session = await readActiveSession(device)
  return session && device.getDatabase(session)
}

/** Hears the state now and every change, of other tabs and the worker too; returns how to stop hearing. */
export function subscribeToSession(
  listener: (session: Session | null) => void,
  device: Device = getThisDevice(),
): () => void {
  const subscription = liveQuery(() => readSession(device)).subscribe(listener)
  return () => subscription.unsubscribe()
}

/** A user came: by password, or because an answer proved whose cookie this is. */
export async function openSession(device: Device, subject: Subject): Promise<void> {
  const db = device.getDatabase(subject)
  // Before the gate: who is clearing away after a former session looks at the gate first and then here.
  const newSession = { subject, signedOut: false, until: undefined, renewFrom: undefined, newestAccess: undefined }
  await changeSession(device, (previous) => ({ ...previous, ...newSession }), { ...subject, clean: false })
  await transact(db, ['meta', 'outbox'], async () => {
    const generation = ((await getMetaRecord(db, 'session-generation'))?.generation ?? 0) + 1
    await db.meta.put({ name: 'session-generation', open: true, generation })
    await db.outbox.where('state').equals('sign in').modify({ state: 'waiting', notBefore: 0, delayedBy: null })
  })
  await wipeFormerUsers(device)
}

/** Nobody has left, and yet nothing can be sent any more before the user has signed in again. */
export const hasSessionExpired = ({ signedOut, until }: Session, now: number) =>
  !signedOut && until !== null && until < now

/** The user goes. The mark is the first thing stored, before anything can fail (protocol 29). */
export async function markSignedOut(device: Device): Promise<void> {
  await changeSession(device, (previous) => ({ ...previous, signedOut: previous.subject !== null }))
  await wipeFormerUsers(device)
}

/**
 * The server said that this session is over. False when another one has begun meanwhile (protocol 32). `lapsed`: by time alone, so
 * what is cached stays for its user, sealed; on a device that is shared it goes as after a logout (decision 83).
 */
export async function endSession(device: Device, generation: number, { isExpired = false } = {}): Promise<boolean> {
  const { directory } = device
  const shouldKeepCache = isExpired && !(await isShared(device))
  const isEnded = await transact(directory, ['session', 'occupants'], async () => {
    const previous = await directory.session.get('now')
    if (!previous?.subject || previous.generation !== generation) return false
    await directory.session.put({ ...previous, subject: null, signedOut: false, generation: generation + 1 })
    await forgetOwnAccount(device)
    if (shouldKeepCache) await directory.occupants.put({ ...previous.subject, clean: false, isExpired: true })
    return true
  })
  if (isEnded) await wipeFormerUsers(device)
  return isEnded
}

const readableAfterExpiryMs = 14 * 24 * 3_600_000

/** Without a connection a lapsed session can be read for 14 days; then what is here waits for its user's login (decision 83). */
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
    // Somebody else has come: what was left for those whose sessions lapsed goes now.
    await directory.occupants
      .filter((otherOccupant) => otherOccupant.isExpired === true && !isSameSubject(otherOccupant, occupant))
      .modify({ isExpired: false, clean: false })
    await directory.occupants.put(occupant)
  })
}

/**
 * Closes the gate, seals the writes and wipes the rows of everybody but the session's user. Also run at every start,
 * because a browser may have died between the mark and the wiping.
 */
export async function wipeFormerUsers(device: Device): Promise<void> {
  for (const occupant of await device.directory.occupants.toArray()) {
    if (occupant.clean) continue
    const db = device.getDatabase(occupant)
    // Read before it is asked who is here: a sign-in in between moves the gate, and nothing is taken from under it.
    const generation = (await getMetaRecord(db, 'session-generation'))?.generation ?? 0
    if (isSameSubject(await readActiveSession(device), occupant)) continue
    // Fetched when somebody leaves: no page carries it before.
    const { wipeUserData } = await import('#local/seals/sealed-outbox.ts')
    if (await wipeUserData(db, generation, { keepsCache: occupant.isExpired === true }))
      await markClean(device, occupant)
  }
}

/** Unless they have come back while it was done: then there will be something to wipe again. */
async function markClean(device: Device, occupant: Subject): Promise<void> {
  const { directory } = device
  await transact(directory, ['session', 'occupants'], async () => {
    const { subject = null, signedOut = false } = (await directory.session.get('now')) ?? {}
    if (!signedOut && isSameSubject(subject, occupant)) return
    await directory.occupants.update([occupant.companyId, occupant.userId], { clean: true })
  })
}
