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
import { requireRow } from '#server/problems/problem-error.ts'
import { runForRow } from '#server/use-cases/orders/acting-company.ts'
import { type PrintDocumentKind, printKinds } from '#server/use-cases/prints/print-kinds.ts'
import { renderGonePage } from '#server/use-cases/prints/page.ts'
import { issueTicket, openTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

type PrintInput = ParsedInputOf<typeof requestPrint>['body']

interface TicketSubject {
  /** Missing in tickets of the previous build, which could print contracts only. */
  kind?: PrintDocumentKind
  id: number
  /** Language of the requesting page. The default is the reader's own. */
  language?: Language
}

/** Returns a one-time address. Throws NOT_FOUND if the caller may not see the document, and RATE_LIMITED. */
export async function requestPrintTicket(
  app: AppContext,
  caller: Caller,
  { kind, id, language }: PrintInput,
  { requestId, sessionId }: Pick<UseCaseContext, 'requestId' | 'sessionId'>,
): Promise<{ url: string }> {
  const { row, menu, readAuditInfo } = printKinds[kind]
  const now = app.clock()
  const key = await runForCompany(app, caller, async (db) => {
    const { ticketKey, ...trail } = await runForRow(
      { db, caller },
      row,
      id,
      async ({ companyId, info, log }, rowId) => {
        const documentInfo = requireRow(await readAuditInfo(db, companyId, rowId))
        const subject: TicketSubject = { kind, id: rowId, ...(language ? { language } : {}) }
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

export interface OpenedPrint {
  status: number
  page: string
  nonce: string
}

export async function openPrint(request: TicketRequest, key: string): Promise<OpenedPrint | null> {
  const { app } = request
  const now = app.clock()
  return await writeAsSystem(app, async (db) => {
    const ticket = await openTicket(db, 'print', key, request)
    const reader = ticket && (await findPrintReader(db, ticket.user_id))
    if (!reader) return null
    const { kind = 'contract', id, language = reader.language } = ticket.subject as TicketSubject
    const nonce = randomBytes(16).toString('base64')
    const page = await printKinds[kind].renderPage({
      db,
      app,
      companyId: ticket.company_id,
      id,
      reader: { ...reader, language },
      nonce,
      now,
    })
    return page === null ? null : { status: 200, page, nonce }
  })
}

export function renderGoneDocument(language: Language): OpenedPrint {
  const nonce = randomBytes(16).toString('base64')
  return { status: 404, page: renderGonePage(language, nonce), nonce }
}
