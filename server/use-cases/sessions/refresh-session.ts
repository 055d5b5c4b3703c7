/**
 * Renewing a session (K-05 to K-11, protocol 28, decision 69). A refresh token is exchanged once. It may come back, because a
 * response was lost, two tabs asked at once, or a browser was killed before it had saved its cookies; it then gets another pair, and
 * only one of these pairs can be exchanged later. Where more than one is in use, somebody has a copy: the session ends and its
 * user is told by mail.
 */
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { UnauthorizedData } from '#contract/accounts.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import {
  addToken,
  childrenOf,
  endSession,
  findByRefresh,
  markUsed,
  type Presented,
} from '#server/db/accounts/tokens.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { type Granted, grantedOf, lifetimesOf } from '#server/use-cases/sessions/sign-in.ts'
import { childPair, hashToken, type Pair, randomPair } from '#server/use-cases/sessions/tokens.ts'

export interface Renewal {
  refresh: string
  /** The user whom the caller takes itself for; another's cookie is then left as it is. */
  expected: { userId: number; companyId: number | null } | null
  /** SHA-256 of the newest access token that the device was given, in hex; null where it says nothing of it. */
  newestAccess: string | null
  requestId: string
}

/** So long after its exchange a token may come back whatever became of its children (K-08), ms. */
const graceMs = 10_000

type Outcome = { granted: Granted } | { refused: 'UNAUTHORIZED' | 'WRONG_SESSION'; data?: UnauthorizedData }
const refused = (code: 'UNAUTHORIZED' | 'WRONG_SESSION'): Outcome => ({ refused: code })
/** Nobody took the session away: its time is over, and the device keeps what its user left there (decision 83). */
const lapsed: Outcome = { refused: 'UNAUTHORIZED', data: { why: 'lapsed' } }

export async function renewSession(app: AppContext, asked: Renewal): Promise<Granted> {
  // Thrown only behind the commit: ending a family must not be undone by the refusal that tells of it.
  const outcome = await inTransaction(app, { role: 'portal_system' }, (db) => renew(db, app, asked))
  if ('granted' in outcome) return outcome.granted
  // A family that was used twice has ended, and its sockets with it.
  tellEnded(app)
  notifyJobs(app)
  securityEvent(app.log, 'refresh refused', { request: asked.requestId, code: outcome.refused })
  throw new ProblemError(outcome.refused, outcome.data)
}

async function renew(db: Handle, app: AppContext, asked: Renewal): Promise<Outcome> {
  const now = app.clock()
  const held = await findByRefresh(db, hashToken(asked.refresh))
  if (!held || held.ended !== null) return refused('UNAUTHORIZED')
  if (!isExpected(held, asked.expected)) return refused('WRONG_SESSION')
  const isActivated = held.status === userStatus.activated
  if (held.endTime <= now) return isActivated ? lapsed : refused('UNAUTHORIZED')
  if (!isActivated) {
    await endSession(db, held.sessionId, now, 'refused')
    return refused('UNAUTHORIZED')
  }
  const siblings = held.parentId === null ? [] : await childrenOf(db, held.sessionId, held.parentId)
  if (siblings.some(({ id, used }) => id !== held.tokenId && used !== null)) return endFamily(db, app, held, asked, now)
  if (held.used === null) {
    if (held.refreshUntil <= now) return lapsed
    return exchange(db, app, held, childPair(app.config.tokenKey, held.caller.userId, asked.refresh), now)
  }
  const children = await childrenOf(db, held.sessionId, held.tokenId)
  if (isStolen(children, held.used, asked.newestAccess, now)) return endFamily(db, app, held, asked, now)
  // The idle end is that of the pair that may have been lost.
  if (children.every(({ refresh_until: until }) => until <= now)) return lapsed
  return exchange(db, app, held, randomPair(held.caller.userId), now)
}

/** Whether a token that was exchanged before has come back from somebody else than whoever uses what it was exchanged for. */
function isStolen(
  children: Awaited<ReturnType<typeof childrenOf>>,
  exchanged: number,
  newestAccess: string | null,
  now: number,
): boolean {
  if (children.some(({ used }) => used !== null)) return true
  const presented = children.filter(({ access_used: at }) => at !== null)
  if (presented.length === 0 || now - exchanged <= graceMs) return false
  // A browser that was killed comes back without its newest cookies, but knows what it was given.
  return !presented.some(({ access_hash: hash }) => hash === newestAccess)
}

const isExpected = ({ caller }: Presented, expected: Renewal['expected']) =>
  expected === null ||
  (expected.userId === caller.userId && (expected.companyId === null || expected.companyId === caller.companyId))

async function exchange(db: Handle, app: AppContext, held: Presented, pair: Pair, now: number): Promise<Outcome> {
  const { userId, companyId, companyCode } = held.caller
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
  await askMail(db, { companyId, now }, { mail: 'session-copied', userId })
  securityEvent(app.log, 'token reused', { user: userId, tenant: companyId, request: asked.requestId })
  return refused('UNAUTHORIZED')
}
