/**
 * Who this device works for, asked before anything else is here: brings the device's database and no other library.
 */
import { getUser } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import { thisDevice } from '#local/storage/device.ts'
import { readReading } from '#local/lists/readings.ts'
import { readOwnAccount } from '#local/session/own-account.ts'
import { readSession, type Session } from '#local/session/session.ts'
import type { Subject } from '#local/storage/records.ts'
import type { SessionUser } from '#state/session-slice.ts'

/** Path under which the signed-in user's own row is kept. */
const ownPath = toWire(getUser, {}).path

/** The signed-in user as the server last said; null where the device has not kept it. */
export const readCachedUser = async (subject: Subject): Promise<SessionUser | null> =>
  ((await readReading(ownPath, subject).catch(() => null)) ??
    (await readOwnAccount(subject).catch(() => null))) as SessionUser | null

interface Known {
  session: Session | null
  /** Null where nobody is signed in as well. */
  kept: SessionUser | null
}

async function look(): Promise<Known> {
  const session = await readSession(thisDevice())
  if (!session || session.signedOut) return { session, kept: null }
  return { session, kept: await readCachedUser(session) }
}

/** As it stood when the page began. Never rejects. */
export const known: Promise<Known> = look().catch(() => ({ session: null, kept: null }))
