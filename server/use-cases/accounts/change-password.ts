/** Changing the own password (S-38, S-39, S-48): the original one is asked for, and all other sessions end. */
import { endFeed } from '#server/db/orders/calendar-feeds.ts'
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import type { Caller } from '#domain/access.ts'
import { credentialOf, stillHolds, storeHash } from '#server/db/accounts/credentials.ts'
import { spendKeysOf } from '#server/db/accounts/one-time-keys.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { endSessionsOf } from '#server/db/accounts/tokens.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { securityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { hashPassword, withPlace, verifyPassword } from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { requireGoodPassword } from '#server/use-cases/accounts/password-policy.ts'
import { forgive, reserve, triedBy } from '#server/use-cases/sessions/sign-in-limits.ts'

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

export async function changeOwnPassword(app: AppContext, { userId, companyId }: Caller, asked: PasswordChange) {
  const now = app.clock()
  const held = await inTransaction(app, system, (db) => credentialOf(db, userId))
  if (!held?.passwordHash) throw wrong()
  const { passwordHash } = held
  // A stolen access token must not be a way around the limit on guesses.
  const tried = triedBy(held.companyCode, held.email, { address: asked.address, isKnown: true })
  const hashed = await withPlace({ kind: 'known', userId }, async (place) => {
    const cost = app.config.argon2
    await reserve(app, tried, now, place)
    if (!(await verifyPassword(passwordHash, asked.original, { cost, place }))) throw wrong()
    await inTransaction(app, system, (db) => forgive(db, tried, now))
    if (asked.original.normalize('NFC') === asked.chosen.normalize('NFC')) throw new ProblemError('PASSWORD_UNCHANGE')
    requireGoodPassword('newPwd', asked.chosen, held)
    return hashPassword(asked.chosen, cost, place)
  })
  await inTransaction(app, system, async (db) => {
    if (!(await stillHolds(db, userId, passwordHash))) throw wrong()
    await storeHash(db, userId, hashed)
    await endSessionsOf(db, userId, now, 'password', asked.sessionId)
    await spendKeysOf(db, userId, now)
    // Whoever had the old password may have read its address.
    await endFeed(db, userId)
    await askMail(db, { companyId, now }, { mail: 'password-changed', userId })
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: asked.requestId }, [
      { code: 'user', operation: 'update', info: { UserName: held.userName, Field: 'password' } },
    ])
  })
  notifyJobs(app)
  tellEnded(app)
  securityEvent(app.log, 'password changed', { user: userId, tenant: companyId, request: asked.requestId })
}
