/**
 * How often a password or a second factor may be tried (S-29 to S-31). Strangers are counted per account, per address and all
 * together; whom we know (signed in, or on a device of this account) apart from them and per account alone, so that nobody's
 * guesses but their own make them wait (S-30).
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
/** So many wrong ones at an account are free. */
export const freeGuesses = freeAttempts.account

/** All strangers' attempts, whoever and wherever: an alarm and a slower pace, never a refusal. */
const allAnonymous = 'everybody'

export interface GuessLimits {
  account: AttemptLimit
  /** Null: not a stranger. */
  address: AttemptLimit | null
}

export interface GuessSource {
  address: string
  isKnown: boolean
}

/** Accounts that do not exist are counted under their name like all others; a hash, because people type passwords there. */
export const getPasswordLimits = (companyCode: string, email: string, source: GuessSource): GuessLimits =>
  buildGuessLimits(`account ${hashAccountName(companyCode, email)}`, source)

/** Guesses at a second factor count by themselves: a right password before each of them must not wipe them out (S-31). */
export const getFactorLimits = (userId: number, source: GuessSource): GuessLimits =>
  buildGuessLimits(`factor ${userId}`, source)

/** Nobody guesses a signature, so strangers who send wrong ones make only their own address wait, never the owner (S-30). */
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
 * Counts the attempt before the password is looked at. Throws RATE_LIMITED with the wait, and counts nothing then. Under a
 * flood the place of a stranger becomes a slow one.
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
    // Takes back what was counted: a refused attempt moves nobody's wait.
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

/** The password was right. Needs portal_system. */
export const forgiveGuesses = (db: DatabaseHandle, { account, address }: GuessLimits, now: number): Promise<void> =>
  forgiveAttempts(
    db,
    {
      accounts: [account.subject],
      otherSubjects: address ? [address, { subject: allAnonymous, freeAttempts: null }] : [],
    },
    now,
  )

/** Whoever was locked out, by strangers or by oneself, comes in again. Needs portal_system. */
export function forgiveAllGuesses(db: DatabaseHandle, companyCode: string, email: string, now: number): Promise<void> {
  const subject = `account ${hashAccountName(companyCode, email)}`
  return forgiveAttempts(db, { accounts: [subject, toKnownSubject(subject)], otherSubjects: [] }, now)
}
