/** Tickets: 256 bits, only their hash is kept, each opens one thing once (D64, D65). */
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
    .values({ ...ticket, hash: hashOf(key), subject: JSON.stringify(subject), used: null })
    .execute()
}

/** Of two who come with it at once, one is given it. Needs portal_system. */
export async function takeTicket(db: Handle, kind: TicketKind, key: string, now: number): Promise<Ticket | null> {
  const taken = await db
    .updateTable('ticket')
    .set({ used: now })
    .where('hash', '=', hashOf(key))
    .where('kind', '=', kind)
    .where('used', 'is', null)
    .where('until', '>', now)
    .returning(['kind', 'user_id', 'company_id', 'session_id', 'subject'])
    .executeTakeFirst()
  return taken ?? null
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
    .values({ ...ticket, hash: hashOf(key), subject: JSON.stringify(subject), used: now })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('hash')
    .executeTakeFirst()
  return burnt !== undefined
}
