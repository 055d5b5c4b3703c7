/**
 * Limits the tries of a password or second factor (S-29 to S-31). Unknown callers are counted per account, per address and all together.
 * Known callers (signed in, or on a device of this account) are counted per account only, so that another person's guesses do not delay
 * them (S-30).
 */
import { createHash } from 'node:crypto'
import { normaliseText } from '#domain/text.ts'
import {
  attemptWindowMs,
  countAttempt,
  forgiveAttempts,
  type AttemptLimit,
  reserveAttempt,
  markReported,
} from '#server/db/accounts/sign-in-attempts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { getAddressGroup } from '#server/shares/client-address.ts'
import type { HashingQueuePosition } from '#server/use-cases/hashing-queue.ts'

const freeAttempts = { account: 5, address: 50, everybody: 2000 }
/** Number of wrong guesses per account that cause no delay. */
export const freeGuesses = freeAttempts.account

/** Counter of the attempts of all unknown callers together. A high count only causes a log entry and slower hashing, never a refusal. */
const allAnonymous = 'everybody'

export interface GuessLimits {
  account: AttemptLimit
  address: AttemptLimit | null
}

export interface GuessSource {
  address: string
  isKnown: boolean
}

/** Returns limits for unknown accounts too. The name is hashed, because people sometimes type a password there. */
export const getPasswordLimits = (companyCode: string, email: string, source: GuessSource): GuessLimits =>
  buildGuessLimits(`account ${hashAccountName(companyCode, email)}`, source)

/**
 * Second factors are counted separately from passwords, because otherwise the correct password before each guess would reset the count
 * (S-31).
 */
export const getFactorLimits = (userId: number, source: GuessSource): GuessLimits =>
  buildGuessLimits(`factor ${userId}`, source)

/** Signatures cannot be guessed, so wrong ones delay only the sender's address, never the owner (S-30). */
export const getPasskeyLimits = (userId: number, source: GuessSource): GuessLimits =>
  buildGuessLimits(`passkey ${userId} ${getAddressGroup(source.address).slice(0, 60)}`, source)

const buildGuessLimits = (subject: string, { address, isKnown }: GuessSource): GuessLimits => ({
  account: { subject: isKnown ? toKnownSubject(subject) : subject, freeAttempts: freeAttempts.account },
  address: isKnown
    ? null
    : { subject: `address ${getAddressGroup(address).slice(0, 60)}`, freeAttempts: freeAttempts.address },
})

const toKnownSubject = (subject: string) => `own ${subject}`

const hashAccountName = (companyCode: string, email: string) =>
  createHash('sha256')
    .update(`${normaliseText(companyCode)}:${normaliseText(email)}`)
    .digest('base64url')

/**
 * Counts a guess before it is checked. Throws RATE_LIMITED for a refused guess, which is not counted. A flood of guesses slows unknown
 * callers down.
 */
export async function reserveGuess(
  app: AppContext,
  guessLimits: GuessLimits,
  now: number,
  position: HashingQueuePosition | null,
): Promise<void> {
  const flood = await writeAsSystem(app, async (db) => {
    const waitMs = await reserveAttempt(
      db,
      [guessLimits.account, ...(guessLimits.address ? [guessLimits.address] : [])],
      now,
    )
    // The throw rolls back the count, so a refused attempt does not extend a wait.
    if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(waitMs / 1000))
    if (!guessLimits.address) return null
    const attempts = await countAttempt(db, allAnonymous, now)
    return attempts > freeAttempts.everybody ? { attempts, isNew: await markReported(db, allAnonymous, now) } : null
  })
  if (!flood) return
  position?.slowDown()
  if (flood.isNew)
    logSecurityEvent(app.log, 'login_flood', { attempts: flood.attempts, minutes: attemptWindowMs / 60_000 })
}

/** Resets the counts. Called after a correct password or factor. Needs the role `portal_system`. */
export const forgiveGuesses = (db: DatabaseHandle, { account, address }: GuessLimits, now: number): Promise<void> =>
  forgiveAttempts(
    db,
    {
      accounts: [account.subject],
      otherSubjects: address ? [address, { subject: allAnonymous, freeAttempts: null }] : [],
    },
    now,
  )

/** Ends the lock-out of an account, whether the user or another person caused it. Needs the role `portal_system`. */
export function forgiveAllGuesses(db: DatabaseHandle, companyCode: string, email: string, now: number): Promise<void> {
  const subject = `account ${hashAccountName(companyCode, email)}`
  return forgiveAttempts(db, { accounts: [subject, toKnownSubject(subject)], otherSubjects: [] }, now)
}
