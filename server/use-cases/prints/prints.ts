/** Issues print tickets and renders the document of a ticket (D65). A ticket can be opened in one browser, within a minute. */
import { randomBytes } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { requestPrint } from '#contract/payments.ts'
import { findPrintReader } from '#server/db/orders/print-data.ts'
import { runForCompany, writeAsSystem } from '#server/db/transaction.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import { PdfError, writePdf } from '#server/drivers/pdf/write-pdf.ts'
import { createUnavailableProblem, createValidationProblem, requireRow } from '#server/problems/problem-error.ts'
import { getPdfName } from '#server/use-cases/documents/read-document.ts'
import { runForRow } from '#server/use-cases/orders/acting-company.ts'
import {
  hasPdf,
  type PrintDocumentKind,
  printKinds,
  type PrintRequest,
  readPrintedDocument,
} from '#server/use-cases/prints/print-kinds.ts'
import { renderGonePage } from '#server/use-cases/prints/page.ts'
import { checkTicket, issueTicket, openTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

type PrintInput = ParsedInputOf<typeof requestPrint>['body']

interface TicketSubject {
  /** Missing in tickets of the previous build, which could print contracts only. */
  kind?: PrintDocumentKind
  id: number
  /** Missing in tickets of the previous build. */
  format?: 'pdf'
  /** Language of the requesting page. The default is the reader's own. */
  language?: Language
}

/**
 * Returns a one-time address. Throws NOT_FOUND if the caller may not see the document, RATE_LIMITED, and VALIDATION_ERROR for a PDF of
 * something that exists as a page only.
 */
export async function requestPrintTicket(
  app: AppContext,
  caller: Caller,
  { kind, id, format, language }: PrintInput,
  { requestId, sessionId }: Pick<UseCaseContext, 'requestId' | 'sessionId'>,
): Promise<{ url: string }> {
  if (format === 'pdf' && !hasPdf(kind)) throw createValidationProblem([{ field: 'format', code: 'INVALID_FORMAT' }])
  const { row, menu, readAuditInfo } = printKinds[kind]
  const now = app.clock()
  const key = await runForCompany(app, caller, async (db) => {
    const { ticketKey, ...trail } = await runForRow(
      { db, caller },
      row,
      id,
      async ({ companyId, info, log }, rowId) => {
        const documentInfo = requireRow(await readAuditInfo(db, companyId, rowId))
        const subject: TicketSubject = {
          kind,
          id: rowId,
          ...(format === 'pdf' ? { format } : {}),
          ...(language ? { language } : {}),
        }
        const issuedKey = await issueTicket({ db, caller, sessionId, now }, { kind: 'print', subject, companyId })
        return { ticketKey: issuedKey, log, info: { ...info, ...documentInfo } }
      },
    )
    const { userId, companyId } = caller
    await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
      { ...trail.log, code: menu, operation: 'print', info: trail.info },
    ])
    return ticketKey
  })
  return { url: `/public/print/${key}` }
}

export type OpenedPrint =
  | { kind: 'page'; status: number; page: string; nonce: string }
  | { kind: 'pdf'; name: string; bytes: Buffer }

/** Throws UNAVAILABLE if the PDF cannot be made now, or if too many of this user are. The ticket then stays valid. */
export async function openPrint(request: TicketRequest, key: string): Promise<OpenedPrint | null> {
  const { app } = request
  const ticketContent = await writeAsSystem(app, (db) => readTicketContent(db, request, key))
  if (ticketContent?.kind !== 'document') return ticketContent
  const { document, userId } = ticketContent
  // Making a PDF takes long, so no transaction waits for it.
  const bytes = await writePdf(document, { userId }).catch((error: unknown) => {
    if (!(error instanceof PdfError)) throw error
    app.log.error({ event: 'pdf_failed', document: document.number, err: error }, 'a PDF could not be made')
    throw createUnavailableProblem(retrySeconds)
  })
  return { kind: 'pdf', name: getPdfName(document), bytes }
}

/** For the header Retry-After. */
const retrySeconds = 5

type TicketContent =
  | Extract<OpenedPrint, { kind: 'page' }>
  | { kind: 'document'; document: IssuedDocument; userId: number }

async function readTicketContent(
  db: DatabaseHandle,
  request: TicketRequest,
  key: string,
): Promise<TicketContent | null> {
  const { app } = request
  const ticket = await openTicket(db, 'print', key, request)
  const reader = ticket && (await findPrintReader(db, ticket.user_id))
  if (!reader) return null
  const { kind = 'contract', id, format, language = reader.language } = ticket.subject as TicketSubject
  const nonce = randomBytes(16).toString('base64')
  const print: PrintRequest = {
    db,
    app,
    companyId: ticket.company_id,
    id,
    reader: { ...reader, language },
    nonce,
    now: app.clock(),
  }
  if (format === 'pdf' && hasPdf(kind)) {
    const document = await readPrintedDocument(print, kind)
    return document && { kind: 'document', document, userId: ticket.user_id }
  }
  const page = await printKinds[kind].renderPage(print)
  return page === null ? null : { kind: 'page', status: 200, page, nonce }
}

/** Returns the content type of the document of a ticket, without opening it. Throws NOT_FOUND if the ticket is not valid. */
export async function getPrintType(app: AppContext, key: string): Promise<string> {
  const { format } = (await checkTicket(app, 'print', key)).subject as TicketSubject
  return format === 'pdf' ? 'application/pdf' : 'text/html; charset=utf-8'
}

export function renderGoneDocument(language: Language): Extract<OpenedPrint, { kind: 'page' }> {
  const nonce = randomBytes(16).toString('base64')
  return { kind: 'page', status: 404, page: renderGonePage(language, nonce), nonce }
}
