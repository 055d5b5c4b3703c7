/** Where a user is signed in, and ending it: by themselves, or all of it by an admin of the company (S-46). */
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import type { endUserSessions, SessionRow } from '#contract/sessions.ts'
import type { Caller } from '#domain/access.ts'
import { timestampIn } from '#domain/time.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { endSessionOf, openSessionsOf, type OwnSession } from '#server/db/accounts/sessions.ts'
import { endSessionsOf } from '#server/db/accounts/tokens.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { deviceWords, networkOf } from '#server/use-cases/sessions/user-agent.ts'
import { colleagueOf } from '#server/use-cases/accounts/users.ts'
import { userById } from '#server/db/accounts/users.ts'

/** More are shown to nobody; all of them can be ended together. */
const maxShown = 100

/** Who asks, and by which of their sessions. */
export interface Asker {
  caller: Caller
  sessionId: string | null
  requestId: string
}

const ownRows = <T>(app: AppContext, { companyId }: Caller, work: (db: Handle) => Promise<T>) =>
  inTransaction(app, { role: 'portal_app', companyId }, work)

export async function ownSessions(app: AppContext, { caller, sessionId }: Asker): Promise<SessionRow[]> {
  const found = await ownRows(app, caller, (db) => openSessionsOf(db, caller.userId, app.clock(), maxShown))
  const rows = found.map((row) => rowOf(app, row, sessionId))
  return rows.toSorted((a, b) => Number(b.current) - Number(a.current))
}

const rowOf = ({ config }: AppContext, row: OwnSession, sessionId: string | null): SessionRow => ({
  id: row.id,
  ...deviceWords(row.user_agent),
  network: networkOf(row.address),
  create_time: timestampIn(config.timeZone, row.create_time),
  last_time: timestampIn(config.timeZone, row.last_time),
  current: row.id === sessionId,
})

/** Throws NOT_FOUND for what is no open session of the caller's: another's, an ended one, none. */
export async function endOne(app: AppContext, asker: Asker, id: string): Promise<void> {
  const now = app.clock()
  const { caller } = asker
  await ownRows(app, caller, async (db) => {
    if (!(await endSessionOf(db, { userId: caller.userId, id, now, why: 'ended' }))) throw notFound()
    await note(db, asker, now)
  })
  told(app, asker)
}

export async function endOthers(app: AppContext, asker: Asker): Promise<void> {
  const now = app.clock()
  const { caller, sessionId } = asker
  await ownRows(app, caller, async (db) => {
    await endSessionsOf(db, caller.userId, now, 'ended', sessionId)
    await note(db, asker, now)
  })
  told(app, asker)
}

async function note(db: Handle, { caller: { userId, companyId }, requestId }: Asker, now: number): Promise<void> {
  const user = await userById(db, companyId, userId)
  const about = { CompanyName: user?.company_name, UserName: user?.name, UserId: userId }
  await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
    { code: 'user', operation: 'update', info: { ...about, Field: 'sessions' } },
  ])
}

function told(app: AppContext, { caller: { userId, companyId }, requestId }: Asker): void {
  tellEnded(app)
  securityEvent(app.log, 'sessions ended', { user: userId, tenant: companyId, about: userId, request: requestId })
}

/** Oneself is signed out by oneself. */
export const endAll: UseCase<typeof endUserSessions> = async (context: UseCaseContext, { params }) => {
  const { db, app, caller, now, requestId } = context
  const user = await colleagueOf(db, caller, params.id)
  await endSessionsOf(db, user.id, now, 'admin')
  context.setResultRow('user', user.id, user.row_version)
  await context.audit({
    code: 'user',
    operation: 'update',
    info: { CompanyName: user.company_name, UserName: user.name, UserId: user.id, Field: 'sessions' },
  })
  context.afterCommit(() => tellEnded(app))
  const about = { user: caller.userId, tenant: caller.companyId, about: user.id, request: requestId }
  securityEvent(app.log, 'sessions ended', about)
  return { status: 204, body: null }
}
