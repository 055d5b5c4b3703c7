/** Builds the description of a credit note from its stored content. */
import type { Language } from '#domain/accounts/users.ts'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import { buildSubject } from '#server/use-cases/documents/build-invoice.ts'
import { buildParties, buildTotal, formatMethod, listFacts } from '#server/use-cases/documents/document-parts.ts'
import type { FrozenCreditNote } from '#server/use-cases/documents/frozen-content.ts'
import { createPrintTranslator } from '#server/use-cases/documents/print-texts.ts'

export function buildCreditNote(content: FrozenCreditNote, { language }: { language: Language }): IssuedDocument {
  const translate = createPrintTranslator(language)
  const { credit_note_no: number, issued, seller, refund, cause, reason } = content
  const title = translate('creditNote')
  return {
    language,
    title,
    number,
    issued,
    timeZone: content.time_zone,
    state: translate('standing.refunded'),
    parties: buildParties(translate, content),
    sections: [
      {
        title: translate('creditAndRefund'),
        facts: listFacts([
          [translate('fact.creditNote'), number],
          [translate('fact.creditIssued'), issued],
          [translate('fact.creditedInvoice'), content.invoice_no],
          [translate('fact.issued'), content.invoice_issued],
          [translate('fact.poNumber'), content.po_number],
          [translate('fact.reason'), cause === 'staff' ? reason : translate(`cause.${cause}`)],
          [translate('fact.refunded'), refund.time],
          [translate('fact.refundMethod'), formatMethod(translate, refund.method)],
          [translate('fact.refundReference'), refund.reference],
        ]),
      },
      buildSubject(content, translate),
    ],
    table: null,
    totals: buildTotal(translate, content),
    notes: [translate('zone', { zone: content.time_zone })],
    squaresNote: translate('squares'),
    footer: `${title} ${number} · ${seller.name}`,
  }
}
