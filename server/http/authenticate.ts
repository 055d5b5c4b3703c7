/**
 * Who asks. The bearer header alone says so, never a cookie (K-02), and the user's flags and status are read with every
 * request (S-44, S-52): what an admin takes away is gone with the next call.
 */
import { type Caller, isAllowed } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { UnauthorizedDetails } from '#contract/accounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { findTokenByAccessHash, markAccessUsed, type PresentedToken } from '#server/db/accounts/tokens.ts'
import { runSingleStatement, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { createForbiddenProblem, ProblemError } from '#server/problems/problem-error.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

export interface Principal {
  caller: Caller | null
  sessionId: string | null
  /** What was wrong with the token that came along; thrown where a caller is needed. */
  problem: ProblemError | null
}

export const anonymousPrincipal: Principal = { caller: null, sessionId: null, problem: null }

const bearerShape = /^Bearer ([\w.~+/=-]{1,200})$/i

/** The token of the header; null where there is none. */
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
  return { caller: token.caller, sessionId: token.sessionId, problem: null }
}

/** Once for each token that another was exchanged for: its parent is then good for ten more seconds (decision 69). */
async function recordFirstUse(app: AppContext, { tokenId, parentId, accessUsed }: PresentedToken): Promise<void> {
  if (parentId === null || accessUsed !== null) return
  await writeAsSystem(app, (db) => markAccessUsed(db, tokenId, app.clock()))
}

function findTokenProblem(token: PresentedToken | null, now: number): 'UNAUTHORIZED' | 'TOKENEXPIRED' | null {
  if (!token || token.ended !== null || token.endTime <= now) return 'UNAUTHORIZED'
  if (token.status !== userStatus.activated) return 'UNAUTHORIZED'
  return token.accessUntil <= now ? 'TOKENEXPIRED' : null
}

/** Its time is over, and nobody took it away (decision 83). */
const hasSessionExpired = (token: PresentedToken | null, now: number) =>
  token !== null && token.ended === null && token.status === userStatus.activated && token.endTime <= now

const createRefusedPrincipal = (code: 'UNAUTHORIZED' | 'TOKENEXPIRED', isSessionExpired = false): Principal => ({
  ...anonymousPrincipal,
  problem: new ProblemError(code, isSessionExpired ? ({ why: 'lapsed' } satisfies UnauthorizedDetails) : null),
})

export const getSubject = (caller: Caller) => `${caller.companyId}:${caller.userId}`

/** Throws where nobody is signed in. */
export function requireCaller(principal: Principal): Caller {
  if (principal.caller) return principal.caller
  throw principal.problem ?? new ProblemError('UNAUTHORIZED')
}

/** A call made for another subject is refused before anything happens (protocol 10). */
export function checkForUser(principal: Principal, forUser: string | undefined): void {
  if (forUser === undefined || principal.caller === null) return
  if (forUser !== getSubject(principal.caller)) throw new ProblemError('WRONG_SESSION')
}

export function checkPermission(endpoint: Endpoint, principal: Principal): void {
  if (!isAllowed(endpoint.access, principal.caller)) throw createForbiddenProblem()
}
