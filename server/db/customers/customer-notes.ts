/** Notes of the provider's staff about customers. Row-level security shows them to the provider's company only. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { CustomerNoteTable } from '#server/db/tables/customer-tables.ts'

export type CustomerNoteRecord = Selectable<CustomerNoteTable>

/** Maximum number of notes of one customer. */
export const maxCustomerNotes = 500

export const listCustomerNotes = (db: DatabaseHandle, customerId: number) =>
  db
    .selectFrom('customer_note')
    .selectAll()
    .where('customer_id', '=', customerId)
    .orderBy('id', 'desc')
    .limit(maxCustomerNotes)
    .execute()

export const lockCustomerNote = (db: DatabaseHandle, customerId: number, id: number) =>
  findRow(
    db
      .selectFrom('customer_note')
      .selectAll()
      .where(hasValues({ customer_id: customerId, id }))
      .forUpdate(),
  )

export const insertCustomerNote = (db: DatabaseHandle, note: Insertable<CustomerNoteTable>) =>
  db.insertInto('customer_note').values(note).returningAll().executeTakeFirstOrThrow()

export const updateCustomerNote = (db: DatabaseHandle, id: number, fields: { note: string; update_time: number }) =>
  db
    .updateTable('customer_note')
    .set({ ...fields, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteCustomerNote = (db: DatabaseHandle, id: number) =>
  db.deleteFrom('customer_note').where('id', '=', id).execute()
