import { getTrafficMonth } from '#domain/fees/traffic.ts'
import { toTimestamp } from '#domain/time.ts'
import {
  type BackupRecord,
  findBackupById,
  findServiceName,
  findTrafficById,
  type TrafficRecord,
} from '#server/db/hosting/backups.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { findDocument } from '#server/db/payments/issued-documents.ts'
import { findProforma } from '#server/db/payments/proformas.ts'
import { findContractById } from '#server/db/orders/contracts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { readSeller } from '#server/db/payments/payments.ts'
import { readFrozenInvoice, readPrintedContract, type PrintReader } from '#server/db/orders/print-data.ts'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import type { OwnedKind } from '#server/db/orders/service-codes.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { AppContext } from '#server/context/context.ts'
import { requireRow } from '#server/problems/problem-error.ts'
import { printBackup, printTraffic } from '#server/use-cases/prints/backup.ts'
import { printContract } from '#server/use-cases/prints/contract.ts'
import type { FrozenInvoice, FrozenProforma, InvoiceParty } from '#server/use-cases/documents/frozen-content.ts'
import { readIssuedDocument, readProforma } from '#server/use-cases/documents/read-document.ts'
import { renderIssuedDocument } from '#server/use-cases/prints/issued-document.ts'
import type { PrintContext } from '#server/use-cases/prints/document-parts.ts'
import { getStoredContractState } from '#server/use-cases/orders/order-terms.ts'

/** Input for rendering a document. `db` has the system role, because the ticket proves the permission. */
export interface PrintRequest {
  db: DatabaseHandle
  app: AppContext
  companyId: number
  id: number
  reader: PrintReader
  nonce: string
  now: number
}

interface PrintKindRules {
  row: OwnedKind
  menu: AuditEntry['code']
  /** Returns facts for the audit entry, or null if the company has no such document. */
  readAuditInfo: (db: DatabaseHandle, companyId: number, id: number) => Promise<AuditEntry['info'] | null>
  renderPage: (request: PrintRequest) => Promise<string | null>
}

export const printKinds = {
  contract: {
    row: 'contract',
    menu: 'order',
    async readAuditInfo(db, companyId, id) {
      const contract = await findContractById(db, companyId, id)
      return contract && { ServiceCode: contract.service_code, ContractCode: contract.code }
    },
    async renderPage(request) {
      const printed = await readPrintedContract(request.db, request.companyId, request.id)
      if (!printed) return null
      const { contract, order, modules } = printed
      const invoice = printed.invoice as FrozenInvoice | null
      const printContext = await buildPrintContext(request, invoice)
      const state = getStoredContractState(contract, { now: printContext.time })
      const orderedTime = formatTime(request, order.create_time)
      return printContract(printContext, { contract, order, modules, invoice, state, orderedTime })
    },
  },
  PDBORDER: {
    row: 'backup',
    menu: 'backup',
    async readAuditInfo(db, companyId, id) {
      const backup = await findBackupById(db, companyId, id)
      return backup && { ServiceCode: backup.service_code, OrderId: id }
    },
    async renderPage(request) {
      const row = await findBackupById(request.db, request.companyId, request.id)
      if (!row) return null
      const { printContext, ...document } = await readServiceDocument(request, 'backup_order_id', row)
      return printBackup(printContext, formatTime(request, row.create_time), { row, ...document })
    },
  },
  TRAFFIC: {
    row: 'traffic',
    menu: 'backup',
    async readAuditInfo(db, companyId, id) {
      const traffic = await findTrafficById(db, companyId, id)
      return traffic && { ServiceCode: traffic.service_code, Month: getTrafficMonth(traffic.period_end) }
    },
    async renderPage(request) {
      const row = await findTrafficById(request.db, request.companyId, request.id)
      if (!row) return null
      const { printContext, ...document } = await readServiceDocument(request, 'traffic_id', row)
      return printTraffic(printContext, { row, ...document })
    },
  },
  INVOICE: {
    row: 'document',
    menu: 'order',
    async readAuditInfo(db, companyId, id) {
      const document = await findDocument(db, companyId, id)
      if (!document) return null
      const { kind, code, service_code: ServiceCode } = document
      return kind === 'creditNote' ? { ServiceCode, CreditNoteNo: code } : { ServiceCode, InvoiceNo: code }
    },
    renderPage: (request) => renderReadDocument(request, 'INVOICE'),
  },
  PROFORMA: {
    row: 'proforma',
    menu: 'order',
    async readAuditInfo(db, companyId, id) {
      const proforma = await findProforma(db, companyId, id)
      if (!proforma) return null
      const codes = new Set((proforma.content as FrozenProforma).items.map(({ service }) => service.code))
      return { ServiceCode: [...codes].toSorted().join(', '), ProformaNo: proforma.code }
    },
    renderPage: (request) => renderReadDocument(request, 'PROFORMA'),
  },
} satisfies Record<string, PrintKindRules>

export type PrintDocumentKind = keyof typeof printKinds

/** Kinds of which a PDF can be made. */
const pdfKinds = {
  INVOICE: ({ db, app, companyId, id, reader: { language } }) =>
    readIssuedDocument(db, { companyId, id }, { app, language }),
  PROFORMA: ({ db, companyId, id, reader: { language } }) => readProforma(db, { companyId, id }, language),
} satisfies Record<string, (request: PrintRequest) => Promise<IssuedDocument | null>>

type PdfKind = keyof typeof pdfKinds

export const hasPdf = (kind: PrintDocumentKind): kind is PdfKind => kind in pdfKinds

/** Returns the description of a document, of which a PDF can be made. */
export const readPrintedDocument = (request: PrintRequest, kind: PdfKind): Promise<IssuedDocument | null> =>
  pdfKinds[kind](request)

async function renderReadDocument(request: PrintRequest, kind: PdfKind): Promise<string | null> {
  const document = await readPrintedDocument(request, kind)
  return document && renderIssuedDocument(document, request.nonce)
}

async function readServiceDocument(
  request: PrintRequest,
  column: 'backup_order_id' | 'traffic_id',
  row: BackupRecord | TrafficRecord,
) {
  const invoice = (await readFrozenInvoice(request.db, column, row.id)) as FrozenInvoice | null
  const name = invoice?.service.name ?? (await findServiceName(request.db, row))
  return { printContext: await buildPrintContext(request, invoice), invoice, name }
}

const formatTime = ({ app }: PrintRequest, instant: number) => toTimestamp(app.config.timeZone, instant)

/** Uses seller and buyer from the invoice, or the current ones if there is no invoice. */
async function buildPrintContext(request: PrintRequest, invoice: FrozenInvoice | null): Promise<PrintContext> {
  const { db, companyId, reader, nonce, now } = request
  const seller = invoice?.seller ?? ((await readSeller(db)) as unknown as InvoiceParty)
  const buyer = requireRow(invoice?.buyer ?? (await findCompanyById(db, companyId)))
  return { seller, buyer, reader, nonce, time: formatTime(request, now), zone: request.app.config.timeZone }
}
