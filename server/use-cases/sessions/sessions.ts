/** Lists and ends sessions: users end their own sessions, and an admin of the company ends all sessions of a user (S-46). */
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import type { endUserSessions, SessionRow } from '#contract/sessions.ts'
import type { Caller } from '#domain/access.ts'
import { toTimestamp } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { deletePushDevicesOfSession } from '#server/db/notifications/push-devices.ts'
import { runForCompany } from '#server/db/transaction.ts'
import { endOwnSession, listOpenSessions, type SessionSummary } from '#server/db/accounts/sessions.ts'
import { endAllSessions } from '#server/db/accounts/tokens.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { parseUserAgent, maskAddress } from '#server/use-cases/sessions/user-agent.ts'
import { requireColleague } from '#server/use-cases/accounts/users.ts'
import { findUserById } from '#server/db/accounts/users.ts'

/** Maximum number of listed sessions. Ending all sessions also ends those that are not listed. */
const maxSessions = 100

export interface SessionCaller {
  caller: Caller
  sessionId: string | null
  requestId: string
}

export async function listOwnSessions(app: AppContext, { caller, sessionId }: SessionCaller): Promise<SessionRow[]> {
  const sessions = await runForCompany(app, caller, (db) =>
    listOpenSessions(db, caller.userId, app.clock(), maxSessions),
  )
  const rows = sessions.map((row) => toSessionRow(app, row, sessionId))
  return rows.toSorted((a, b) => Number(b.current) - Number(a.current))
}

const toSessionRow = ({ config }: AppContext, row: SessionSummary, sessionId: string | null): SessionRow => ({
  id: row.id,
  ...parseUserAgent(row.user_agent),
  network: maskAddress(row.address),
  create_time: toTimestamp(config.timeZone, row.create_time),
  last_time: toTimestamp(config.timeZone, row.last_time),
  current: row.id === sessionId,
})

/** Throws NOT_FOUND if the id is not that of an open session of the caller. */
export async function endSessionById(app: AppContext, sessionCaller: SessionCaller, id: string): Promise<void> {
  const now = app.clock()
  const { caller } = sessionCaller
  await runForCompany(app, caller, async (db) => {
    if (!(await endOwnSession(db, { userId: caller.userId, id, now, reason: 'ended' }))) throw createNotFoundProblem()
    await deletePushDevicesOfSession(db, id)
    await recordEndedSessions(db, sessionCaller, now)
  })
  announceOwnEnd(app, sessionCaller)
}

export async function endAllOtherSessions(app: AppContext, sessionCaller: SessionCaller): Promise<void> {
  const now = app.clock()
  const { caller, sessionId } = sessionCaller
  await runForCompany(app, caller, async (db) => {
    await endAllSessions(db, caller.userId, now, 'ended', sessionId)
    await recordEndedSessions(db, sessionCaller, now)
  })
  announceOwnEnd(app, sessionCaller)
}

async function recordEndedSessions(
  db: DatabaseHandle,
  { caller: { userId, companyId }, requestId }: SessionCaller,
  now: number,
): Promise<void> {
  const user = await findUserById(db, companyId, userId)
  const userInfo = { CompanyName: user?.company_name, UserName: user?.name, UserId: userId }
  await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
    { code: 'user', operation: 'update', info: { ...userInfo, Field: 'sessions' } },
  ])
}

function announceOwnEnd(app: AppContext, { caller: { userId, companyId }, requestId }: SessionCaller): void {
  announceEndedSessions(app)
  logSecurityEvent(app.log, 'sessions_ended', { user: userId, tenant: companyId, about: userId, request: requestId })
}

/** Throws USER_NOT_EXIST, and SELF_FORBIDDEN for the admin's own account. */
export const endSessionsByAdmin: UseCase<typeof endUserSessions> = async (context: UseCaseContext, { params }) => {
  const { db, app, caller, now, requestId } = context
  const user = await requireColleague(db, caller, params.id)
  await endAllSessions(db, user.id, now, 'admin')
  context.setResultRow('user', user.id, user.row_version)
  await context.audit({
    code: 'user',
    operation: 'update',
    info: { CompanyName: user.company_name, UserName: user.name, UserId: user.id, Field: 'sessions' },
  })
  context.afterCommit(() => announceEndedSessions(app))
  const eventFields = { user: caller.userId, tenant: caller.companyId, about: user.id, request: requestId }
  logSecurityEvent(app.log, 'sessions_ended', eventFields)
  return { status: 204, body: null }
}
