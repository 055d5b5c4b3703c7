/** Tickets: 256 bits, only their hash is kept, each opens one thing for one browser (D64, D65, decision 73). */
import type { Selectable } from 'kysely'
import { hash } from 'node:crypto'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { TicketKind, TicketTable } from '#server/db/tables/tables.ts'

const hashTicketKey = (key: string) => hash('sha256', `ticket ${key}`, 'hex')

const ticketColumns = ['kind', 'user_id', 'company_id', 'session_id', 'subject'] as const

export type TicketRecord = Pick<Selectable<TicketTable>, (typeof ticketColumns)[number]>

export async function insertTicket(
  db: DatabaseHandle,
  key: string,
  { subject, ...ticket }: TicketRecord & { until: number },
) {
  await db
    .insertInto('ticket')
    .values({ ...ticket, hash: hashTicketKey(key), subject: JSON.stringify(subject), used: null, browser: null })
    .execute()
}

/** How long the browser that used a ticket may repeat its request, ms. */
const repeatWindowMs = 60_000

/**
 * Of two who come with it at once, one is given it. The browser that used it may have it again for a minute; without a `browser`
 * there is no second time. Needs portal_system.
 */
export async function claimTicket(
  db: DatabaseHandle,
  kind: TicketKind,
  key: string,
  { now, browser }: { now: number; browser: string | null },
): Promise<TicketRecord | null> {
  const claimedTicket = await db
    .updateTable('ticket')
    .set({ used: now, browser })
    .where(hasValues({ hash: hashTicketKey(key), kind, used: null }))
    .where('until', '>', now)
    .returning(ticketColumns)
    .executeTakeFirst()
  if (claimedTicket || browser === null) return claimedTicket ?? null
  const repeatedTicket = await db
    .selectFrom('ticket')
    .select(ticketColumns)
    .where(hasValues({ hash: hashTicketKey(key), kind }))
    .where('used', '>', now - repeatWindowMs)
    .where('browser', '=', browser)
    .executeTakeFirst()
  return repeatedTicket ?? null
}

/** What `claimTicket` would give, with nothing used up. Needs portal_system. */
export const peekTicket = (db: DatabaseHandle, kind: TicketKind, key: string, now: number) =>
  findRow(
    db
      .selectFrom('ticket')
      .select(ticketColumns)
      .where(hasValues({ hash: hashTicketKey(key), kind, used: null }))
      .where('until', '>', now),
  )

/** What was used at that moment did not arrive: it can be used again until its time is over. Needs portal_system. */
export async function releaseTicket(db: DatabaseHandle, kind: TicketKind, key: string, used: number): Promise<void> {
  await db
    .updateTable('ticket')
    .set({ used: null, browser: null })
    .where(hasValues({ hash: hashTicketKey(key), kind, used }))
    .execute()
}

/** How many of that kind a user may still open. */
export async function countTickets(db: DatabaseHandle, kind: TicketKind, userId: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('ticket')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(hasValues({ user_id: userId, kind }))
    .where('until', '>', now)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A key that was never written down before is used up. False: somebody has been here with it. */
export const insertUsedTicket = (
  db: DatabaseHandle,
  key: string,
  { subject, ...ticket }: TicketRecord & { until: number },
  now: number,
) =>
  hasRow(
    db
      .insertInto('ticket')
      .values({ ...ticket, hash: hashTicketKey(key), subject: JSON.stringify(subject), used: now, browser: null })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .returning('hash'),
  )
