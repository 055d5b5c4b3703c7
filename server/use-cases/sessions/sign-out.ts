/** Ends a session. Its access token or its refresh cookie alone is enough (S-45, protocol 29). */
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { endSession, findTokenByAccessHash, findTokenByRefreshHash } from '#server/db/accounts/tokens.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

/** An expired access token still identifies the session to end. Throws UNAUTHORIZED if the tokens belong to no open session. */
export async function completeSignOut(
  app: AppContext,
  tokens: { access: string | null; refresh: string | null },
  requestId: string,
): Promise<void> {
  const now = app.clock()
  const endedCaller = await writeAsSystem(app, async (db) => {
    const refreshSession = tokens.refresh === null ? null : await findTokenByRefreshHash(db, hashToken(tokens.refresh))
    const session =
      refreshSession ?? (tokens.access === null ? null : await findTokenByAccessHash(db, hashToken(tokens.access)))
    if (!session || session.ended !== null) return null
    await endSession(db, session.sessionId, now, 'logout')
    return session.caller
  })
  if (!endedCaller) throw new ProblemError('UNAUTHORIZED')
  announceEndedSessions(app)
  logSecurityEvent(app.log, 'logout', { user: endedCaller.userId, tenant: endedCaller.companyId, request: requestId })
}
