/** Resets a forgotten password by a link in a mail (portal 5, S-35 to S-38). */
import { deleteCalendarFeed } from '#server/db/orders/calendar-feeds.ts'
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import { checkForgottenPassword } from '#domain/accounts/passwords.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { type UserCredential, lockIfAccountOpen, storePasswordHash } from '#server/db/accounts/credentials.ts'
import { findKeyHolder, spendKey, spendAllKeys } from '#server/db/accounts/one-time-keys.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { endAllSessions } from '#server/db/accounts/tokens.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail, countMails } from '#server/use-cases/mail/request-mail.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'
import { forgiveAllGuesses } from '#server/use-cases/sessions/sign-in-limits.ts'

const createInvalidLinkError = () => new ProblemError('INVALID_RESETPWD_LINK')

/**
 * Requests the mail with the link. The user is looked up when the mail is built, so neither the response nor its duration reveals whether
 * the user exists (S-32). Throws VALIDATION_ERROR, and RATE_LIMITED, which is counted by the typed address and by the caller's network.
 */
export async function requestPasswordReset(
  app: AppContext,
  { companyCode, email }: { companyCode: string; email: string },
  { address }: { address: string },
): Promise<void> {
  const problems = checkForgottenPassword({ companyCode, userEmail: email })
  if (problems.length > 0) throw createValidationProblem(problems)
  const now = app.clock()
  await writeAsSystem(app, async (db) => {
    await countMails(db, { email, sender: { network: address }, now })
    await requestMail(db, { companyId: 0, now }, { mail: 'reset', companyCode, email })
  })
  notifyJobs(app)
}

/** Returns the credential of the user who got the link. Throws INVALID_RESETPWD_LINK. */
export async function readResetCredential(app: AppContext, key: string): Promise<UserCredential> {
  const credential = await writeAsSystem(app, (db) => findKeyHolder(db, key, 'reset', app.clock()))
  if (!credential || credential.status < userStatus.deactivated) throw createInvalidLinkError()
  return credential
}

/**
 * Sets the password, ends all sessions and spends all other links, but does not sign in (S-38). An account that is not activated stays so,
 * because this link was not sent to activate it. Throws INVALID_RESETPWD_LINK, VALIDATION_ERROR and WEAK_PASSWORD.
 */
export async function resetPassword(
  app: AppContext,
  input: { key: string; password: string; requestId: string },
): Promise<void> {
  const now = app.clock()
  const credential = await readResetCredential(app, input.key)
  requireGoodPassword('pwd', input.password, credential)
  const passwordHash = await hashPassword(input.password, app.config.argon2)
  const { userId, companyId, companyCode, email, userName } = credential
  await writeAsSystem(app, async (db) => {
    if (!(await spendKey(db, input.key, now)) || !(await lockIfAccountOpen(db, userId))) throw createInvalidLinkError()
    await storePasswordHash(db, userId, passwordHash)
    await endAllSessions(db, userId, now, 'password')
    await spendAllKeys(db, userId, now)
    // A person who had the old password may know the address of the calendar feed.
    await deleteCalendarFeed(db, userId)
    // A user who was locked out by another person's guesses can sign in again (S-30).
    await forgiveAllGuesses(db, companyCode, email, now)
    await requestMail(db, { companyId, now }, { mail: 'password-changed', userId })
    await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId: input.requestId }, [
      { code: 'user', operation: 'update', info: { UserName: userName, Field: 'password' } },
    ])
  })
  notifyJobs(app)
  announceEndedSessions(app)
  logSecurityEvent(app.log, 'password_reset', { user: userId, tenant: companyId, request: input.requestId })
}
