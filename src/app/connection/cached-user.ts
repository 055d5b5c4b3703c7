/** Reads the current user of this device before anything else is loaded. Imports the device's database and no other library. */
import { getUser } from '#contract/accounts.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { readCachedResponse } from '#local/lists/read-cached-response.ts'
import { readOwnAccount } from '#local/session/own-account.ts'
import { readSession, type Session } from '#local/session/session.ts'
import type { Subject } from '#local/storage/records.ts'
import type { SessionUser } from '#state/session-slice.ts'

const userPath = toHttpRequest(getUser, {}).path

/** Returns the user from the last stored response, or else the stored account. Null if the device has neither. */
export const readCachedUser = async (subject: Subject): Promise<SessionUser | null> =>
  ((await readCachedResponse(userPath, subject).catch(() => null)) ??
    (await readOwnAccount(subject).catch(() => null))) as SessionUser | null

interface InitialUser {
  session: Session | null
  /** Null if no user is signed in, or if the device has no data of the user. */
  cachedUser: SessionUser | null
}

async function readInitialUser(): Promise<InitialUser> {
  const session = await readSession(getThisDevice())
  if (!session || session.signedOut) return { session, cachedUser: null }
  return { session, cachedUser: await readCachedUser(session) }
}

/** Session and user as stored when the page started. Never rejects. */
export const initialUser: Promise<InitialUser> = readInitialUser().catch(() => ({ session: null, cachedUser: null }))
