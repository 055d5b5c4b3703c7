/** A forgotten password: a link by mail, and a new password by that link (portal 5, S-35 to S-38). */
import { checkForgotten } from '#domain/passwords.ts'
import { userStatus } from '#domain/users.ts'
import { stillOpen, storeHash } from '#server/db/credentials.ts'
import { holderOfKey, spendKey, spendKeysOf } from '#server/db/one-time-keys.ts'
import { inScope } from '#server/db/scope.ts'
import { endSessionsOf } from '#server/db/tokens.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { House } from '#server/house.ts'
import { securityEvent } from '#server/log.ts'
import { invalid, ProblemError } from '#server/problem.ts'
import { hashPassword } from '#server/services/hashing.ts'
import { ringForJobs } from '#server/services/jobs.ts'
import { askMail, countMails } from '#server/services/mails.ts'
import { requireGoodPassword } from '#server/services/passwords.ts'
import { forgive, triedBy } from '#server/services/throttle.ts'

const system = { role: 'portal_system' } as const
const badLink = () => new ProblemError('INVALID_RESETPWD_LINK')

/**
 * Nobody is looked for here: that is done when the mail is made. So neither the answer nor the time it takes tells whether
 * there is such a user (S-32). Throws VALIDATION_ERROR for what nobody could be, and RATE_LIMITED, counted by what was typed.
 */
export async function forgetPassword(
  house: House,
  { companyCode, email }: { companyCode: string; email: string },
  { address }: { address: string },
): Promise<void> {
  const problems = checkForgotten({ companyCode, userEmail: email })
  if (problems.length > 0) throw invalid(problems)
  const now = house.clock()
  await inScope(house, system, async (db) => {
    await countMails(db, { email, by: { network: address }, now })
    await askMail(db, { companyId: 0, now }, { mail: 'reset', companyCode, email })
  })
  ringForJobs(house)
}

/**
 * Ends all sessions and all other links, and signs nobody in (S-38). An account that was not activated stays so: a link that
 * proves the mail box is not the one that was asked to activate it. Throws INVALID_RESETPWD_LINK and WEAK_PASSWORD.
 */
export async function resetPassword(
  house: House,
  asked: { key: string; password: string; address: string; requestId: string },
): Promise<void> {
  const now = house.clock()
  const holder = await inScope(house, system, (db) => holderOfKey(db, asked.key, 'reset', now))
  if (!holder || holder.status < userStatus.deactivated) throw badLink()
  requireGoodPassword('pwd', asked.password, holder)
  const hashed = await hashPassword(asked.password, house.config.argon2)
  const { userId, companyId, companyCode, email, userName } = holder
  await inScope(house, system, async (db) => {
    if (!(await spendKey(db, asked.key, now)) || !(await stillOpen(db, userId))) throw badLink()
    await storeHash(db, userId, hashed)
    await endSessionsOf(db, userId, now, 'password')
    await spendKeysOf(db, userId, now)
    // Whoever was locked out by a stranger's guesses comes in again (S-30).
    await forgive(db, triedBy(companyCode, email, asked.address), now)
    await askMail(db, { companyId, now }, { mail: 'password-changed', userId })
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: asked.requestId }, [
      { code: 'user', operation: 'update', info: { UserName: userName, Field: 'password' } },
    ])
  })
  ringForJobs(house)
  securityEvent(house.log, 'password reset', { user: userId, tenant: companyId, request: asked.requestId })
}
