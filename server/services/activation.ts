/** Activating an account by the key of its mail, with a password where none is set yet (S-35). */
import { userStatus } from '#domain/users.ts'
import type { Credential } from '#server/db/credentials.ts'
import { holderOfKey, spendKey, spendKeysOf } from '#server/db/one-time-keys.ts'
import { inScope } from '#server/db/scope.ts'
import { addToTrail } from '#server/db/trail.ts'
import { updateUser, userForUpdate } from '#server/db/users.ts'
import { securityEvent } from '#server/log.ts'
import type { House } from '#server/house.ts'
import { invalid, ProblemError } from '#server/problem.ts'
import { hashPassword } from '#server/services/hashing.ts'
import { requireGoodPassword } from '#server/services/passwords.ts'

const system = { role: 'portal_system' } as const
const unknownKey = () => new ProblemError('INVALID_ACTIVATE_KEY')

/** Throws NO_ACTIVATE_KEY and INVALID_ACTIVATE_KEY. */
export async function whoActivates(house: House, key: string | undefined): Promise<Credential> {
  if (!key) throw new ProblemError('NO_ACTIVATE_KEY')
  const holder = await inScope(house, system, (db) => holderOfKey(db, key, 'activate', house.clock()))
  if (!holder || holder.status !== userStatus.deactivated) throw unknownKey()
  return holder
}

/** A password that comes along for an account that has one is not looked at: the mail alone must not replace it. */
export async function activateAccount(
  house: House,
  asked: { key: string | undefined; password: string | undefined; requestId: string },
): Promise<void> {
  const holder = await whoActivates(house, asked.key)
  const password_hash = holder.passwordHash ?? (await hashChosen(house, holder, asked.password))
  const { userId, companyId, userName } = holder
  const now = house.clock()
  await inScope(house, system, async (db) => {
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
  securityEvent(house.log, 'account activated', { user: userId, tenant: companyId, request: asked.requestId })
}

async function hashChosen(house: House, holder: Credential, password: string | undefined): Promise<string> {
  if (!password) throw invalid([{ field: 'password', code: 'REQUIRED' }])
  requireGoodPassword('password', password, holder)
  return hashPassword(password, house.config.argon2)
}
