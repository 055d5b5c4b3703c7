/**
 * Who this device works for, asked before anything else is here: brings the device's database and no other library.
 */
import { getUser } from '#contract/accounts.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { readCachedResponse } from '#local/lists/read-cached-response.ts'
import { readOwnAccount } from '#local/session/own-account.ts'
import { readSession, type Session } from '#local/session/session.ts'
import type { Subject } from '#local/storage/records.ts'
import type { SessionUser } from '#state/session-slice.ts'

/** Path under which the signed-in user's own row is kept. */
const userPath = toHttpRequest(getUser, {}).path

/** The signed-in user as the server last said; null where the device has not kept it. */
export const readCachedUser = async (subject: Subject): Promise<SessionUser | null> =>
  ((await readCachedResponse(userPath, subject).catch(() => null)) ??
    (await readOwnAccount(subject).catch(() => null))) as SessionUser | null

interface InitialUser {
  session: Session | null
  /** Null where nobody is signed in as well. */
  cachedUser: SessionUser | null
}

async function readInitialUser(): Promise<InitialUser> {
  const session = await readSession(getThisDevice())
  if (!session || session.signedOut) return { session, cachedUser: null }
  return { session, cachedUser: await readCachedUser(session) }
}

/** As it stood when the page began. Never rejects. */
export const initialUser: Promise<InitialUser> = readInitialUser().catch(() => ({ session: null, cachedUser: null }))
