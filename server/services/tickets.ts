/**
 * Addresses that a browser opens by itself, with no token in a header: made for somebody who may see the thing, and good for one
 * look within a short time (D64, D65).
 */
import { randomBytes } from 'node:crypto'
import type { TicketKind } from '#server/db/tables/tables.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { countTickets, insertTicket, takeTicket, type Ticket } from '#server/db/accounts/tickets.ts'
import type { ServiceContext, AppContext } from '#server/context.ts'
import { notFound, ProblemError } from '#server/problem-error.ts'

/** In ms. */
type Issued = Exclude<TicketKind, 'confirm'>
const life: Record<Issued, number> = { price: 5 * 60_000, print: 60_000, log: 5 * 60_000 }
/** What one user may have waiting to be opened, of each kind (S-25). */
const most = 30

/**
 * Answers the key, 256 bits. `companyId`: whose thing it shows, where that is not the caller's own company. The caller has been
 * found to be allowed it. Throws RATE_LIMITED.
 */
export async function issueTicket(
  { db, caller, now }: Pick<ServiceContext, 'db' | 'caller' | 'now'>,
  { kind, subject, companyId = caller.companyId }: { kind: Issued; subject: unknown; companyId?: number },
): Promise<string> {
  const { userId } = caller
  if ((await countTickets(db, kind, userId, now)) >= most)
    throw new ProblemError('RATE_LIMITED', null, Math.ceil(life[kind] / 1000))
  const key = randomBytes(32).toString('base64url')
  await insertTicket(db, key, { kind, user_id: userId, company_id: companyId, subject, until: now + life[kind] })
  return key
}

/** Throws NOT_FOUND for what was used, is over or never was. */
export async function redeemTicket(app: AppContext, kind: Issued, key: string): Promise<Ticket> {
  const now = app.clock()
  const ticket = await inTransaction(app, { role: 'portal_system' }, (db) => takeTicket(db, kind, key, now))
  if (!ticket) throw notFound()
  return ticket
}
