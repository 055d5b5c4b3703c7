import { openPrint, requestPrint } from '#contract/payments.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createProcedureHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { createTicketRequest } from '#server/http/ticket-request.ts'
import { getPrintPolicy } from '#server/use-cases/prints/page.ts'
import { checkTicket } from '#server/use-cases/tickets.ts'
import { requestPrintTicket, renderGoneDocument, openPrint as openDocument } from '#server/use-cases/prints/prints.ts'

export const printHandlers: EndpointHandler[] = [
  createProcedureHandler(requestPrint, async ({ app, principal, requestId }, { body }) => ({
    body: await requestPrintTicket(app, requireCaller(principal), body, { requestId, sessionId: principal.sessionId }),
  })),

  createProcedureHandler(
    openPrint,
    async (context, { params }) => {
      const { headers, language } = context
      const printedDocument = await openDocument(createTicketRequest(context), params.key)
      if (!printedDocument && !(headers.accept ?? '').includes('text/html')) throw createNotFoundProblem()
      const { status, page, nonce } = printedDocument ?? renderGoneDocument(language)
      return { status, body: page, headers: { 'content-security-policy': getPrintPolicy(nonce) } }
    },
    {
      async head({ app }, { params }) {
        await checkTicket(app, 'print', params.key)
        return { headers: { 'content-type': 'text/html; charset=utf-8' } }
      },
    },
  ),
]
