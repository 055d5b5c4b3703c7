/** Rows of refunds, credit notes and invoices as documents. Needs the system role. */
import { type Insertable, sql, type Updateable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { nextCheckDelay } from '#server/db/payments/payment-attempts.ts'
import { selectGroupCodes } from '#server/db/payments/payment-groups.ts'
import type { CreditNoteTable, RefundTable } from '#server/db/tables/refund-tables.ts'

const selectRefunds = (db: DatabaseHandle) =>
  db
    .selectFrom('refund as r')
    .innerJoin('payment as p', 'p.id', 'r.payment_id')
    .innerJoin('company as c', 'c.id', 'r.company_id')
    .leftJoin('service_order as o', 'o.id', 'p.order_id')
    .leftJoin('backup_order as b', 'b.id', 'p.backup_order_id')
    .leftJoin('traffic as m', 'm.id', 'p.traffic_id')
    .leftJoin('invoice as i', 'i.id', 'r.invoice_id')
    .leftJoin('document as d', (join) => join.onRef('d.invoice_id', '=', 'r.invoice_id').on('d.kind', '=', 'invoice'))
    .leftJoin('credit_note as n', 'n.refund_id', 'r.id')
    .leftJoin('portal_user as u', 'u.id', 'r.user_id')
    .selectAll('r')
    .select([
      'p.gateway',
      'p.reference as payment_reference',
      'i.order_id',
      'i.backup_order_id',
      'i.traffic_id',
      'i.code as invoice_code',
      'd.id as document_id',
      'd.service_code',
      'n.code as credit_note_code',
      'c.code as company_code',
      'c.name as company_name',
      'u.name as user_name',
      // The staff make one refund for one invoice. One at the gateway, or a lost dispute, may be of several invoices.
      sql<string>`case when r.cause = 'staff' then r.amount else (select sum(part.amount) from refund as part
        where part.payment_id = r.payment_id and part.cause = r.cause and part.reference = r.reference) end`.as(
        'total',
      ),
      sql<string[]>`array(select i2.code from refund as part join invoice as i2 on i2.id = part.invoice_id
        where part.id = r.id or r.cause <> 'staff' and part.payment_id = r.payment_id and part.cause = r.cause
          and part.reference = r.reference order by part.id)`.as('invoice_codes'),
      sql<string>`coalesce(d.service_code, ${selectGroupCodes(sql.ref('p.group_id'))}, o.code, b.service_code,
        m.service_code)`.as('code'),
    ])

/**
 * A refund with its payment, invoice and credit note. `code` is the service code, or the codes of a group's services while the invoice is
 * unknown. `total` and `invoice_codes` are of all parts of what was refunded at once. `user_name` is the user who requested it, or who settled its task.
 */
export type RefundRecord = Awaited<ReturnType<ReturnType<typeof selectRefunds>['executeTakeFirstOrThrow']>>

export const findRefund = (db: DatabaseHandle, id: number): Promise<RefundRecord | null> =>
  findRow(selectRefunds(db).where('r.id', '=', id))

export async function getRefund(db: DatabaseHandle, id: number): Promise<RefundRecord> {
  const refund = await findRefund(db, id)
  if (!refund) throw new Error('the refund does not exist')
  return refund
}

export const listRefundsOfPayment = (db: DatabaseHandle, paymentId: number): Promise<RefundRecord[]> =>
  selectRefunds(db).where('r.payment_id', '=', paymentId).orderBy('r.id').execute()

/** Returns the refunds of an invoice, and those of its payment of which it is not known yet which invoice they are for, oldest first. */
export const listRefundsOfInvoice = (
  db: DatabaseHandle,
  { payment_id: paymentId, invoice_id: invoiceId }: { payment_id: number; invoice_id: number },
): Promise<RefundRecord[]> =>
  selectRefunds(db)
    .where('r.payment_id', '=', paymentId)
    .where(({ eb, or }) => or([eb('r.invoice_id', '=', invoiceId), eb('r.invoice_id', 'is', null)]))
    .orderBy('r.id')
    .execute()

/** Whether more was sent back than was left of the payment. Any other refund that the portal finds at a gateway is done there. */
export const isBeyondPayment = ({
  cause,
  state,
  problem,
}: Pick<RefundRecord, 'cause' | 'state' | 'problem'>): boolean =>
  cause !== 'staff' && state === 'failed' && problem === null

/**
 * Returns the refunds that are in progress, and those that the staff have not settled: failed ones, done ones with a problem, and those at a
 * gateway. Oldest first.
 */
export const listUnsettledRefunds = (db: DatabaseHandle): Promise<RefundRecord[]> =>
  selectRefunds(db)
    .where(
      sql<boolean>`r.end_time is null
        or r.seen_time is null and (r.cause <> 'staff' or r.state = 'failed' or r.problem is not null)`,
    )
    .orderBy('r.id')
    .execute()

export async function insertRefund(db: DatabaseHandle, refund: Insertable<RefundTable>): Promise<number> {
  const { id } = await db.insertInto('refund').values(refund).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function updateRefund(db: DatabaseHandle, id: number, fields: Updateable<RefundTable>): Promise<void> {
  await db.updateTable('refund').set(fields).where('id', '=', id).execute()
}

export async function insertCreditNote(db: DatabaseHandle, creditNote: Insertable<CreditNoteTable>): Promise<void> {
  await db.insertInto('credit_note').values(creditNote).execute()
}

/** Returns the numbers and keys among `names` that are known, and whether the refund is known as failed. */
export async function findKnownRefunds(db: DatabaseHandle, names: readonly string[]): Promise<Map<string, boolean>> {
  const { rows } = await sql<{ refund_key: string | null; reference: string | null; failed: boolean }>`
    select refund_key, reference, problem is not null as failed from refund
      where refund_key = any(${names}::text[]) or reference = any(${names}::text[])
    union all select refund_key, refund_reference, false from payment_task
      where refund_key = any(${names}::text[]) or refund_reference = any(${names}::text[])`.execute(db)
  return new Map(
    rows.flatMap(({ refund_key, reference, failed }) =>
      [refund_key, reference].flatMap((name) => (name === null ? [] : [[name, failed] as const])),
    ),
  )
}

export const hasDueRefund = (db: DatabaseHandle, now: number): Promise<boolean> =>
  hasRow(
    db
      .selectFrom('refund')
      .select('id')
      .where('next_look', '<=', now)
      .unionAll(db.selectFrom('payment_task').select('id').where('next_look', '<=', now))
      .limit(1),
  )

/**
 * Claims due refunds of the table and returns their ids. Also sets their next check, which takes place even if this process is killed.
 */
export async function claimDueRefunds(
  db: DatabaseHandle,
  table: 'refund' | 'payment_task',
  now: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update ${sql.table(table)}
    set looks = least(looks + 1, 30000), next_look = ${now}::bigint + ${nextCheckDelay}
    where id in (
      select id from ${sql.table(table)} where next_look <= ${now} order by next_look limit ${limit}
      for update skip locked)
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Schedules a check of all refunds that are not settled for now, on request of the staff. */
export async function scheduleAllRefunds(db: DatabaseHandle, now: number): Promise<void> {
  for (const table of ['refund', 'payment_task'] as const)
    await sql`update ${sql.table(table)} set next_look = ${now} where next_look is not null`.execute(db)
}

const selectInvoices = (db: DatabaseHandle) =>
  db
    .selectFrom('document as d')
    .innerJoin('invoice as i', 'i.id', 'd.invoice_id')
    .innerJoin('company as c', 'c.id', 'd.company_id')
    .innerJoin('payment as p', (join) =>
      join.onRef('p.gateway', '=', 'd.method').onRef('p.reference', '=', 'd.reference'),
    )
    .where('d.kind', '=', 'invoice')
    .select([
      'd.id as document_id',
      'd.company_id',
      'd.code',
      'd.invoice_id',
      'd.service_code',
      'd.currency',
      'd.amount',
      'd.refunded',
      'd.disputed',
      'i.content',
      'i.order_id',
      'i.backup_order_id',
      'i.traffic_id',
      'c.code as company_code',
      'p.id as payment_id',
      'p.gateway',
      'p.reference as payment_reference',
      'p.amount as payment_amount',
      'p.paid_at',
    ])

/** An invoice with its payment. */
export type RefundableInvoice = Awaited<ReturnType<ReturnType<typeof selectInvoices>['executeTakeFirstOrThrow']>>

export const findRefundableInvoice = (db: DatabaseHandle, documentId: number): Promise<RefundableInvoice | null> =>
  findRow(selectInvoices(db).where('d.id', '=', documentId))

export const listInvoicesOfPayment = (db: DatabaseHandle, paymentId: number): Promise<RefundableInvoice[]> =>
  selectInvoices(db).where('p.id', '=', paymentId).orderBy('d.id').execute()

/**
 * Locks all invoices of a payment until the commit and returns them by id. Every change of the refunds of an invoiced payment locks them
 * first.
 */
export const lockInvoicesOfPayment = (db: DatabaseHandle, paymentId: number): Promise<RefundableInvoice[]> =>
  selectInvoices(db).where('p.id', '=', paymentId).orderBy('d.id').forUpdate('d').execute()

interface DocumentChange {
  documentId: number
  /** Amount that was sent back in addition. */
  refunded?: string
  /** Amount by which the refunds in progress change: negative when one ends. */
  refunding?: string
  disputed?: boolean
  change: number
}

export async function updateDocument(
  db: DatabaseHandle,
  { documentId, refunded = '0.00', refunding = '0.00', disputed, change }: DocumentChange,
): Promise<void> {
  await db
    .updateTable('document')
    .set({
      refunded: sql`refunded + ${refunded}::numeric`,
      refunding: sql`refunding + ${refunding}::numeric`,
      ...(disputed === undefined ? {} : { disputed }),
      change,
      row_version: sql`row_version + 1`,
    })
    .where('id', '=', documentId)
    .execute()
}

/** Returns the attempt of a payment at a gateway, or null if the portal did not start it. */
export const findAttemptOfPayment = (
  db: DatabaseHandle,
  { gateway, payment_reference: reference }: { gateway: string; payment_reference: string },
) =>
  findRow(
    db
      .selectFrom('payment_attempt')
      .selectAll()
      .where(sql<boolean>`gateway = ${gateway}`)
      .where('gateway_id', '=', reference)
      .orderBy('id')
      .limit(1),
  )
