/**
 * Rows of tickets: 256 bits, stored only as a hash. A ticket in a link lets one browser open one document or page (D64, D65, decision 73).
 */
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

/** Time in which the browser that used a ticket may repeat its request, in ms. */
const repeatWindowMs = 60_000

/**
 * Marks a ticket as used and returns it. Later calls get null, but the same `browser` may repeat its request for a minute. Needs
 * portal_system.
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

/** Returns an unused ticket without using it. Needs portal_system. */
export const peekTicket = (db: DatabaseHandle, kind: TicketKind, key: string, now: number) =>
  findRow(
    db
      .selectFrom('ticket')
      .select(ticketColumns)
      .where(hasValues({ hash: hashTicketKey(key), kind, used: null }))
      .where('until', '>', now),
  )

/** Makes a ticket usable again if the response to its use at time `used` was lost. Needs portal_system. */
export async function releaseTicket(db: DatabaseHandle, kind: TicketKind, key: string, used: number): Promise<void> {
  await db
    .updateTable('ticket')
    .set({ used: null, browser: null })
    .where(hasValues({ hash: hashTicketKey(key), kind, used }))
    .execute()
}

export async function countTickets(db: DatabaseHandle, kind: TicketKind, userId: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('ticket')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(hasValues({ user_id: userId, kind }))
    .where('until', '>', now)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Stores a new ticket that is already used. Returns false if the key was stored before. */
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
