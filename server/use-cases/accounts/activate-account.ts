/** Activating an account by the key of its mail, with a password where none is set yet (S-35). */
import { userStatus } from '#domain/accounts/users.ts'
import type { Credential } from '#server/db/accounts/credentials.ts'
import { holderOfKey, spendKey, spendKeysOf } from '#server/db/accounts/one-time-keys.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { updateUser, userForUpdate } from '#server/db/accounts/users.ts'
import { securityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'

const system = { role: 'portal_system' } as const
const unknownKey = () => new ProblemError('INVALID_ACTIVATE_KEY')

/** Throws NO_ACTIVATE_KEY and INVALID_ACTIVATE_KEY. */
export async function whoActivates(app: AppContext, key: string | undefined): Promise<Credential> {
  if (!key) throw new ProblemError('NO_ACTIVATE_KEY')
  const holder = await inTransaction(app, system, (db) => holderOfKey(db, key, 'activate', app.clock()))
  if (!holder || holder.status !== userStatus.deactivated) throw unknownKey()
  return holder
}

/** A password that comes along for an account that has one is not looked at: the mail alone must not replace it. */
export async function activateAccount(
  app: AppContext,
  asked: { key: string | undefined; password: string | undefined; requestId: string },
): Promise<void> {
  const holder = await whoActivates(app, asked.key)
  const password_hash = holder.passwordHash ?? (await hashChosen(app, holder, asked.password))
  const { userId, companyId, userName } = holder
  const now = app.clock()
  await inTransaction(app, system, async (db) => {
    if (!(await spendKey(db, asked.key ?? '', now))) throw unknownKey()
    await spendKeysOf(db, userId, now)
    const before = await userForUpdate(db, companyId, userId)
    // Deleted while the password was being hashed: a link brings nobody back (portal 4).
    if (before?.status !== userStatus.deactivated) throw unknownKey()
    await updateUser(db, before, { status: userStatus.activated, password_hash, update_time: now })
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: asked.requestId }, [
      { code: 'user', operation: 'activate', info: { UserName: userName } },
    ])
  })
  securityEvent(app.log, 'account activated', { user: userId, tenant: companyId, request: asked.requestId })
}

async function hashChosen(app: AppContext, holder: Credential, password: string | undefined): Promise<string> {
  if (!password) throw invalid([{ field: 'password', code: 'REQUIRED' }])
  requireGoodPassword('password', password, holder)
  return hashPassword(password, app.config.argon2)
}
