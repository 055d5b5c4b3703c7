/** Rows of disputes about payments. Needs the system role. */
import { type Insertable, sql, type Updateable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { selectGroupCodes } from '#server/db/payments/payment-groups.ts'
import type { DisputeTable } from '#server/db/tables/refund-tables.ts'

const selectDisputes = (db: DatabaseHandle) =>
  db
    .selectFrom('dispute as s')
    .innerJoin('payment as p', 'p.id', 's.payment_id')
    .innerJoin('company as c', 'c.id', 's.company_id')
    .leftJoin('service_order as o', 'o.id', 'p.order_id')
    .leftJoin('backup_order as b', 'b.id', 'p.backup_order_id')
    .leftJoin('traffic as m', 'm.id', 'p.traffic_id')
    .selectAll('s')
    .select([
      'p.reference as payment_reference',
      'c.code as company_code',
      'c.name as company_name',
      sql<string>`coalesce(${selectGroupCodes(sql.ref('p.group_id'))}, o.code, b.service_code, m.service_code)`.as(
        'code',
      ),
      sql<string[]>`array(select d.code from document d
        where d.kind = 'invoice' and d.method = p.gateway and d.reference = p.reference order by d.id)`.as('invoices'),
    ])

/** A dispute with its payment and the numbers of its invoices. `code` is the service code, or the codes of a group's services. */
export type DisputeRecord = Awaited<ReturnType<ReturnType<typeof selectDisputes>['executeTakeFirstOrThrow']>>

export const findDispute = (db: DatabaseHandle, id: number): Promise<DisputeRecord | null> =>
  findRow(selectDisputes(db).where('s.id', '=', id))

export const listDisputesOfPayment = (db: DatabaseHandle, paymentId: number): Promise<DisputeRecord[]> =>
  selectDisputes(db).where('s.payment_id', '=', paymentId).orderBy('s.id').execute()

/** Returns whether the bank may take the money back. Nothing is refunded meanwhile, because the money could leave twice. */
export const hasOpenDispute = (disputes: readonly Pick<DisputeRecord, 'state' | 'is_inquiry'>[]): boolean =>
  disputes.some(({ state, is_inquiry }) => state === 'open' && !is_inquiry)

/** Those of a payment or of all, sorted by the time until which the staff may respond. */
export const listOpenDisputes = (db: DatabaseHandle, paymentId?: number): Promise<DisputeRecord[]> =>
  selectDisputes(db)
    .where('s.state', '=', 'open')
    .$if(paymentId !== undefined, (query) => query.where('s.payment_id', '=', paymentId ?? 0))
    .orderBy(sql`s.respond_by nulls last`)
    .orderBy('s.id')
    .execute()

/** Interval of the checks of an open dispute, ms. */
export const disputeCheckMs = 3_600_000

interface DisputedPayment {
  gateway: string
  payment_reference: string
}

/** Claims open disputes that are due and returns their payments. The next check is an hour later, also after a failure. */
export async function claimDueDisputes(db: DatabaseHandle, now: number, limit: number): Promise<DisputedPayment[]> {
  const { rows } = await sql<DisputedPayment>`
    update dispute as s set next_look = ${now}::bigint + ${disputeCheckMs}
    from payment as p
    where p.id = s.payment_id and s.id in (
      select id from dispute where state = 'open' and next_look <= ${now} order by next_look limit ${limit}
      for update skip locked)
    returning p.gateway, p.reference as payment_reference`.execute(db)
  return rows
}

export const hasDueDispute = (db: DatabaseHandle, now: number): Promise<boolean> =>
  hasRow(db.selectFrom('dispute').select('id').where('state', '=', 'open').where('next_look', '<=', now).limit(1))

/** Schedules a check of all open disputes for now, on request of the staff. */
export async function scheduleAllDisputes(db: DatabaseHandle, now: number): Promise<void> {
  await db.updateTable('dispute').set({ next_look: now }).where('state', '=', 'open').execute()
}

export async function insertDispute(db: DatabaseHandle, dispute: Insertable<DisputeTable>): Promise<number> {
  const { id } = await db.insertInto('dispute').values(dispute).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateDispute(db: DatabaseHandle, id: number, fields: Updateable<DisputeTable>): Promise<void> {
  await db.updateTable('dispute').set(fields).where('id', '=', id).execute()
}
