/** Tickets: 256 bits, only their hash is kept, each opens one thing for one browser (D64, D65, decision 73). */
import { hash } from 'node:crypto'
import type { Handle } from '#server/db/handle.ts'
import type { TicketKind } from '#server/db/tables/tables.ts'

const hashOf = (key: string) => hash('sha256', `ticket ${key}`, 'hex')

export interface Ticket {
  kind: TicketKind
  user_id: number
  company_id: number
  session_id: string | null
  subject: unknown
}

export async function insertTicket(db: Handle, key: string, { subject, ...ticket }: Ticket & { until: number }) {
  await db
    .insertInto('ticket')
    .values({ ...ticket, hash: hashOf(key), subject: JSON.stringify(subject), used: null, browser: null })
    .execute()
}

const columns = ['kind', 'user_id', 'company_id', 'session_id', 'subject'] as const

/** How long the browser that used a ticket may repeat its request, ms. */
const repeatMs = 60_000

/**
 * Of two who come with it at once, one is given it. The browser that used it may have it again for a minute; without a `browser`
 * there is no second time. Needs portal_system.
 */
export async function takeTicket(
  db: Handle,
  kind: TicketKind,
  key: string,
  { now, browser }: { now: number; browser: string | null },
): Promise<Ticket | null> {
  const taken = await db
    .updateTable('ticket')
    .set({ used: now, browser })
    .where('hash', '=', hashOf(key))
    .where('kind', '=', kind)
    .where('used', 'is', null)
    .where('until', '>', now)
    .returning(columns)
    .executeTakeFirst()
  if (taken || browser === null) return taken ?? null
  const repeated = await db
    .selectFrom('ticket')
    .select(columns)
    .where('hash', '=', hashOf(key))
    .where('kind', '=', kind)
    .where('used', '>', now - repeatMs)
    .where('browser', '=', browser)
    .executeTakeFirst()
  return repeated ?? null
}

/** What `takeTicket` would give, with nothing used up. Needs portal_system. */
export async function peekTicket(db: Handle, kind: TicketKind, key: string, now: number): Promise<Ticket | null> {
  const found = await db
    .selectFrom('ticket')
    .select(columns)
    .where('hash', '=', hashOf(key))
    .where('kind', '=', kind)
    .where('used', 'is', null)
    .where('until', '>', now)
    .executeTakeFirst()
  return found ?? null
}

/** What was used at that moment did not arrive: it can be used again until its time is over. Needs portal_system. */
export async function giveBackTicket(db: Handle, kind: TicketKind, key: string, used: number): Promise<void> {
  await db
    .updateTable('ticket')
    .set({ used: null, browser: null })
    .where('hash', '=', hashOf(key))
    .where('kind', '=', kind)
    .where('used', '=', used)
    .execute()
}

/** How many of that kind a user may still open. */
export async function countTickets(db: Handle, kind: TicketKind, userId: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('ticket')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('until', '>', now)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A key that was never written down before is used up. False: somebody has been here with it. */
export async function burnTicket(
  db: Handle,
  key: string,
  { subject, ...ticket }: Ticket & { until: number },
  now: number,
): Promise<boolean> {
  const burnt = await db
    .insertInto('ticket')
    .values({ ...ticket, hash: hashOf(key), subject: JSON.stringify(subject), used: now, browser: null })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return burnt !== undefined
}
