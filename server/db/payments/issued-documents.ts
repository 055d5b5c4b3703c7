/** Reads issued documents: their row in the register, and the stored content. */
import type { ClientType } from '#domain/access.ts'
import type { DocumentKind } from '#server/db/tables/order-tables.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { columnByKind, type PayableItemRef } from '#server/db/payments/payables.ts'

export interface RegisteredDocument {
  kind: DocumentKind
  code: string
  type: string
  service_code: string
  invoice_id: number
}

export const findDocument = (db: DatabaseHandle, companyId: number, id: number): Promise<RegisteredDocument | null> =>
  findRow(
    db
      .selectFrom('document')
      .select(['kind', 'code', 'type', 'service_code', 'invoice_id'])
      .where('company_id', '=', companyId)
      .where('id', '=', id),
  )

/** Returns the content of an invoice as it was stored. */
export async function readInvoiceContent(db: DatabaseHandle, invoiceId: number): Promise<unknown> {
  const row = await db.selectFrom('invoice').select('content').where('id', '=', invoiceId).executeTakeFirst()
  return row?.content ?? null
}

/** Returns the content of a credit note as it was stored. `code` is its number. */
export async function readCreditNoteContent(db: DatabaseHandle, code: string): Promise<unknown> {
  const row = await db.selectFrom('credit_note').select('content').where('code', '=', code).executeTakeFirst()
  return row?.content ?? null
}

/** Returns the content of the invoice of a paid item, or null if it has no invoice. */
export async function findInvoiceContent(db: DatabaseHandle, { kind, id }: PayableItemRef): Promise<unknown> {
  const row = await db.selectFrom('invoice').select('content').where(columnByKind[kind], '=', id).executeTakeFirst()
  return row?.content ?? null
}

/** Returns the names of modules by code, which an invoice stores, because modules can be renamed. */
export async function readModuleNames(
  db: DatabaseHandle,
  clientType: ClientType,
  codes: readonly string[],
): Promise<Record<string, string>> {
  if (codes.length === 0) return {}
  const rows = await db
    .selectFrom('module')
    .select(['code', 'name'])
    .where('type', '=', clientType)
    .where('code', 'in', codes)
    .execute()
  return Object.fromEntries(rows.map(({ code, name }) => [code, name]))
}
