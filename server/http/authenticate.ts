/**
 * Authenticates a request by its bearer header, never by a cookie (K-02). Flags and status of the user are read with every request (S-44,
 * S-52), so that revoked rights end with the next call.
 */
import { type Caller, environments, isAllowed, isProviderAdmin } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { UnauthorizedDetails } from '#contract/accounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { actingCalls } from '#contract/staff/acting-calls.ts'
import { isActingChange } from '#contract/staff/acting-changes.ts'
import type { ConsentOfSession } from '#server/db/accounts/acting-consents.ts'
import { findTokenByAccessHash, markAccessUsed, type PresentedToken } from '#server/db/accounts/tokens.ts'
import { runSingleStatement, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { createForbiddenProblem, ProblemError } from '#server/problems/problem-error.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

export interface Principal {
  caller: Caller | null
  sessionId: string | null
  /** The user of the session, who is not the caller while the session acts for a customer (decision 111). */
  sessionUser: Caller | null
  /** Problem of the presented token, thrown if the call needs a caller. Null without a problem. */
  problem: ProblemError | null
}

export const anonymousPrincipal: Principal = { caller: null, sessionId: null, sessionUser: null, problem: null }

const bearerShape = /^Bearer ([\w.~+/=-]{1,200})$/i

export const parseBearer = (authorization: string | undefined): string | null =>
  bearerShape.exec(authorization ?? '')?.[1] ?? null

export async function authenticate(app: AppContext, authorization: string | undefined): Promise<Principal> {
  if (!/^Bearer\b/i.test(authorization ?? '')) return anonymousPrincipal
  const accessToken = parseBearer(authorization)
  if (accessToken === null) return createRefusedPrincipal('UNAUTHORIZED')
  const token = await runSingleStatement(app, (db) => findTokenByAccessHash(db, hashToken(accessToken)))
  const problemCode = findTokenProblem(token, app.clock())
  if (problemCode || !token)
    return createRefusedPrincipal(problemCode ?? 'UNAUTHORIZED', hasSessionExpired(token, app.clock()))
  await recordFirstUse(app, token)
  const { caller: sessionUser, sessionId, consent } = token
  if (consent === null) return { caller: sessionUser, sessionId, sessionUser, problem: null }
  // A session whose consent is over is not silently its user's own again: the next write was meant for the customer.
  const caller = createActingCaller(token, consent, app.clock())
  return { caller, sessionId, sessionUser, problem: caller ? null : new ProblemError('ACTING_ENDED') }
}

/**
 * Returns the caller of a session that acts for a customer: the staff's user with the rights of the admin who gave the consent. Checked
 * with every request. Returns null if the consent is over or the user may no longer act.
 */
function createActingCaller(
  { caller: sessionUser, userName }: PresentedToken,
  consent: ConsentOfSession,
  now: number,
): Caller | null {
  if (!isProviderAdmin(sessionUser) || !consent.isGiverAdmin) return null
  if (consent.ended !== null || consent.until <= now) return null
  return {
    userId: sessionUser.userId,
    companyId: consent.companyId,
    companyCode: consent.companyCode,
    admin: true,
    order: consent.giverOrders,
    accessLevel: environments.production,
    actingConsent: {
      consentId: consent.id,
      staffCompanyId: sessionUser.companyId,
      staffCompanyCode: sessionUser.companyCode,
      staffName: userName,
      until: consent.until,
      allowsChanges: consent.allowsChanges,
    },
  }
}

/** Returns the principal without acting, for the call that ends it. */
export const toSessionUserPrincipal = (principal: Principal): Principal =>
  principal.sessionUser ? { ...principal, caller: principal.sessionUser, problem: null } : principal

/** Records the first use of a token that was refreshed. A later use of its parent may then be treated as theft (decision 69). */
async function recordFirstUse(app: AppContext, { tokenId, parentId, accessUsed }: PresentedToken): Promise<void> {
  if (parentId === null || accessUsed !== null) return
  await writeAsSystem(app, (db) => markAccessUsed(db, tokenId, app.clock()))
}

function findTokenProblem(token: PresentedToken | null, now: number): 'UNAUTHORIZED' | 'TOKENEXPIRED' | null {
  if (!token || token.ended !== null || token.endTime <= now) return 'UNAUTHORIZED'
  if (token.status !== userStatus.activated) return 'UNAUTHORIZED'
  return token.accessUntil <= now ? 'TOKENEXPIRED' : null
}

/** Returns true if the session of an active user ended by time and was not revoked (decision 83). */
const hasSessionExpired = (token: PresentedToken | null, now: number) =>
  token !== null && token.ended === null && token.status === userStatus.activated && token.endTime <= now

const createRefusedPrincipal = (code: 'UNAUTHORIZED' | 'TOKENEXPIRED', isSessionExpired = false): Principal => ({
  ...anonymousPrincipal,
  problem: new ProblemError(code, isSessionExpired ? ({ why: 'lapsed' } satisfies UnauthorizedDetails) : null),
})

export const getSubject = (caller: Caller) => `${caller.companyId}:${caller.userId}`

/** Throws UNAUTHORIZED or the token's problem if nobody is signed in. */
export function requireCaller(principal: Principal): Caller {
  if (principal.caller) return principal.caller
  throw principal.problem ?? new ProblemError('UNAUTHORIZED')
}

/** Throws WRONG_SESSION if the call was made for a user who is not the caller. Nothing is executed in that case (protocol 10). */
export function checkForUser(principal: Principal, forUser: string | undefined): void {
  if (forUser === undefined || principal.caller === null) return
  if (forUser !== getSubject(principal.caller)) throw new ProblemError('WRONG_SESSION')
}

/** Throws FORBIDDEN, or ACTING_READ_ONLY for a call that is not allowed while acting for a customer. */
export function checkPermission(endpoint: Endpoint, principal: Principal): void {
  const consent = principal.caller?.actingConsent
  const isAllowedActing = actingCalls.has(endpoint.name) || (consent?.allowsChanges && isActingChange(endpoint.name))
  if (consent && !isAllowedActing) throw new ProblemError('ACTING_READ_ONLY')
  if (!isAllowed(endpoint.access, principal.caller)) throw createForbiddenProblem()
}
