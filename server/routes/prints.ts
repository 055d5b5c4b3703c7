/** Printing: an address for one look, and what it shows. */
import { openPrint, requestPrint } from '#contract/payments.ts'
import { callerOf } from '#server/http/session.ts'
import { notFound } from '#server/problem.ts'
import { conduct, type Handler } from '#server/routes/handlers.ts'
import { printPolicy } from '#server/services/print-page.ts'
import { askPrint, goneDocument, openPrint as opened } from '#server/services/prints.ts'

export const prints: Handler[] = [
  conduct(requestPrint, async ({ house, visitor, requestId }, { body }) => ({
    body: await askPrint(house, callerOf(visitor), body, requestId),
  })),

  conduct(openPrint, async ({ house, headers, language }, { params }) => {
    const found = await opened(house, params.key)
    // A person gets a page, a program the usual problem.
    if (!found && !(headers.accept ?? '').includes('text/html')) throw notFound()
    const { status, page, nonce } = found ?? goneDocument(language)
    return { status, body: page, headers: { 'content-security-policy': printPolicy(nonce) } }
  }),
]
