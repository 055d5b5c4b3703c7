/** Where a user is signed in, and ending it: by themselves, or all of it by an admin of the company (S-46). */
import type { Caller } from '#domain/access.ts'
import { timestampIn } from '#domain/time.ts'
import type { endUserSessions, SessionRow } from '#contract/sessions.ts'
import { inScope } from '#server/db/scope.ts'
import { endSessionOf, type OwnSession, openSessionsOf } from '#server/db/sessions.ts'
import { endSessionsOf } from '#server/db/tokens.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { Context, Handle, House, Service } from '#server/house.ts'
import { securityEvent } from '#server/log.ts'
import { notFound } from '#server/problem.ts'
import { deviceWords, networkOf } from '#server/services/device-words.ts'
import { colleagueOf } from '#server/services/users.ts'

/** Says to every node that sessions have ended, so that their sockets close at once. */
export const sessionsChannel = 'portal_sessions'
export const tellEnded = ({ database }: House): void =>
  void database.announce(sessionsChannel, '').catch(() => undefined)

/** More are shown to nobody; all of them can be ended together. */
const mostShown = 100

/** Who asks, and by which of their sessions. */
export interface Asker {
  caller: Caller
  sessionId: string | null
  requestId: string
}

const ownRows = <T>(house: House, { companyId }: Caller, work: (db: Handle) => Promise<T>) =>
  inScope(house, { role: 'portal_app', companyId }, work)

export async function ownSessions(house: House, { caller, sessionId }: Asker): Promise<SessionRow[]> {
  const found = await ownRows(house, caller, (db) => openSessionsOf(db, caller.userId, house.clock(), mostShown))
  const rows = found.map((row) => rowOf(house, row, sessionId))
  return rows.toSorted((a, b) => Number(b.current) - Number(a.current))
}

const rowOf = ({ config }: House, row: OwnSession, sessionId: string | null): SessionRow => ({
  id: row.id,
  ...deviceWords(row.user_agent),
  network: networkOf(row.address),
  create_time: timestampIn(config.timeZone, row.create_time),
  last_time: timestampIn(config.timeZone, row.last_time),
  current: row.id === sessionId,
})

/** Throws NOT_FOUND for what is no open session of the caller's: another's, an ended one, none. */
export async function endOne(house: House, asker: Asker, id: string): Promise<void> {
  const now = house.clock()
  const { caller } = asker
  await ownRows(house, caller, async (db) => {
    if (!(await endSessionOf(db, { userId: caller.userId, id, now, why: 'ended' }))) throw notFound()
    await note(db, asker, now)
  })
  told(house, asker)
}

export async function endOthers(house: House, asker: Asker): Promise<void> {
  const now = house.clock()
  const { caller, sessionId } = asker
  await ownRows(house, caller, async (db) => {
    await endSessionsOf(db, caller.userId, now, 'ended', sessionId)
    await note(db, asker, now)
  })
  told(house, asker)
}

const note = (db: Handle, { caller: { userId, companyId }, requestId }: Asker, now: number) =>
  addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
    { code: 'user', operation: 'update', info: { UserId: userId, Field: 'sessions' } },
  ])

function told(house: House, { caller: { userId, companyId }, requestId }: Asker): void {
  tellEnded(house)
  securityEvent(house.log, 'sessions ended', { user: userId, tenant: companyId, about: userId, request: requestId })
}

/** Oneself is signed out by oneself. */
export const endAll: Service<typeof endUserSessions> = async (context: Context, { params }) => {
  const { db, house, caller, now, requestId } = context
  const user = await colleagueOf(db, caller, params.id)
  await endSessionsOf(db, user.id, now, 'admin')
  context.left('user', user.id, user.row_version)
  await context.note({
    code: 'user',
    operation: 'update',
    info: { CompanyName: user.company_name, UserName: user.name, UserId: user.id, Field: 'sessions' },
  })
  context.whenDone(() => tellEnded(house))
  const about = { user: caller.userId, tenant: caller.companyId, about: user.id, request: requestId }
  securityEvent(house.log, 'sessions ended', about)
  return { status: 204, body: null }
}
