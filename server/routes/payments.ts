/** Paying, and what gateways and browsers that come back from them tell. */
import { headers as names } from '#contract/headers.ts'
import {
  alipayCalls,
  applyPaymentTask,
  checkPayment,
  listPaymentTasks,
  pay as payCall,
  reconcilePayments,
  refundPaymentTask,
  returnFromPayment,
  stripeCalls,
} from '#contract/payments.ts'
import type { Language } from '#domain/accounts/users.ts'
import { html } from '#server/text/html.ts'
import { pageWords, publicPage } from '#server/http/public-page.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { headerOf } from '#server/http/input/parse.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { procedureHandler, type Handler, useCaseHandler, type RequestContext } from '#server/http/route-handler.ts'
import { beginJob } from '#server/use-cases/job-requests.ts'
import { kindOf, type PaymentOutcome } from '#server/use-cases/payments/payment-description.ts'
import { apply, list, refund } from '#server/use-cases/payments/payment-tasks.ts'
import { check, pay } from '#server/use-cases/payments/start-payment.ts'
import { comeBack, acceptCallback, readReturn } from '#server/use-cases/payments/gateway-callbacks.ts'

const text = 'text/plain; charset=utf-8'

export const payments: Handler[] = [
  procedureHandler(payCall, async (visit, { params, body }) => {
    const { app, principal, language, headers } = visit
    const told = await pay(app, {
      caller: requireCaller(principal),
      of: paidBy(params, body),
      type: body.type,
      token: body.type === 'stripe' ? body.token || null : null,
      intent: headerOf(headers, names.key) ?? null,
      language,
      device: deviceOf(visit),
    })
    return { body: told }
  }),
  procedureHandler(checkPayment, async ({ app, principal }, { params, body }) => {
    return { body: await check(app, { caller: requireCaller(principal), of: paidBy(params, body) }) }
  }),
  useCaseHandler(reconcilePayments, (context) => beginJob(context, { kind: 'reconcile-payments', input: {} })),
  useCaseHandler(listPaymentTasks, list),
  useCaseHandler(refundPaymentTask, refund),
  useCaseHandler(applyPaymentTask, apply),
  procedureHandler(stripeCalls, async (visit) => {
    await acceptCallback(visit.app, 'stripe', visit)
    return { body: null }
  }),
  procedureHandler(alipayCalls, async (visit, { body }) => {
    const said = await acceptCallback(visit.app, body.app_id === undefined ? 'globalAlipay' : 'alipay', visit)
    return { body: Buffer.from(said), headers: { 'content-type': text } }
  }),
  procedureHandler(
    returnFromPayment,
    async ({ app, url, language }, { params }) => {
      const query = new URLSearchParams(url.split('?')[1])
      if (query.get('page') === 'result') return resultPage(language, await readReturn(app, params.key))
      return { status: 303, body: Buffer.alloc(0), headers: { location: await comeBack(app, params.key, query) } }
    },
    // The gateway is asked nothing: where the payer goes is known only after it.
    { head: async () => ({ status: 204 }) },
  ),
]

/** For a browser in which nobody is signed in: only what came of it, and nothing of what was paid. */
function resultPage(language: Language, outcome: PaymentOutcome | null) {
  if (!outcome) throw notFound()
  const say = pageWords(language)
  return publicPage({
    language,
    title: say(`payment.title.${outcome}`),
    body: html`<p>${say(`payment.text.${outcome}`)}</p>
<p><a href="/saas/">${say('payment.portal')}</a></p>`,
  })
}

const paidBy = ({ contract: id }: { contract: number }, { contractType }: { contractType: keyof typeof kindOf }) => ({
  kind: kindOf[contractType],
  id,
})

const deviceOf = ({ headers }: RequestContext) => (/Mobi/.test(headers['user-agent'] ?? '') ? 'phone' : 'desktop')
