/** Rows of the register of issued documents (decision 121). */
import { type Selectable, sql } from 'kysely'
import { listInvoices } from '#contract/invoices.ts'
import { listCustomerInvoices } from '#contract/staff/customer-invoices.ts'
import { readChangeNumber, readChangeNumberSince } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import type { DocumentTable } from '#server/db/tables/order-tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export interface DocumentRecord extends Omit<Selectable<DocumentTable>, 'change'> {
  year: number
  invoice_code: string
  invoice_document_id: number
  month: string | null
  order_id: number | null
  state: 'paid' | 'partlyRefunded' | 'refunded' | 'disputed'
}

export type CustomerDocumentRecord = DocumentRecord & { company_code: string; company_name: string }

const yearColumn = sql<number>`substr(document.issued, 1, 4)::integer`

const stateColumn = sql<DocumentRecord['state']>`
  (case when document.disputed then 'disputed'
    when document.kind = 'creditNote' or document.refunded >= document.amount then 'refunded'
    when document.refunded > 0 then 'partlyRefunded' else 'paid' end)`

/** The row of the invoice, which a credit note refers to. */
const invoiceDocumentId = sql<number>`
  (select billed.id from document billed where billed.invoice_id = document.invoice_id and billed.kind = 'invoice')`

const selectDocuments = (db: DatabaseHandle) =>
  db
    .selectFrom('document')
    .innerJoin('invoice', 'invoice.id', 'document.invoice_id')
    .selectAll('document')
    .select([
      'invoice.code as invoice_code',
      invoiceDocumentId.as('invoice_document_id'),
      yearColumn.as('year'),
      sql<string | null>`invoice.content -> 'traffic' ->> 'month'`.as('month'),
      'invoice.order_id',
      stateColumn.as('state'),
    ])

const selectCompanyDocuments = (db: DatabaseHandle, companyId: number) =>
  selectDocuments(db).where('document.company_id', '=', companyId)

const selectCustomerDocuments = (db: DatabaseHandle) =>
  selectDocuments(db)
    .innerJoin('company', 'company.id', 'document.company_id')
    .select(['company.code as company_code', 'company.name as company_name'])

const columns = {
  id: sql.ref('document.id'),
  kind: sql.ref('document.kind'),
  code: { value: sql.ref('document.code'), folded: sql`lower(document.code)` },
  invoice_code: { value: sql.ref('invoice.code'), folded: sql`lower(invoice.code)` },
  issued: sql.ref('document.issued'),
  year: yearColumn,
  service_code: { value: sql.ref('document.service_code'), folded: sql.ref('document.service_code') },
  service_name: { value: sql.ref('document.service_name'), folded: sql.ref('document.service_name_key') },
  po_number: { value: sql.ref('document.po_number'), folded: sql.ref('document.po_number_key') },
  currency: sql.ref('document.currency'),
  method: sql.ref('document.method'),
  reference: { value: sql.ref('document.reference'), folded: sql.ref('document.reference_key') },
  state: { value: stateColumn, folded: sql`(lower(${stateColumn}) collate "C")` },
}

const customerColumns = {
  ...columns,
  company_code: { value: sql.ref('company.code'), folded: sql.ref('company.code') },
  company_name: {
    value: sql.ref('company.name'),
    folded: sql`(lower(normalize(company.name, nfkc)) collate "C")`,
  },
}

export const documentReads: ListReads<{ companyId: number }, DocumentRecord> = {
  readLatestChange: (db, { companyId }) => readChangeNumber(db, companyId),
  readPage: (db, { companyId }, query) =>
    readListPage(selectCompanyDocuments(db, companyId), listInvoices, columns, query, { hasNoNulls: true }),
  // Documents are never deleted.
  async readChanges(db, { companyId }, since) {
    const maxChange = await readChangeNumberSince(db, companyId, since)
    const changed = await selectCompanyDocuments(db, companyId)
      .where('document.change', '>', since ?? -1)
      .orderBy('document.change')
      .orderBy('document.id')
      .execute()
    return { changed, gone: [], upto: maxChange }
  },
  readRowsAfter: (db, { companyId }, id, limit) =>
    selectCompanyDocuments(db, companyId).where('document.id', '>', id).orderBy('document.id').limit(limit).execute(),
}

/** Documents of all companies. All reads need the system role. */
export const customerDocumentReads: ListReads<null, CustomerDocumentRecord, null> = {
  readLatestChange: async () => null,
  readPage: (db, _scope, query) =>
    readListPage(selectCustomerDocuments(db), listCustomerInvoices, customerColumns, query, { hasNoNulls: true }),
  readChanges: () => Promise.reject(new ProblemError('GONE')),
  readRowsAfter: (db, _scope, id, limit) =>
    selectCustomerDocuments(db).where('document.id', '>', id).orderBy('document.id').limit(limit).execute(),
}

interface ServiceRef {
  companyId: number
  code: string
}

const selectContractInvoices = (db: DatabaseHandle, { companyId, code }: ServiceRef) =>
  db
    .selectFrom('document')
    .select('id')
    .where('company_id', '=', companyId)
    .where('kind', '=', 'invoice')
    .where('service_code', '=', code)
    .where('contract_id', 'is not', null)

/** Returns whether an invoice of the service's contracts is refunded or disputed, also in part or requested. */
export const hasRefundedContract = (db: DatabaseHandle, service: ServiceRef): Promise<boolean> =>
  hasRow(selectContractInvoices(db, service).where(sql<boolean>`(refunded > 0 or refunding > 0 or disputed)`).limit(1))

/** Locks the invoices of the service's contracts until the commit, in the order that refunds use. Needs the system role. */
export async function lockContractInvoices(db: DatabaseHandle, service: ServiceRef): Promise<void> {
  await selectContractInvoices(db, service).orderBy('id').forUpdate().execute()
}
