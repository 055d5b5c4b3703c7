/**
 * Somebody has lost every factor and all recovery codes: an admin of their company, or the operator, who know who they are,
 * takes the factors away. Who must have a factor sets one up at the next sign-in.
 */
import type { Id } from '#contract/endpoint.ts'
import type { getUserFactors } from '#contract/factors.ts'
import type { Caller } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import { type Credential, credentialOf, findCredential } from '#server/db/accounts/credentials.ts'
import { deleteFactors, factorsOf } from '#server/db/accounts/factors.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { endSessionsOf } from '#server/db/accounts/tokens.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { type Asking, change } from '#server/use-cases/factors/factors.ts'
import { requirementOf } from '#server/use-cases/factors/mfa-token.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import { splitUsername } from '#server/use-cases/sessions/sign-in.ts'
import { colleagueOf, userNotFound } from '#server/use-cases/accounts/users.ts'

export const factorsOfColleague: UseCase<typeof getUserFactors> = async ({ db, caller }, { params }) => {
  const user = await colleagueOf(db, caller, params.id)
  const who = await credentialOf(db, user.id)
  if (!who) throw userNotFound()
  return { body: { factors: (await factorsOf(db, user.id)).length, required: requirementOf(who) } }
}

/** Repeated it changes nothing. Throws USER_NOT_EXIST, SELF_FORBIDDEN, and MFA_EXPIRED where the admin has not proved themselves. */
export async function resetColleague(app: AppContext, asking: Asking, { caller, id }: { caller: Caller; id: Id }) {
  const { companyId } = caller
  const user = await inTransaction(app, { role: 'portal_app', companyId }, (db) => colleagueOf(db, caller, id))
  await change(app, asking, async (db) => {
    const who = await credentialOf(db, user.id)
    if (!who) throw userNotFound()
    await takeAway(db, who, { now: app.clock(), by: caller.userId, requestId: asking.requestId })
  })
  tellEnded(app)
  const about = { user: caller.userId, tenant: companyId, about: user.id, request: asking.requestId }
  securityEvent(app.log, 'second factor reset', about)
}

/** `username` is `company:e-mail`. Answers how many factors went; null: there is no such user. */
export async function forgetFactors(app: AppContext, username: string): Promise<number | null> {
  const { companyCode, email } = splitUsername(username)
  return inTransaction(app, { role: 'portal_system' }, async (db) => {
    const who = await findCredential(db, companyCode.toLowerCase(), foldText(email))
    return who && takeAway(db, who, { now: app.clock(), by: null, requestId: 'operator' })
  })
}

interface Deed {
  now: number
  /** Null: the operator. */
  by: number | null
  requestId: string
}

/** Ends all sessions, because whoever found the lost phone may have one; the password stays. */
async function takeAway(db: Handle, who: Credential, { now, by, requestId }: Deed): Promise<number> {
  const { userId, companyId, companyName, userName } = who
  const gone = await deleteFactors(db, who)
  if (gone === 0) return 0
  await endSessionsOf(db, userId, now, 'reset')
  await askMail(db, { companyId, now }, { mail: 'factor-reset', userId })
  const info = { CompanyName: companyName, UserName: userName, UserId: userId, Field: 'second factor' }
  await addToTrail(db, { companyId, userId: by, now, status: 0, intent: null, requestId }, [
    { code: 'user', operation: 'reset', info },
  ])
  return gone
}
