/** Changes the caller's password (S-38, S-39, S-48). Requires the current password, and ends all other sessions. */
import { deleteCalendarFeed } from '#server/db/orders/calendar-feeds.ts'
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import type { Caller } from '#domain/access.ts'
import { findCredentialByUserId, lockIfPasswordCurrent, storePasswordHash } from '#server/db/accounts/credentials.ts'
import { spendAllKeys } from '#server/db/accounts/one-time-keys.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { endAllSessions } from '#server/db/accounts/tokens.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword, withQueuePosition, verifyPassword } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'
import { forgiveGuesses, reserveGuess, getPasswordLimits } from '#server/use-cases/sessions/sign-in-limits.ts'

export interface PasswordChange {
  originalPassword: string
  newPassword: string
  sessionId: string | null
  address: string
  requestId: string
}

const createWrongPasswordError = () => new ProblemError('INVALID_ORG_PASSWORD')

export async function changeOwnPassword(app: AppContext, { userId, companyId }: Caller, input: PasswordChange) {
  const now = app.clock()
  const credential = await writeAsSystem(app, (db) => findCredentialByUserId(db, userId))
  if (!credential?.passwordHash) throw createWrongPasswordError()
  const { passwordHash } = credential
  // The limit on password guesses applies here too, so that a stolen access token cannot bypass it.
  const guessLimits = getPasswordLimits(credential.companyCode, credential.email, {
    address: input.address,
    isKnown: true,
  })
  const newPasswordHash = await withQueuePosition({ kind: 'known', userId }, async (position) => {
    const cost = app.config.argon2
    await reserveGuess(app, guessLimits, now, position)
    if (!(await verifyPassword(passwordHash, input.originalPassword, { cost, position })))
      throw createWrongPasswordError()
    await writeAsSystem(app, (db) => forgiveGuesses(db, guessLimits, now))
    if (input.originalPassword.normalize('NFC') === input.newPassword.normalize('NFC'))
      throw new ProblemError('PASSWORD_UNCHANGE')
    requireGoodPassword('newPwd', input.newPassword, credential)
    return hashPassword(input.newPassword, cost, position)
  })
  await writeAsSystem(app, async (db) => {
    if (!(await lockIfPasswordCurrent(db, userId, passwordHash))) throw createWrongPasswordError()
    await storePasswordHash(db, userId, newPasswordHash)
    await endAllSessions(db, userId, now, 'password', input.sessionId)
    await spendAllKeys(db, userId, now)
    // A person who had the old password may know the address of the calendar feed.
    await deleteCalendarFeed(db, userId)
    await requestMail(db, { companyId, now }, { mail: 'password-changed', userId })
    await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId: input.requestId }, [
      { code: 'user', operation: 'update', info: { UserName: credential.userName, Field: 'password' } },
    ])
  })
  notifyJobs(app)
  announceEndedSessions(app)
  logSecurityEvent(app.log, 'password_changed', { user: userId, tenant: companyId, request: input.requestId })
}
