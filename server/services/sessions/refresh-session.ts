/**
 * Renewing a session (K-05 to K-11, protocol 28). A refresh token is rotated each time it is presented. Its own child is
 * answered again as long as that child was not presented itself, because the first answer may have been lost on the way;
 * anything older can only be a copy, and ends the whole family.
 */
import { tellEnded } from '#server/services/sessions/ended-sessions.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addToken, endSession, findByRefresh, findChild, markUsed, type Presented } from '#server/db/accounts/tokens.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context.ts'
import { securityEvent } from '#server/log.ts'
import { ProblemError } from '#server/problem-error.ts'
import { type Granted, grantedOf, lifetimesOf } from '#server/services/sessions/sign-in.ts'
import { childPair, hashToken } from '#server/services/sessions/tokens.ts'

export interface Renewal {
  refresh: string
  /** The user whom the caller takes itself for; another's cookie is then left as it is. */
  expected: { userId: number; companyId: number | null } | null
  requestId: string
}

type Outcome = { granted: Granted } | { refused: 'UNAUTHORIZED' | 'WRONG_SESSION' }
const refused = (code: 'UNAUTHORIZED' | 'WRONG_SESSION'): Outcome => ({ refused: code })

export async function renewSession(app: AppContext, asked: Renewal): Promise<Granted> {
  // Thrown only behind the commit: ending a family must not be undone by the refusal that tells of it.
  const outcome = await inTransaction(app, { role: 'portal_system' }, (db) => renew(db, app, asked))
  if ('granted' in outcome) return outcome.granted
  // A family that was used twice has ended, and its sockets with it.
  tellEnded(app)
  securityEvent(app.log, 'refresh refused', { request: asked.requestId, code: outcome.refused })
  throw new ProblemError(outcome.refused)
}

async function renew(db: Handle, app: AppContext, asked: Renewal): Promise<Outcome> {
  const now = app.clock()
  const held = await findByRefresh(db, hashToken(asked.refresh))
  if (!held || held.ended !== null) return refused('UNAUTHORIZED')
  if (!isExpected(held, asked.expected)) return refused('WRONG_SESSION')
  if (held.endTime <= now) return refused('UNAUTHORIZED')
  if (held.status !== userStatus.activated) {
    await endSession(db, held.sessionId, now, 'refused')
    return refused('UNAUTHORIZED')
  }
  const child = await findChild(db, held)
  if (!child) return held.refreshUntil <= now ? refused('UNAUTHORIZED') : rotate(db, app, held, asked.refresh, now)
  if (child.used !== null) return endFamily(db, app, held, asked, now)
  if (child.refresh_until <= now) return refused('UNAUTHORIZED')
  const pair = childPair(app.config.tokenKey, held.caller.userId, asked.refresh)
  return { granted: grantedOf(pair, held.caller.userId, child.access_until, child.refresh_until, now) }
}

const isExpected = ({ caller }: Presented, expected: Renewal['expected']) =>
  expected === null ||
  (expected.userId === caller.userId && (expected.companyId === null || expected.companyId === caller.companyId))

async function rotate(db: Handle, app: AppContext, held: Presented, refresh: string, now: number): Promise<Outcome> {
  const { userId, companyId, companyCode } = held.caller
  const pair = childPair(app.config.tokenKey, userId, refresh)
  // Never past the first token's absolute end (K-06).
  const refreshUntil = Math.min(now + lifetimesOf(app, companyCode).idle * 1000, held.endTime)
  const accessUntil = Math.min(now + app.config.lifetimes.access * 1000, held.endTime)
  await markUsed(db, held, now)
  await addToken(db, {
    sessionId: held.sessionId,
    userId,
    companyId,
    refreshHash: hashToken(pair.refresh),
    accessHash: hashToken(pair.access),
    parentId: held.tokenId,
    now,
    accessUntil,
    refreshUntil,
  })
  return { granted: grantedOf(pair, userId, accessUntil, refreshUntil, now) }
}

async function endFamily(db: Handle, app: AppContext, held: Presented, asked: Renewal, now: number): Promise<Outcome> {
  const { userId, companyId } = held.caller
  await endSession(db, held.sessionId, now, 'reuse')
  await addToTrail(db, { companyId, userId, now, status: -1, intent: null, requestId: asked.requestId }, [
    { code: 'user', operation: 'login', info: { UserName: held.userName, Reason: 'token reused' } },
  ])
  securityEvent(app.log, 'token reused', { user: userId, tenant: companyId, request: asked.requestId })
  return refused('UNAUTHORIZED')
}
