/** Printing: an address for one browser, and what it shows. */
import { openPrint, requestPrint } from '#contract/payments.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { procedureHandler, type Handler } from '#server/http/route-handler.ts'
import { ticketRequestOf } from '#server/http/ticket-request.ts'
import { printPolicy } from '#server/use-cases/prints/page.ts'
import { checkTicket } from '#server/use-cases/tickets.ts'
import { askPrint, goneDocument, openPrint as opened } from '#server/use-cases/prints/prints.ts'

export const prints: Handler[] = [
  procedureHandler(requestPrint, async ({ app, principal, requestId }, { body }) => ({
    body: await askPrint(app, requireCaller(principal), body, { requestId, sessionId: principal.sessionId }),
  })),

  procedureHandler(
    openPrint,
    async (visit, { params }) => {
      const { headers, language } = visit
      const found = await opened(ticketRequestOf(visit), params.key)
      // A person gets a page, a program the usual problem.
      if (!found && !(headers.accept ?? '').includes('text/html')) throw notFound()
      const { status, page, nonce } = found ?? goneDocument(language)
      return { status, body: page, headers: { 'content-security-policy': printPolicy(nonce) } }
    },
    {
      async head({ app }, { params }) {
        await checkTicket(app, 'print', params.key)
        return { headers: { 'content-type': 'text/html; charset=utf-8' } }
      },
    },
  ),
]
