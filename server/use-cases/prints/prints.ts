/** Printing (D65): a ticket for one browser within a minute, and the document behind it. */
import { randomBytes } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { requestPrint } from '#contract/payments.ts'
import { readerOf } from '#server/db/orders/print-data.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { forRow } from '#server/use-cases/orders/acting-company.ts'
import { type PrintKind, printKinds } from '#server/use-cases/prints/documents.ts'
import { gonePage } from '#server/use-cases/prints/page.ts'
import { issueTicket, openTicket, type TicketRequest } from '#server/use-cases/tickets.ts'

type Asked = ParsedInputOf<typeof requestPrint>['body']

interface Subject {
  /** None in tickets of the build before this one, which knew contracts alone. */
  kind?: PrintKind
  id: number
  /** Of the page that asked; none: the reader's own. */
  language?: Language
}

/** An address for one look. Throws NOT_FOUND for what is not the caller's to see; RATE_LIMITED. */
export async function askPrint(
  app: AppContext,
  caller: Caller,
  { kind, id, language }: Asked,
  { requestId, sessionId }: Pick<UseCaseContext, 'requestId' | 'sessionId'>,
): Promise<{ url: string }> {
  const { row, menu, note } = printKinds[kind]
  const now = app.clock()
  const key = await inTransaction(app, { role: 'portal_app', companyId: caller.companyId }, async (db) => {
    const { made, ...said } = await forRow({ db, caller }, row, id, async ({ companyId, info, log }, found) => {
      const told = await note(db, companyId, found)
      if (!told) throw notFound()
      const subject: Subject = { kind, id: found, ...(language ? { language } : {}) }
      const made = await issueTicket({ db, caller, sessionId, now }, { kind: 'print', subject, companyId })
      return { made, log, info: { ...info, ...told } }
    })
    const { userId, companyId } = caller
    await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
      { ...said.log, code: menu, operation: 'print', info: said.info },
    ])
    return made
  })
  return { url: `/public/print/${key}` }
}

export interface Opened {
  status: number
  page: string
  /** Of the page's own style and script. */
  nonce: string
}

/** Null: nobody may see anything by this key, or no longer. */
export async function openPrint(request: TicketRequest, key: string): Promise<Opened | null> {
  const { app } = request
  const now = app.clock()
  return await inTransaction(app, { role: 'portal_system' }, async (db) => {
    const ticket = await openTicket(db, 'print', key, request)
    const reader = ticket && (await readerOf(db, ticket.user_id))
    if (!reader) return null
    const { kind = 'contract', id, language = reader.language } = ticket.subject as Subject
    const nonce = randomBytes(16).toString('base64')
    const page = await printKinds[kind].page({
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

/** What is shown of a key that no longer works. */
export function goneDocument(language: Language): Opened {
  const nonce = randomBytes(16).toString('base64')
  return { status: 404, page: gonePage(language, nonce), nonce }
}
