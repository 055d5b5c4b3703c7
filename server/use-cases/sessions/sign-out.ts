/** Signing out: the family ends on the server, by the bearer or by the refresh cookie alone (S-45, protocol 29). */
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { endSession, findByAccess, findByRefresh } from '#server/db/accounts/tokens.ts'
import { securityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

/** An expired access token still says whose session is to end. Throws UNAUTHORIZED where neither token is known. */
export async function endOwnSession(
  app: AppContext,
  held: { access: string | null; refresh: string | null },
  requestId: string,
): Promise<void> {
  const now = app.clock()
  const ended = await inTransaction(app, { role: 'portal_system' }, async (db) => {
    const byRefresh = held.refresh === null ? null : await findByRefresh(db, hashToken(held.refresh))
    const found = byRefresh ?? (held.access === null ? null : await findByAccess(db, hashToken(held.access)))
    if (!found || found.ended !== null) return null
    await endSession(db, found.sessionId, now, 'logout')
    return found.caller
  })
  if (!ended) throw new ProblemError('UNAUTHORIZED')
  tellEnded(app)
  securityEvent(app.log, 'logout', { user: ended.userId, tenant: ended.companyId, request: requestId })
}
