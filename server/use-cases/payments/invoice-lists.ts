/** The register of invoices and credit notes (decision 121). */
import { isProvider } from '#domain/access.ts'
import type { listInvoices } from '#contract/invoices.ts'
import type { listCustomerInvoices } from '#contract/staff/customer-invoices.ts'
import {
  type CustomerDocumentRecord,
  customerDocumentReads,
  type DocumentRecord,
  documentReads,
} from '#server/db/payments/documents.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
import { runAsCompany } from '#server/use-cases/orders/acting-company.ts'

export const invoiceList = createListUseCase<typeof listInvoices, { companyId: number }, DocumentRecord>({
  reads: documentReads,
  runInScope: (context, { query }, read) =>
    runAsCompany(context, query.companyId, ({ companyId }) => read({ companyId })),
  toRow: (_context, row) => row,
})

export const customerInvoiceList = createListUseCase<typeof listCustomerInvoices, null, CustomerDocumentRecord>({
  reads: customerDocumentReads,
  async runInScope(context, _input, read) {
    // The access rule of the call admits only the staff. Row-level security does not apply here.
    if (!isProvider(context.caller)) throw createNotFoundProblem()
    return await runAsSystem(context.db, () => read(null))
  },
  toRow: (_context, row) => row,
})
