/**
 * Who asks. The bearer header alone says so, never a cookie (K-02), and the user's flags and status are read with every
 * request (S-44, S-52): what an admin takes away is gone with the next call.
 */
import { type Caller, may } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { UnauthorizedData } from '#contract/accounts.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { findByAccess, markAccessUsed, type Presented } from '#server/db/accounts/tokens.ts'
import { atOnce, inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { forbidden, ProblemError } from '#server/problems/problem-error.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

export interface Principal {
  caller: Caller | null
  sessionId: string | null
  /** What was wrong with the token that came along; thrown where a caller is needed. */
  problem: ProblemError | null
}

export const anonymous: Principal = { caller: null, sessionId: null, problem: null }

const bearerShape = /^Bearer ([\w.~+/=-]{1,200})$/i

/** The token of the header; null where there is none. */
export const bearerOf = (authorization: string | undefined): string | null =>
  bearerShape.exec(authorization ?? '')?.[1] ?? null

export async function principalOf(app: AppContext, authorization: string | undefined): Promise<Principal> {
  if (!/^Bearer\b/i.test(authorization ?? '')) return anonymous
  const token = bearerOf(authorization)
  if (token === null) return refused('UNAUTHORIZED')
  const found = await atOnce(app, (db) => findByAccess(db, hashToken(token)))
  const wrong = whatIsWrong(found, app.clock())
  if (wrong || !found) return refused(wrong ?? 'UNAUTHORIZED', hasLapsed(found, app.clock()))
  await noteFirstUse(app, found)
  return { caller: found.caller, sessionId: found.sessionId, problem: null }
}

/** Once for each token that another was exchanged for: its parent is then good for ten more seconds (decision 69). */
async function noteFirstUse(app: AppContext, { tokenId, parentId, accessUsed }: Presented): Promise<void> {
  if (parentId === null || accessUsed !== null) return
  await inTransaction(app, { role: 'portal_system' }, (db) => markAccessUsed(db, tokenId, app.clock()))
}

function whatIsWrong(found: Presented | null, now: number): 'UNAUTHORIZED' | 'TOKENEXPIRED' | null {
  if (!found || found.ended !== null || found.endTime <= now) return 'UNAUTHORIZED'
  if (found.status !== userStatus.activated) return 'UNAUTHORIZED'
  return found.accessUntil <= now ? 'TOKENEXPIRED' : null
}

/** Its time is over, and nobody took it away (decision 83). */
const hasLapsed = (found: Presented | null, now: number) =>
  found !== null && found.ended === null && found.status === userStatus.activated && found.endTime <= now

const refused = (code: 'UNAUTHORIZED' | 'TOKENEXPIRED', isLapsed = false): Principal => ({
  ...anonymous,
  problem: new ProblemError(code, isLapsed ? ({ why: 'lapsed' } satisfies UnauthorizedData) : null),
})

export const subjectOf = (caller: Caller) => `${caller.companyId}:${caller.userId}`

/** Throws where nobody is signed in. */
export function requireCaller(principal: Principal): Caller {
  if (principal.caller) return principal.caller
  throw principal.problem ?? new ProblemError('UNAUTHORIZED')
}

/** A call made for another subject is refused before anything happens (protocol 10). */
export function checkForUser(principal: Principal, forUser: string | undefined): void {
  if (forUser === undefined || principal.caller === null) return
  if (forUser !== subjectOf(principal.caller)) throw new ProblemError('WRONG_SESSION')
}

export function permit(endpoint: Endpoint, principal: Principal): void {
  if (!may(endpoint.who, principal.caller)) throw forbidden()
}
