/**
 * Who asks. The bearer header alone says so, never a cookie (K-02), and the user's flags and status are read with every
 * request (S-44, S-52): what an admin takes away is gone with the next call.
 */
import { type Caller, may } from '#domain/access.ts'
import { userStatus } from '#domain/users.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { findByAccess, type Presented } from '#server/db/tokens.ts'
import { atOnce, type Word } from '#server/db/scope.ts'
import type { House } from '#server/house.ts'
import { forbidden, ProblemError } from '#server/problem.ts'
import { hashToken } from '#server/services/tokens.ts'

export interface Visitor {
  caller: Caller | null
  sessionId: string | null
  /** What was wrong with the token that came along; thrown where a caller is needed. */
  problem: ProblemError | null
  /** When the token ends, in epoch ms. */
  until: number
  /** Not null: seen before and not looked up in this request, so every transaction has to ask first whether it still holds. */
  word: Word | null
}

export const stranger: Visitor = { caller: null, sessionId: null, problem: null, until: 0, word: null }

const bearerShape = /^Bearer ([\w.~+/=-]{1,200})$/i

/** The token of the header; null where there is none. */
export const bearerOf = (authorization: string | undefined): string | null =>
  bearerShape.exec(authorization ?? '')?.[1] ?? null

export async function visitorOf(house: House, authorization: string | undefined): Promise<Visitor> {
  if (!/^Bearer\b/i.test(authorization ?? '')) return stranger
  const token = bearerOf(authorization)
  if (token === null) return refused('UNAUTHORIZED')
  const found = await atOnce(house, (db) => findByAccess(db, hashToken(token)))
  const wrong = whatIsWrong(found, house.clock())
  if (wrong || !found) return refused(wrong ?? 'UNAUTHORIZED')
  const { caller, sessionId, accessUntil, endTime } = found
  return { caller, sessionId, problem: null, until: Math.min(accessUntil, endTime), word: null }
}

function whatIsWrong(found: Presented | null, now: number): 'UNAUTHORIZED' | 'TOKENEXPIRED' | null {
  if (!found || found.ended !== null || found.endTime <= now) return 'UNAUTHORIZED'
  if (found.status !== userStatus.activated) return 'UNAUTHORIZED'
  return found.accessUntil <= now ? 'TOKENEXPIRED' : null
}

const refused = (code: 'UNAUTHORIZED' | 'TOKENEXPIRED'): Visitor => ({ ...stranger, problem: new ProblemError(code) })

export const subjectOf = (caller: Caller) => `${caller.companyId}:${caller.userId}`

/** Throws where nobody is signed in. */
export function callerOf(visitor: Visitor): Caller {
  if (visitor.caller) return visitor.caller
  throw visitor.problem ?? new ProblemError('UNAUTHORIZED')
}

/** A call made for another subject is refused before anything happens (protocol 10). */
export function checkForUser(visitor: Visitor, forUser: string | undefined): void {
  if (forUser === undefined || visitor.caller === null) return
  if (forUser !== subjectOf(visitor.caller)) throw new ProblemError('WRONG_SESSION')
}

export function permit(endpoint: Endpoint, visitor: Visitor): void {
  if (!may(endpoint.who, visitor.caller)) throw forbidden()
}
