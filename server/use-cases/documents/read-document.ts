/** Reads a document and builds its description. */
import type { Language } from '#domain/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  findDocument,
  findInvoiceContent,
  readCreditNoteContent,
  readInvoiceContent,
} from '#server/db/payments/issued-documents.ts'
import type { PayableItemRef } from '#server/db/payments/payables.ts'
import { findProforma } from '#server/db/payments/proformas.ts'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import { buildCreditNote } from '#server/use-cases/documents/build-credit-note.ts'
import { buildInvoice } from '#server/use-cases/documents/build-invoice.ts'
import { buildProforma } from '#server/use-cases/documents/build-proforma.ts'
import type { FrozenCreditNote, FrozenInvoice, FrozenProforma } from '#server/use-cases/documents/frozen-content.ts'

interface DocumentOptions {
  app: AppContext
  language: Language
}

/** Returns null if the company has no such document. */
export async function readIssuedDocument(
  db: DatabaseHandle,
  { companyId, id }: { companyId: number; id: number },
  { app, language }: DocumentOptions,
): Promise<IssuedDocument | null> {
  const registered = await findDocument(db, companyId, id)
  if (!registered) return null
  if (registered.kind === 'creditNote') return readCreditNote(db, registered.code, language)
  const content = (await readInvoiceContent(db, registered.invoice_id)) as FrozenInvoice | null
  return content && buildInvoice(content, { language, timeZone: getTimeZone(content, app) })
}

/** Returns the invoice of a paid item, or null if it was not invoiced. */
export async function readInvoiceOfItem(
  db: DatabaseHandle,
  itemRef: PayableItemRef,
  { app, language }: DocumentOptions,
): Promise<IssuedDocument | null> {
  const content = (await findInvoiceContent(db, itemRef)) as FrozenInvoice | null
  return content && buildInvoice(content, { language, timeZone: getTimeZone(content, app) })
}

/** Returns null if there is no credit note of this number. */
export async function readCreditNote(
  db: DatabaseHandle,
  code: string,
  language: Language,
): Promise<IssuedDocument | null> {
  const content = (await readCreditNoteContent(db, code)) as FrozenCreditNote | null
  return content && buildCreditNote(content, { language })
}

/** Returns null if the company has no such pro-forma. */
export async function readProforma(
  db: DatabaseHandle,
  { companyId, id }: { companyId: number; id: number },
  language: Language,
): Promise<IssuedDocument | null> {
  const proforma = await findProforma(db, companyId, id)
  return proforma && buildProforma(proforma.content as FrozenProforma, { language })
}

/** The configured zone can change, but the times of an invoice are in the zone of its issue. */
const getTimeZone = ({ time_zone: timeZone }: FrozenInvoice, { config }: AppContext) => timeZone ?? config.timeZone

/** Returns the name of the PDF. Numbers of documents consist of letters and digits. */
export const getPdfName = ({ number }: Pick<IssuedDocument, 'number'>): string =>
  `${number.replace(/[^\w-]/g, '_')}.pdf`
