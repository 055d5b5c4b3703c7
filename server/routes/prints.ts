import { openPrint, requestPrint } from '#contract/payments.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createProcedureHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { createTicketRequest } from '#server/http/ticket-request.ts'
import { getPrintPolicy } from '#server/use-cases/prints/page.ts'
import {
  getPrintType,
  openPrint as openDocument,
  renderGoneDocument,
  requestPrintTicket,
} from '#server/use-cases/prints/prints.ts'

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
      const print = printedDocument ?? renderGoneDocument(language)
      if (print.kind === 'pdf') return { body: print.bytes, headers: buildPdfHeaders(print.name) }
      const { status, page, nonce } = print
      return { status, body: page, headers: { 'content-security-policy': getPrintPolicy(nonce) } }
    },
    {
      async head({ app }, { params }) {
        return { headers: { 'content-type': await getPrintType(app, params.key) } }
      },
    },
  ),
]

/** A PDF runs no script, and a browser shows it with its own viewer, which needs none of the page's rights. */
const buildPdfHeaders = (name: string): Record<string, string> => ({
  'content-type': 'application/pdf',
  'content-disposition': `inline; filename="${name}"`,
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
})
