/**
 * Addresses that a browser opens by itself, with no token in a header: made for somebody who may see the thing, and good for one
 * look within a short time, by a session that stands and a user who still may (D64, D65, decision 71).
 */
import { randomBytes } from 'node:crypto'
import { may } from '#domain/access.ts'
import { requestPrint } from '#contract/payments.ts'
import { exportPriceList } from '#contract/prices.ts'
import { requestLog } from '#contract/services.ts'
import type { TicketKind } from '#server/db/tables/tables.ts'
import type { Handle } from '#server/db/handle.ts'
import { callerOfSession } from '#server/db/accounts/tokens.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { countTickets, insertTicket, takeTicket, type Ticket } from '#server/db/accounts/tickets.ts'
import type { ServiceContext, AppContext } from '#server/context.ts'
import { notFound, ProblemError } from '#server/problem-error.ts'

type Issued = Exclude<TicketKind, 'confirm'>
/** In ms. */
const life: Record<Issued, number> = { price: 5 * 60_000, print: 60_000, log: 5 * 60_000 }
/** What one user may have waiting to be opened, of each kind (S-25). */
const most = 30

/**
 * Answers the key, 256 bits. `companyId`: whose thing it shows, where that is not the caller's own company. The caller has been
 * found to be allowed it. Throws RATE_LIMITED.
 */
export async function issueTicket(
  { db, caller, sessionId, now }: Pick<ServiceContext, 'db' | 'caller' | 'sessionId' | 'now'>,
  { kind, subject, companyId = caller.companyId }: { kind: Issued; subject: unknown; companyId?: number },
): Promise<string> {
  const { userId } = caller
  if ((await countTickets(db, kind, userId, now)) >= most)
    throw new ProblemError('RATE_LIMITED', null, Math.ceil(life[kind] / 1000))
  const key = randomBytes(32).toString('base64url')
  const owner = { user_id: userId, company_id: companyId, session_id: sessionId }
  await insertTicket(db, key, { kind, ...owner, subject, until: now + life[kind] })
  return key
}

/** Who may hold a ticket: the right is looked up again when it is opened. */
const issuedBy = { price: exportPriceList, print: requestPrint, log: requestLog } as const

/**
 * Uses the ticket up. Null: it was used, is over or never was; the session that made it has ended; its user may no longer. What
 * is being sent when a session ends is sent to its end. Needs portal_system.
 */
export async function openTicket(db: Handle, kind: Issued, key: string, now: number): Promise<Ticket | null> {
  const ticket = await takeTicket(db, kind, key, now)
  if (!ticket?.session_id) return null
  const caller = await callerOfSession(db, ticket.session_id, now)
  return caller && may(issuedBy[kind].who, caller) ? ticket : null
}

/** Throws NOT_FOUND where `openTicket` finds none. */
export async function redeemTicket(app: AppContext, kind: Issued, key: string): Promise<Ticket> {
  const now = app.clock()
  const ticket = await inTransaction(app, { role: 'portal_system' }, (db) => openTicket(db, kind, key, now))
  if (!ticket) throw notFound()
  return ticket
}
