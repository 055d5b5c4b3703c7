/** How often a password or a second factor may be tried (S-29 to S-31): per account, per address, and all together. */
import { createHash } from 'node:crypto'
import { foldText } from '#domain/text.ts'
import { forgiveAttempt, type Limit, reserveAttempt } from '#server/db/attempts.ts'
import { inScope } from '#server/db/scope.ts'
import type { Handle, House } from '#server/house.ts'
import { ProblemError } from '#server/problem.ts'

const free = { account: 5, address: 50, everybody: 2000 }

export interface Tried {
  account: Limit
  others: Limit[]
}

/** Accounts that do not exist are counted under their name like all others; a hash, because people type passwords there. */
export function triedBy(companyCode: string, email: string, address: string): Tried {
  const name = createHash('sha256')
    .update(`${foldText(companyCode)}:${foldText(email)}`)
    .digest('base64url')
  return {
    account: { subject: `account ${name}`, free: free.account },
    others: everybodyAt(address),
  }
}

const everybodyAt = (address: string): Limit[] => [
  { subject: `address ${address.slice(0, 60)}`, free: free.address },
  { subject: 'everybody', free: free.everybody },
]

/** Guesses at a second factor count by themselves: a right password before each of them must not wipe them out (S-31). */
export function factorTriedBy(userId: number, address: string): Tried {
  return { account: { subject: `factor ${userId}`, free: free.account }, others: everybodyAt(address) }
}

/** Counts the attempt before the password is looked at. Throws RATE_LIMITED with the wait, and counts nothing then. */
export async function reserve(house: House, tried: Tried, now: number): Promise<void> {
  const waitMs = await inScope(house, { role: 'portal_system' }, (db) =>
    reserveAttempt(db, [tried.account, ...tried.others], now),
  )
  if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(waitMs / 1000))
}

/** The password was right. Needs portal_system. */
export const forgive = (db: Handle, tried: Tried, now: number): Promise<void> =>
  forgiveAttempt(db, tried.account.subject, tried.others, now)
