/**
 * Limits the calls per user and company. Reads are counted too, so that nobody can block the database for others (decision 70). Each node
 * counts in memory.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, isAllowed } from '#domain/access.ts'
import { signOut } from '#contract/accounts.ts'
import { parseBearer } from '#server/http/authenticate.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'
import { createRequestShare, scaleShare, type ShareLimits } from '#server/shares/request-shares.ts'

export interface CallShares {
  /**
   * Runs before the token is read from the database. Throws RATE_LIMITED if the token was refused before and its user or company is still
   * over the limit.
   */
  checkToken(request: FastifyRequest): void
  claim(request: FastifyRequest, reply: FastifyReply): void
}

type Subject = Pick<Caller, 'userId' | 'companyId'>

const maxTokens = 10_000
/** Size of a body in bytes that is counted as one more call, because parsing it blocks the only thread. */
const bytesPerCall = 20_000
const retryAfterSeconds = 2

function getCallCost({ headers, routeOptions }: FastifyRequest): number {
  // Streamed bodies are not parsed as a whole and have their own limits.
  if (routeOptions.config.isStreamed) return 1
  const bytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity
  return 1 + Math.min(bytes, inputLimits.jsonBytes) / bytesPerCall
}

export function createCallShares(
  { userCalls, companyCalls }: { userCalls: ShareLimits; companyCalls: ShareLimits },
  requestFactor: number,
): CallShares {
  const users = createRequestShare(scaleShare(userCalls, requestFactor))
  const companies = createRequestShare(scaleShare(companyCalls, requestFactor))
  /** User and company of refused tokens, by token hash. */
  const refusedSubjects = new Map<string, Subject>()

  function refuse(request: FastifyRequest, { userId, companyId }: Subject): never {
    const token = parseBearer(request.headers.authorization)
    if (token !== null) refusedSubjects.set(hashToken(token), { userId, companyId })
    for (const oldestSubject of refusedSubjects.keys()) {
      if (refusedSubjects.size <= maxTokens) break
      refusedSubjects.delete(oldestSubject)
    }
    throw new ProblemError('RATE_LIMITED', null, retryAfterSeconds)
  }

  return {
    checkToken(request) {
      const token = refusedSubjects.size === 0 ? null : parseBearer(request.headers.authorization)
      const subject = token === null ? undefined : refusedSubjects.get(hashToken(token))
      if (!subject || request.routeOptions.config.endpoint?.name === signOut.name) return
      if (users.isUsedUp(String(subject.userId)) || companies.isUsedUp(String(subject.companyId)))
        throw new ProblemError('RATE_LIMITED', null, retryAfterSeconds)
    },

    claim(request, reply) {
      const { caller } = request.principal ?? {}
      const { endpoint } = request.routeOptions.config
      // Logout is never refused.
      if (!caller || endpoint?.name === signOut.name) return
      const [user, company] = [String(caller.userId), String(caller.companyId)]
      const cost = getCallCost(request)
      if (!users.claim(user, cost)) refuse(request, caller)
      reply.raw.on('close', () => users.release(user))
      // A call without permission is refused later in any case, so it does not use the company's share.
      if (endpoint && !isAllowed(endpoint.access, caller)) return
      if (!companies.claim(company, cost)) refuse(request, caller)
      reply.raw.on('close', () => companies.release(company))
    },
  }
}
