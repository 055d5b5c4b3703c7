/**
 * Addresses that a browser opens by itself, with no token in a header: made for somebody who may see the thing, and good for one
 * browser within a short time, while the session stands and its user still may (D64, D65, decisions 71 and 73).
 */
import { randomBytes } from 'node:crypto'
import { isAllowed } from '#domain/access.ts'
import { requestPrint } from '#contract/payments.ts'
import { exportPriceList } from '#contract/prices.ts'
import { requestLog } from '#contract/services.ts'
import type { TicketKind } from '#server/db/tables/tables.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findCallerOfSession } from '#server/db/accounts/tokens.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import {
  countTickets,
  releaseTicket,
  insertTicket,
  peekTicket,
  claimTicket,
  type TicketRecord,
} from '#server/db/accounts/tickets.ts'
import type { UseCaseContext, AppContext } from '#server/context/context.ts'
import {
  createNotFoundProblem,
  ProblemError,
  createUnavailableProblem,
  requireRow,
} from '#server/problems/problem-error.ts'

type IssuedTicketKind = Exclude<TicketKind, 'confirm'>
/** In ms. */
const lifetimesMs: Record<IssuedTicketKind, number> = { price: 5 * 60_000, print: 60_000, log: 5 * 60_000 }
/** What one user may have waiting to be opened, of each kind (S-25). */
const maxOpenTickets = 30

/**
 * Answers the key, 256 bits. `companyId`: whose thing it shows, where that is not the caller's own company. The caller has been
 * found to be allowed it. Throws RATE_LIMITED.
 */
export async function issueTicket(
  { db, caller, sessionId, now }: Pick<UseCaseContext, 'db' | 'caller' | 'sessionId' | 'now'>,
  { kind, subject, companyId = caller.companyId }: { kind: IssuedTicketKind; subject: unknown; companyId?: number },
): Promise<string> {
  const { userId } = caller
  if ((await countTickets(db, kind, userId, now)) >= maxOpenTickets)
    throw new ProblemError('RATE_LIMITED', null, Math.ceil(lifetimesMs[kind] / 1000))
  const key = randomBytes(32).toString('base64url')
  const owner = { user_id: userId, company_id: companyId, session_id: sessionId }
  await insertTicket(db, key, { kind, ...owner, subject, until: now + lifetimesMs[kind] })
  return key
}

/** Who may hold a ticket: the right is looked up again when it is opened. */
const endpointsByKind = { price: exportPriceList, print: requestPrint, log: requestLog } as const

/** The request that opens a ticket. */
export interface TicketRequest {
  app: AppContext
  /** What only this browser sends; null: there is no telling. */
  browser: string | null
  /** It is a browser's guess: nobody has asked to see anything yet. */
  isPrefetch: boolean
  /** Runs `action` if the response does not arrive completely, or is a failure of the server. */
  onUndelivered: (action: () => Promise<void>) => void
}

/**
 * Uses the ticket up, unless the response does not arrive. Null: it was used by another browser or more than a minute ago, is over
 * or never was; the session that made it has ended; its user may no longer. What is being sent when a session ends is sent to its
 * end. Throws UNAVAILABLE for a prefetch: the browser asks again when its user does. Needs portal_system.
 */
export async function openTicket(
  db: DatabaseHandle,
  kind: IssuedTicketKind,
  key: string,
  { app, browser, isPrefetch, onUndelivered }: TicketRequest,
): Promise<TicketRecord | null> {
  if (isPrefetch) throw createUnavailableProblem(1)
  const now = app.clock()
  const ticket = await keepIfAllowed(db, await claimTicket(db, kind, key, { now, browser }), now)
  if (ticket) onUndelivered(() => writeAsSystem(app, (transaction) => releaseTicket(transaction, kind, key, now)))
  return ticket
}

/** Throws NOT_FOUND where `openTicket` finds none. */
export async function redeemTicket(request: TicketRequest, kind: IssuedTicketKind, key: string): Promise<TicketRecord> {
  const { app } = request
  const ticket = requireRow(await writeAsSystem(app, (db) => openTicket(db, kind, key, request)))
  return ticket
}

/** For HEAD: uses nothing up. Throws NOT_FOUND where the ticket would open nothing. */
export async function checkTicket(app: AppContext, kind: IssuedTicketKind, key: string): Promise<void> {
  const now = app.clock()
  const ticket = await writeAsSystem(app, async (db) => keepIfAllowed(db, await peekTicket(db, kind, key, now), now))
  if (!ticket) throw createNotFoundProblem()
}

async function keepIfAllowed(
  db: DatabaseHandle,
  ticket: TicketRecord | null,
  now: number,
): Promise<TicketRecord | null> {
  const caller = ticket?.session_id ? await findCallerOfSession(db, ticket.session_id, now) : null
  return ticket && caller && isAllowed(endpointsByKind[ticket.kind as IssuedTicketKind].access, caller) ? ticket : null
}
