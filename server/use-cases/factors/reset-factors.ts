/** Removes the factors of a user who has lost all of them. An admin or the operator does this after they have verified who the user is. */
import type { RowRef } from '#contract/endpoint.ts'
import type { getUserFactors } from '#contract/factors.ts'
import type { Caller } from '#domain/access.ts'
import { normaliseText } from '#domain/text.ts'
import { type UserCredential, findCredentialByUserId, findCredential } from '#server/db/accounts/credentials.ts'
import { deleteFactors, listFactors } from '#server/db/accounts/factors.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runForCompany, writeAsSystem } from '#server/db/transaction.ts'
import { endAllSessions } from '#server/db/accounts/tokens.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { type FactorRequest, runFactorChange } from '#server/use-cases/factors/factors.ts'
import { getFactorRequirement } from '#server/use-cases/factors/mfa-token.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import { splitUsername } from '#server/use-cases/sessions/sign-in.ts'
import { requireColleague, createUserNotFoundError } from '#server/use-cases/accounts/users.ts'

export const readColleagueFactors: UseCase<typeof getUserFactors> = async ({ db, caller }, { params }) => {
  const user = await requireColleague(db, caller, params.id)
  const credential = await findCredentialByUserId(db, user.id)
  if (!credential) throw createUserNotFoundError()
  return { body: { factors: (await listFactors(db, user.id)).length, required: getFactorRequirement(credential) } }
}

/** Throws USER_NOT_EXIST, SELF_FORBIDDEN, and MFA_EXPIRED if the admin's identity was not verified. */
export async function resetColleagueFactors(
  app: AppContext,
  request: FactorRequest,
  { caller, id }: { caller: Caller; id: RowRef },
) {
  const { companyId } = caller
  const user = await runForCompany(app, { companyId }, (db) => requireColleague(db, caller, id))
  await runFactorChange(app, request, async (db) => {
    const credential = await findCredentialByUserId(db, user.id)
    if (!credential) throw createUserNotFoundError()
    await deleteAllFactors(db, credential, { now: app.clock(), byUserId: caller.userId, requestId: request.requestId })
  })
  announceEndedSessions(app)
  const eventFields = { user: caller.userId, tenant: companyId, about: user.id, request: request.requestId }
  logSecurityEvent(app.log, 'second_factor_reset', eventFields)
}

/** `username` is `company:e-mail`. Returns the number of deleted factors, or null if there is no such user. */
export async function resetFactorsByOperator(app: AppContext, username: string): Promise<number | null> {
  const { companyCode, email } = splitUsername(username)
  return writeAsSystem(app, async (db) => {
    const credential = await findCredential(db, companyCode.toLowerCase(), normaliseText(email))
    return credential && deleteAllFactors(db, credential, { now: app.clock(), byUserId: null, requestId: 'operator' })
  })
}

interface ResetOptions {
  now: number
  /** The admin who resets the factors, or null for the operator. */
  byUserId: number | null
  requestId: string
}

/**
 * Returns the number of deleted factors. If there were any, ends all sessions, because a person who found the lost phone may have one. The
 * password stays.
 */
async function deleteAllFactors(
  db: DatabaseHandle,
  credential: UserCredential,
  { now, byUserId, requestId }: ResetOptions,
): Promise<number> {
  const { userId, companyId, companyName, userName } = credential
  const deletedCount = await deleteFactors(db, credential)
  if (deletedCount === 0) return 0
  await endAllSessions(db, userId, now, 'reset')
  await requestMail(db, { companyId, now }, { mail: 'factor-reset', userId })
  const info = { CompanyName: companyName, UserName: userName, UserId: userId, Field: 'second factor' }
  await addAuditEntries(db, { companyId, userId: byUserId, now, status: 0, intent: null, requestId }, [
    { code: 'user', operation: 'reset', info },
  ])
  return deletedCount
}
