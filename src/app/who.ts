/**
 * Who this device works for, asked before anything else is here: brings the device's database and no other library. The
 * database that holds a user's rows is opened beside the one that says who they are, by the name that was right last
 * time; only what the directory says counts.
 */
import { getUser } from '#contract/accounts.ts'
import { toWire } from '#contract/wire.ts'
import type { Subject } from '#local/database.ts'
import { thisDevice } from '#local/device.ts'
import { readReading } from '#local/readings.ts'
import { readSession, type Session } from '#local/session.ts'
import { readSubject, subjectOf } from '#request/subject.ts'
import type { SessionUser } from '#state/session.ts'
import { recall, remember } from '#app/remember.ts'

/** Path under which the signed-in user's own row is kept. */
const ownPath = toWire(getUser, {}).path

/** The signed-in user as the server last said; null where the device has not kept it. */
export const readKept = async (subject: Subject): Promise<SessionUser | null> =>
  (await readReading(ownPath, subject).catch(() => null)) as SessionUser | null

/** For the next start. No secret: two numbers that the rows bear as well. */
export const guessNext = (session: Session | null) =>
  remember('portal.subject', session && !session.signedOut ? subjectOf(session) : '')

export interface Known {
  session: Session | null
  /** Null where nobody is signed in as well. */
  kept: SessionUser | null
}

/** Who it was when the page was here last: good for beginning to read, and for nothing else. */
export const guess = readSubject(recall('portal.subject'))

async function look(): Promise<Known> {
  const guessed = guess && { name: subjectOf(guess), kept: readKept(guess) }
  const session = await readSession(thisDevice())
  if (!session || session.signedOut) return { session, kept: null }
  return { session, kept: await (guessed?.name === subjectOf(session) ? guessed.kept : readKept(session)) }
}

/** As it stood when the page began. Never rejects. */
export const known: Promise<Known> = look().catch(() => ({ session: null, kept: null }))
