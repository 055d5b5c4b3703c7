/** A forgotten password: a link by mail, and a new password by that link (portal 5, S-35 to S-38). */
import { endFeed } from '#server/db/orders/calendar-feeds.ts'
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import { checkForgotten } from '#domain/accounts/passwords.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { type Credential, stillOpen, storeHash } from '#server/db/accounts/credentials.ts'
import { holderOfKey, spendKey, spendKeysOf } from '#server/db/accounts/one-time-keys.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { endSessionsOf } from '#server/db/accounts/tokens.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail, countMails } from '#server/use-cases/mail/request-mail.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'
import { forgiveAll } from '#server/use-cases/sessions/sign-in-limits.ts'

const system = { role: 'portal_system' } as const
const badLink = () => new ProblemError('INVALID_RESETPWD_LINK')

/**
 * Nobody is looked for here: that is done when the mail is made. So neither the answer nor the time it takes tells whether
 * there is such a user (S-32). Throws VALIDATION_ERROR for what nobody could be, and RATE_LIMITED, counted by what was typed.
 */
export async function forgetPassword(
  app: AppContext,
  { companyCode, email }: { companyCode: string; email: string },
  { address }: { address: string },
): Promise<void> {
  const problems = checkForgotten({ companyCode, userEmail: email })
  if (problems.length > 0) throw invalid(problems)
  const now = app.clock()
  await inTransaction(app, system, async (db) => {
    await countMails(db, { email, by: { network: address }, now })
    await askMail(db, { companyId: 0, now }, { mail: 'reset', companyCode, email })
  })
  notifyJobs(app)
}

/** Throws INVALID_RESETPWD_LINK. */
export async function whoResets(app: AppContext, key: string): Promise<Credential> {
  const holder = await inTransaction(app, system, (db) => holderOfKey(db, key, 'reset', app.clock()))
  if (!holder || holder.status < userStatus.deactivated) throw badLink()
  return holder
}

/**
 * Ends all sessions and all other links, and signs nobody in (S-38). An account that was not activated stays so: a link that
 * proves the mail box is not the one that was asked to activate it. Throws INVALID_RESETPWD_LINK and WEAK_PASSWORD.
 */
export async function resetPassword(
  app: AppContext,
  asked: { key: string; password: string; requestId: string },
): Promise<void> {
  const now = app.clock()
  const holder = await whoResets(app, asked.key)
  requireGoodPassword('pwd', asked.password, holder)
  const hashed = await hashPassword(asked.password, app.config.argon2)
  const { userId, companyId, companyCode, email, userName } = holder
  await inTransaction(app, system, async (db) => {
    if (!(await spendKey(db, asked.key, now)) || !(await stillOpen(db, userId))) throw badLink()
    await storeHash(db, userId, hashed)
    await endSessionsOf(db, userId, now, 'password')
    await spendKeysOf(db, userId, now)
    // Whoever had the old password may have read its address.
    await endFeed(db, userId)
    // Whoever was locked out by a stranger's guesses comes in again (S-30).
    await forgiveAll(db, companyCode, email, now)
    await askMail(db, { companyId, now }, { mail: 'password-changed', userId })
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: asked.requestId }, [
      { code: 'user', operation: 'update', info: { UserName: userName, Field: 'password' } },
    ])
  })
  notifyJobs(app)
  tellEnded(app)
  securityEvent(app.log, 'password reset', { user: userId, tenant: companyId, request: asked.requestId })
}
