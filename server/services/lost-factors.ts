/**
 * Somebody has lost every factor and all recovery codes: an admin of their company, or the operator, who know who they are,
 * takes the factors away. Who must have a factor sets one up at the next sign-in.
 */
import type { Caller } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import type { Id } from '#contract/endpoint.ts'
import type { getUserFactors } from '#contract/factors.ts'
import { type Credential, credentialOf, findCredential } from '#server/db/credentials.ts'
import { deleteFactors, factorsOf } from '#server/db/factors.ts'
import { inScope } from '#server/db/scope.ts'
import { endSessionsOf } from '#server/db/tokens.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { Handle, House, Service } from '#server/house.ts'
import { securityEvent } from '#server/log.ts'
import { type Asking, change } from '#server/services/factors.ts'
import { askMail } from '#server/services/mails.ts'
import { tellEnded } from '#server/services/sessions.ts'
import { splitUsername } from '#server/services/sign-in.ts'
import { colleagueOf, userNotFound } from '#server/services/users.ts'

export const factorsOfColleague: Service<typeof getUserFactors> = async ({ db, caller }, { params }) => {
  const user = await colleagueOf(db, caller, params.id)
  return { body: { factors: (await factorsOf(db, user.id)).length } }
}

/** Repeated it changes nothing. Throws USER_NOT_EXIST, SELF_FORBIDDEN, and MFA_EXPIRED where the admin has not proved themselves. */
export async function resetColleague(house: House, asking: Asking, { caller, id }: { caller: Caller; id: Id }) {
  const { companyId } = caller
  const user = await inScope(house, { role: 'portal_app', companyId }, (db) => colleagueOf(db, caller, id))
  await change(house, asking, async (db) => {
    const who = await credentialOf(db, user.id)
    if (!who) throw userNotFound()
    await takeAway(db, who, { now: house.clock(), by: caller.userId, requestId: asking.requestId })
  })
  tellEnded(house)
  const about = { user: caller.userId, tenant: companyId, about: user.id, request: asking.requestId }
  securityEvent(house.log, 'second factor reset', about)
}

/** `username` is `company:e-mail`. Answers how many factors went; null: there is no such user. */
export async function forgetFactors(house: House, username: string): Promise<number | null> {
  const { companyCode, email } = splitUsername(username)
  return inScope(house, { role: 'portal_system' }, async (db) => {
    const who = await findCredential(db, companyCode.toLowerCase(), foldText(email))
    return who && takeAway(db, who, { now: house.clock(), by: null, requestId: 'operator' })
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
