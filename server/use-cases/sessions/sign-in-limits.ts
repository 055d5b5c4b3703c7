/**
 * How often a password or a second factor may be tried (S-29 to S-31). Strangers are counted per account, per address and all
 * together; whom we know (signed in, or on a device of this account) apart from them and per account alone, so that nobody's
 * guesses but their own make them wait (S-30).
 */
import { createHash } from 'node:crypto'
import { foldText } from '#domain/text.ts'
import {
  attemptWindowMs,
  countForAll,
  forgiveAttempts,
  type Limit,
  reserveAttempt,
  sayOnce,
} from '#server/db/accounts/sign-in-attempts.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { addressGroup } from '#server/shares/client-address.ts'
import type { Place } from '#server/use-cases/hashing-queue.ts'

const free = { account: 5, address: 50, everybody: 2000 }
/** So many wrong ones at an account are free. */
export const freeGuesses = free.account

/** All strangers' attempts, whoever and wherever: an alarm and a slower pace, never a refusal. */
const everybody = 'everybody'

export interface Tried {
  account: Limit
  /** Null: not a stranger. */
  address: Limit | null
}

export interface From {
  address: string
  isKnown: boolean
}

/** Accounts that do not exist are counted under their name like all others; a hash, because people type passwords there. */
export const triedBy = (companyCode: string, email: string, from: From): Tried =>
  triedAt(`account ${nameOf(companyCode, email)}`, from)

/** Guesses at a second factor count by themselves: a right password before each of them must not wipe them out (S-31). */
export const factorTriedBy = (userId: number, from: From): Tried => triedAt(`factor ${userId}`, from)

/** Nobody guesses a signature, so strangers who send wrong ones make only their own address wait, never the owner (S-30). */
export const passkeyTriedBy = (userId: number, from: From): Tried =>
  triedAt(`passkey ${userId} ${addressGroup(from.address).slice(0, 60)}`, from)

const triedAt = (subject: string, { address, isKnown }: From): Tried => ({
  account: { subject: isKnown ? ownOf(subject) : subject, free: free.account },
  address: isKnown ? null : { subject: `address ${addressGroup(address).slice(0, 60)}`, free: free.address },
})

const ownOf = (subject: string) => `own ${subject}`

const nameOf = (companyCode: string, email: string) =>
  createHash('sha256')
    .update(`${foldText(companyCode)}:${foldText(email)}`)
    .digest('base64url')

/**
 * Counts the attempt before the password is looked at. Throws RATE_LIMITED with the wait, and counts nothing then. Under a
 * flood the place of a stranger becomes a slow one.
 */
export async function reserve(app: AppContext, tried: Tried, now: number, place: Place | null): Promise<void> {
  const flood = await inTransaction(app, { role: 'portal_system' }, async (db) => {
    const waitMs = await reserveAttempt(db, [tried.account, ...(tried.address ? [tried.address] : [])], now)
    // Takes back what was counted: a refused attempt moves nobody's wait.
    if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(waitMs / 1000))
    if (!tried.address) return null
    const attempts = await countForAll(db, everybody, now)
    return attempts > free.everybody ? { attempts, isNew: await sayOnce(db, everybody, now) } : null
  })
  if (!flood) return
  place?.slow()
  if (flood.isNew)
    securityEvent(app.log, 'login flood', { attempts: flood.attempts, minutes: attemptWindowMs / 60_000 })
}

/** The password was right. Needs portal_system. */
export const forgive = (db: Handle, { account, address }: Tried, now: number): Promise<void> =>
  forgiveAttempts(
    db,
    { accounts: [account.subject], others: address ? [address, { subject: everybody, free: null }] : [] },
    now,
  )

/** Whoever was locked out, by strangers or by oneself, comes in again. Needs portal_system. */
export function forgiveAll(db: Handle, companyCode: string, email: string, now: number): Promise<void> {
  const subject = `account ${nameOf(companyCode, email)}`
  return forgiveAttempts(db, { accounts: [subject, ownOf(subject)], others: [] }, now)
}
