/** Ends a session. Its access token or its refresh cookie alone is enough (S-45, protocol 29). */
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { endSession, findTokenByAccessHash, findTokenByRefreshHash } from '#server/db/accounts/tokens.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { logStopped, stopInTransaction } from '#server/use-cases/customers/act-for-customer.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

/** An expired access token still identifies the session to end. Throws UNAUTHORIZED if the tokens belong to no open session. */
export async function completeSignOut(
  app: AppContext,
  tokens: { access: string | null; refresh: string | null },
  requestId: string,
): Promise<void> {
  const now = app.clock()
  const ended = await writeAsSystem(app, async (db) => {
    const refreshSession = tokens.refresh === null ? null : await findTokenByRefreshHash(db, hashToken(tokens.refresh))
    const session =
      refreshSession ?? (tokens.access === null ? null : await findTokenByAccessHash(db, hashToken(tokens.access)))
    if (!session || session.ended !== null) return null
    const { caller: user, sessionId } = session
    const call = { user, sessionId, requestId }
    // The customer's trail has the end of acting too (decision 111).
    const customerId = await stopInTransaction(db, call, now)
    await endSession(db, sessionId, now, 'logout')
    return { call, customerId }
  })
  if (!ended) throw new ProblemError('UNAUTHORIZED')
  announceEndedSessions(app)
  const { call, customerId } = ended
  if (customerId !== null) logStopped(app, call, customerId)
  logSecurityEvent(app.log, 'logout', { user: call.user.userId, tenant: call.user.companyId, request: requestId })
}
