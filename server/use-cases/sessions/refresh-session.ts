/**
 * Renews a session (K-05 to K-11, protocol 28, decision 69). A refresh token is exchanged once for a pair of tokens. If it arrives again,
 * because a response was lost, two tabs renewed at the same time or a browser was killed, it gets another pair, and only one of the pairs
 * can be exchanged later. If more than one pair is in use, somebody has a copy: the session ends, and its user gets a mail.
 */
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { UnauthorizedDetails } from '#contract/accounts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import {
  addToken,
  listChildTokens,
  endSession,
  findTokenByRefreshHash,
  markTokenUsed,
  type PresentedToken,
} from '#server/db/accounts/tokens.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { type SessionGrant, buildGrant, getLifetimes } from '#server/use-cases/sessions/sign-in.ts'
import { deriveChildPair, hashToken, type TokenPair, createRandomPair } from '#server/use-cases/sessions/tokens.ts'

export interface RenewalInput {
  refresh: string
  /** The user that the client assumes, or null if unknown. A token of another user is refused (WRONG_SESSION) and left unchanged. */
  expectedUser: { userId: number; companyId: number | null } | null
  /** SHA-256 of the newest access token on the device, in hex. Null if the client did not send it. */
  newestAccess: string | null
  requestId: string
}

/** Time in ms after its exchange in which a token may arrive again, even if the new access token was already used (K-08). */
const graceMs = 10_000

type RenewalOutcome =
  | { sessionGrant: SessionGrant }
  | { refusal: 'UNAUTHORIZED' | 'WRONG_SESSION'; data?: UnauthorizedDetails }
const createRefusal = (code: 'UNAUTHORIZED' | 'WRONG_SESSION'): RenewalOutcome => ({ refusal: code })
/** The outcome if the session expired and was not revoked: the device then keeps the user's data (decision 83). */
const expiredOutcome: RenewalOutcome = { refusal: 'UNAUTHORIZED', data: { why: 'lapsed' } }

export async function renewSession(app: AppContext, input: RenewalInput): Promise<SessionGrant> {
  // The refusal is thrown after the commit, so that it does not roll back the end of the session.
  const outcome = await writeAsSystem(app, (db) => renewInTransaction(db, app, input))
  if ('sessionGrant' in outcome) return outcome.sessionGrant
  // If a reused token has ended the session, its sockets must be closed too.
  announceEndedSessions(app)
  notifyJobs(app)
  logSecurityEvent(app.log, 'refresh_refused', { request: input.requestId, code: outcome.refusal })
  throw new ProblemError(outcome.refusal, outcome.data)
}

async function renewInTransaction(db: DatabaseHandle, app: AppContext, input: RenewalInput): Promise<RenewalOutcome> {
  const now = app.clock()
  const presentedToken = await findTokenByRefreshHash(db, hashToken(input.refresh))
  if (!presentedToken || presentedToken.ended !== null) return createRefusal('UNAUTHORIZED')
  if (!isExpected(presentedToken, input.expectedUser)) return createRefusal('WRONG_SESSION')
  const isActivated = presentedToken.status === userStatus.activated
  if (presentedToken.endTime <= now) return isActivated ? expiredOutcome : createRefusal('UNAUTHORIZED')
  if (!isActivated) {
    await endSession(db, presentedToken.sessionId, now, 'refused')
    return createRefusal('UNAUTHORIZED')
  }
  const siblings =
    presentedToken.parentId === null ? [] : await listChildTokens(db, presentedToken.sessionId, presentedToken.parentId)
  if (siblings.some(({ id, used }) => id !== presentedToken.tokenId && used !== null))
    return endFamily(db, app, presentedToken, input, now)
  if (presentedToken.used === null) {
    if (presentedToken.refreshUntil <= now) return expiredOutcome
    return exchangeToken(
      db,
      app,
      presentedToken,
      deriveChildPair(app.config.tokenKey, presentedToken.caller.userId, input.refresh),
      now,
    )
  }
  const children = await listChildTokens(db, presentedToken.sessionId, presentedToken.tokenId)
  if (isStolen(children, presentedToken.used, input.newestAccess, now))
    return endFamily(db, app, presentedToken, input, now)
  // The session is idle until the last of the new pairs expires, even if that pair was lost.
  if (children.every(({ refresh_until: until }) => until <= now)) return expiredOutcome
  return exchangeToken(db, app, presentedToken, createRandomPair(presentedToken.caller.userId), now)
}

/** Whether a token that was already exchanged was sent by somebody who has a copy of it. */
function isStolen(
  children: Awaited<ReturnType<typeof listChildTokens>>,
  exchangedAt: number,
  newestAccess: string | null,
  now: number,
): boolean {
  if (children.some(({ used }) => used !== null)) return true
  const presentedTokens = children.filter(({ access_used: accessUsed }) => accessUsed !== null)
  if (presentedTokens.length === 0 || now - exchangedAt <= graceMs) return false
  // A browser that was killed returns without its newest cookies, but knows the newest access token.
  return !presentedTokens.some(({ access_hash: hash }) => hash === newestAccess)
}

/** A device whose session acts for a customer names that company. */
const isExpected = ({ caller, actingCompanyId }: PresentedToken, expectedUser: RenewalInput['expectedUser']) =>
  expectedUser === null ||
  (expectedUser.userId === caller.userId &&
    (expectedUser.companyId === null || [caller.companyId, actingCompanyId].includes(expectedUser.companyId)))

async function exchangeToken(
  db: DatabaseHandle,
  app: AppContext,
  presentedToken: PresentedToken,
  tokens: TokenPair,
  now: number,
): Promise<RenewalOutcome> {
  const { userId, companyId, companyCode } = presentedToken.caller
  // Neither time is later than the absolute end of the session (K-06).
  const refreshUntil = Math.min(now + getLifetimes(app, companyCode).idleSeconds * 1000, presentedToken.endTime)
  const accessUntil = Math.min(now + app.config.lifetimes.accessSeconds * 1000, presentedToken.endTime)
  await markTokenUsed(db, presentedToken, now)
  await addToken(db, {
    session_id: presentedToken.sessionId,
    user_id: userId,
    company_id: companyId,
    refresh_hash: hashToken(tokens.refresh),
    access_hash: hashToken(tokens.access),
    parent_id: presentedToken.tokenId,
    create_time: now,
    access_until: accessUntil,
    refresh_until: refreshUntil,
  })
  return { sessionGrant: buildGrant(tokens, userId, accessUntil, refreshUntil, now) }
}

async function endFamily(
  db: DatabaseHandle,
  app: AppContext,
  presentedToken: PresentedToken,
  input: RenewalInput,
  now: number,
): Promise<RenewalOutcome> {
  const { userId, companyId } = presentedToken.caller
  await endSession(db, presentedToken.sessionId, now, 'reuse')
  await addAuditEntries(db, { companyId, userId, now, status: -1, intent: null, requestId: input.requestId }, [
    { code: 'user', operation: 'login', info: { UserName: presentedToken.userName, Reason: 'token reused' } },
  ])
  await requestMail(db, { companyId, now }, { mail: 'session-copied', userId })
  logSecurityEvent(app.log, 'token_reused', { user: userId, tenant: companyId, request: input.requestId })
  return createRefusal('UNAUTHORIZED')
}
