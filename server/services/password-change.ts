/** Changing the own password (S-38, S-39, S-48): the original one is asked for, and all other sessions end. */
import type { Caller } from '#domain/access.ts'
import { credentialOf, stillHolds, storeHash } from '#server/db/credentials.ts'
import { spendKeysOf } from '#server/db/one-time-keys.ts'
import { inScope } from '#server/db/scope.ts'
import { endSessionsOf } from '#server/db/tokens.ts'
import { addToTrail } from '#server/db/trail.ts'
import { securityEvent } from '#server/log.ts'
import type { House } from '#server/house.ts'
import { ProblemError } from '#server/problem.ts'
import { hashPassword, verifyPassword } from '#server/services/hashing.ts'
import { ringForJobs } from '#server/services/jobs.ts'
import { askMail } from '#server/services/mails.ts'
import { requireGoodPassword } from '#server/services/passwords.ts'
import { forgive, reserve, triedBy } from '#server/services/throttle.ts'

export interface PasswordChange {
  original: string
  chosen: string
  /** The session that goes on. */
  sessionId: string | null
  address: string
  requestId: string
}

const system = { role: 'portal_system' } as const
const wrong = () => new ProblemError('INVALID_ORG_PASSWORD')

export async function changeOwnPassword(house: House, { userId, companyId }: Caller, asked: PasswordChange) {
  const now = house.clock()
  const { argon2 } = house.config
  const held = await inScope(house, system, (db) => credentialOf(db, userId))
  if (!held?.passwordHash) throw wrong()
  const { passwordHash } = held
  // A stolen access token must not be a way around the limit on guesses.
  const tried = triedBy(held.companyCode, held.email, asked.address)
  await reserve(house, tried, now)
  if (!(await verifyPassword(passwordHash, asked.original, argon2))) throw wrong()
  await inScope(house, system, (db) => forgive(db, tried, now))
  if (asked.original === asked.chosen) throw new ProblemError('PASSWORD_UNCHANGE')
  requireGoodPassword('newPwd', asked.chosen, held)
  const hashed = await hashPassword(asked.chosen, argon2)
  await inScope(house, system, async (db) => {
    if (!(await stillHolds(db, userId, passwordHash))) throw wrong()
    await storeHash(db, userId, hashed)
    await endSessionsOf(db, userId, now, 'password', asked.sessionId)
    await spendKeysOf(db, userId, now)
    await askMail(db, { companyId, now }, { mail: 'password-changed', userId })
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: asked.requestId }, [
      { code: 'user', operation: 'update', info: { UserName: held.userName, Field: 'password' } },
    ])
  })
  ringForJobs(house)
  securityEvent(house.log, 'password changed', { user: userId, tenant: companyId, request: asked.requestId })
}
