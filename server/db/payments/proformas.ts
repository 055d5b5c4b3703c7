/** Rows of pro-forma invoices, which never change (decision 124). */
import type { Insertable, Selectable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { PayableRef } from '#server/db/payments/payables.ts'
import { isAbout } from '#server/db/payments/payment-groups.ts'
import type { ProformaTable } from '#server/db/tables/credit-tables.ts'

export type ProformaRecord = Selectable<ProformaTable>

/** Returns the latest pro-forma of exactly these items, or null. */
export const findLatestProforma = (db: DatabaseHandle, payableRef: PayableRef): Promise<ProformaRecord | null> =>
  findRow(db.selectFrom('proforma').selectAll().where(isAbout(payableRef)).orderBy('id', 'desc').limit(1))

export const findProforma = (db: DatabaseHandle, companyId: number, id: number): Promise<ProformaRecord | null> =>
  findRow(db.selectFrom('proforma').selectAll().where('company_id', '=', companyId).where('id', '=', id))

export const insertProforma = (db: DatabaseHandle, proforma: Insertable<ProformaTable>): Promise<ProformaRecord> =>
  db.insertInto('proforma').values(proforma).returningAll().executeTakeFirstOrThrow()
