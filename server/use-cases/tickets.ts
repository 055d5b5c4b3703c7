/**
 * Issues and redeems tickets, with which a browser opens an address without a token in a header. A ticket works in one browser, for a short
 * time, and only while its session and the user's permission last (D64, D65, decisions 71 and 73).
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
import { ProblemError, createUnavailableProblem, requireRow } from '#server/problems/problem-error.ts'

type IssuedTicketKind = Exclude<TicketKind, 'confirm'>
/** Lifetimes of tickets in ms. */
const lifetimesMs: Record<IssuedTicketKind, number> = { price: 5 * 60_000, print: 60_000, log: 5 * 60_000 }
/** Maximum number of unopened tickets per user and kind (S-25). */
const maxOpenTickets = 30

/** Returns a 256-bit key. `companyId` is the content's company. The caller must have checked the permission. Throws RATE_LIMITED. */
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

const endpointsByKind = { price: exportPriceList, print: requestPrint, log: requestLog } as const

export interface TicketRequest {
  app: AppContext
  /** A value that only this browser sends, or null. */
  browser: string | null
  /** Whether the browser prefetches the address without a request of the user. */
  isPrefetch: boolean
  /** Runs `action` if the response does not arrive completely, or if it is a server error. */
  onUndelivered: (action: () => Promise<void>) => void
}

/**
 * Marks the ticket as used, unless the response is not delivered. Returns null if another browser used it, it was used more than a minute
 * ago, it has expired, its session has ended, or its user lost the permission. A response that has begun is sent completely. Throws
 * UNAVAILABLE for a prefetch, so that the browser sends it again for the user. Needs the role `portal_system`.
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

/** Throws NOT_FOUND if `openTicket` returns null. */
export async function redeemTicket(request: TicketRequest, kind: IssuedTicketKind, key: string): Promise<TicketRecord> {
  const { app } = request
  const ticket = requireRow(await writeAsSystem(app, (db) => openTicket(db, kind, key, request)))
  return ticket
}

/** For HEAD: does not use up the ticket. Throws NOT_FOUND if the ticket is not valid. */
export async function checkTicket(app: AppContext, kind: IssuedTicketKind, key: string): Promise<TicketRecord> {
  const now = app.clock()
  const ticket = await writeAsSystem(app, async (db) => keepIfAllowed(db, await peekTicket(db, kind, key, now), now))
  return requireRow(ticket)
}

async function keepIfAllowed(
  db: DatabaseHandle,
  ticket: TicketRecord | null,
  now: number,
): Promise<TicketRecord | null> {
  const caller = ticket?.session_id ? await findCallerOfSession(db, ticket.session_id, now) : null
  return ticket && caller && isAllowed(endpointsByKind[ticket.kind as IssuedTicketKind].access, caller) ? ticket : null
}
