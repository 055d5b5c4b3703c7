/** Activates an account by the key of its mail, and sets a password if the account has none (S-35). */
import { userStatus } from '#domain/accounts/users.ts'
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import { findKeyHolder, spendKey, spendAllKeys } from '#server/db/accounts/one-time-keys.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { updateUser, lockUser } from '#server/db/accounts/users.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'

const createUnknownKeyError = () => new ProblemError('INVALID_ACTIVATE_KEY')

/** Returns the credential of the user who got the key. Throws NO_ACTIVATE_KEY or INVALID_ACTIVATE_KEY. */
export async function readActivationCredential(app: AppContext, key: string | undefined): Promise<UserCredential> {
  if (!key) throw new ProblemError('NO_ACTIVATE_KEY')
  const credential = await writeAsSystem(app, (db) => findKeyHolder(db, key, 'activate', app.clock()))
  if (!credential || credential.status !== userStatus.deactivated) throw createUnknownKeyError()
  return credential
}

/** If the account already has a password, ignores the sent one: access to the mailbox alone must not replace a password. */
export async function activateAccount(
  app: AppContext,
  input: { key: string | undefined; password: string | undefined; requestId: string },
): Promise<void> {
  const credential = await readActivationCredential(app, input.key)
  const password_hash = credential.passwordHash ?? (await hashChosenPassword(app, credential, input.password))
  const { userId, companyId, userName } = credential
  const now = app.clock()
  await writeAsSystem(app, async (db) => {
    if (!(await spendKey(db, input.key ?? '', now))) throw createUnknownKeyError()
    await spendAllKeys(db, userId, now)
    const user = await lockUser(db, companyId, userId)
    // The user may have been deleted while the password was hashed. A link does not restore a deleted user (portal 4).
    if (user?.status !== userStatus.deactivated) throw createUnknownKeyError()
    await updateUser(db, user, { status: userStatus.activated, password_hash, update_time: now })
    await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId: input.requestId }, [
      { code: 'user', operation: 'activate', info: { UserName: userName } },
    ])
  })
  logSecurityEvent(app.log, 'account_activated', { user: userId, tenant: companyId, request: input.requestId })
}

async function hashChosenPassword(
  app: AppContext,
  credential: UserCredential,
  password: string | undefined,
): Promise<string> {
  if (!password) throw createValidationProblem([{ field: 'password', code: 'REQUIRED' }])
  requireGoodPassword('password', password, credential)
  return hashPassword(password, app.config.argon2)
}
