/** Rows of payments and invoices. They are inserted and never changed. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { columnByKind, type PayableItemRef } from '#server/db/payments/payables.ts'
import type { InvoiceTable, PaymentTable } from '#server/db/tables/order-tables.ts'

export type PaymentRecord = Selectable<PaymentTable>

export const findPayment = (db: DatabaseHandle, gateway: string, reference: string) =>
  findRow(db.selectFrom('payment').selectAll().where('gateway', '=', gateway).where('reference', '=', reference))

/** Returns the id, or null if the payment was already stored. */
export async function insertPayment(db: DatabaseHandle, payment: Insertable<PaymentTable>): Promise<number | null> {
  const insertedRow = await db
    .insertInto('payment')
    .values(payment)
    .onConflict((conflict) => conflict.constraint('payment_reference').doNothing())
    .returning('id')
    .executeTakeFirst()
  return insertedRow?.id ?? null
}

export type InvoiceSubject = { order_id: number } | { backup_order_id: number } | { traffic_id: number }

export async function insertInvoice(
  db: DatabaseHandle,
  invoice: Omit<Insertable<InvoiceTable>, 'order_id' | 'backup_order_id' | 'traffic_id'> & InvoiceSubject,
): Promise<void> {
  await db.insertInto('invoice').values(invoice).execute()
}

interface InvoiceContent {
  service: { code: string; name: string }
  currency: string
  pay_amount: string
  payment: { paid: string }
}

export async function findInvoice(
  db: DatabaseHandle,
  { kind, id }: PayableItemRef,
): Promise<{ code: string; content: InvoiceContent } | null> {
  const row = await db
    .selectFrom('invoice')
    .select(['code', 'content'])
    .where(columnByKind[kind], '=', id)
    .executeTakeFirst()
  return row ? { code: row.code, content: row.content as InvoiceContent } : null
}

export async function readSeller(db: DatabaseHandle): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ seller: Record<string, unknown> }>`select provider_company() as seller`.execute(db)
  return rows[0]?.seller ?? {}
}
