/** Paying, and what gateways and browsers that come back from them tell. */
import type { InputOf } from '#contract/endpoint.ts'
import { headers as names } from '#contract/headers.ts'
import {
  alipayCalls,
  checkPayment,
  pay as payCall,
  reconcilePayments,
  returnFromPayment,
  stripeCalls,
} from '#contract/payments.ts'
import { headerOf } from '#server/http/input.ts'
import { callerOf } from '#server/http/session.ts'
import { notFound } from '#server/problem.ts'
import { conduct, type Handler, handle, type Visit } from '#server/routes/handlers.ts'
import { beginJob } from '#server/services/jobs.ts'
import { check, pay } from '#server/services/paying.ts'
import { comeBack, hear } from '#server/services/payment-calls.ts'

const text = 'text/plain; charset=utf-8'

export const payments: Handler[] = [
  conduct(payCall, async (visit, { params, body }) => {
    requireOrder(body)
    const { house, visitor, language, headers } = visit
    const told = await pay(house, {
      caller: callerOf(visitor),
      orderId: params.contract,
      type: body.type,
      token: body.type === 'stripe' ? body.token || null : null,
      intent: headerOf(headers, names.key) ?? null,
      language,
      device: deviceOf(visit),
    })
    return { body: told }
  }),
  conduct(checkPayment, async ({ house, visitor }, { params, body }) => {
    requireOrder(body)
    return { body: await check(house, { caller: callerOf(visitor), orderId: params.contract }) }
  }),
  handle(reconcilePayments, (context) => beginJob(context, { kind: 'reconcile-payments', input: {} })),
  conduct(stripeCalls, async (visit) => {
    await hear(visit.house, 'stripe', visit)
    return { body: null }
  }),
  conduct(alipayCalls, async (visit, { body }) => {
    const said = await hear(visit.house, body.app_id === undefined ? 'globalAlipay' : 'alipay', visit)
    return { body: Buffer.from(said), headers: { 'content-type': text } }
  }),
  conduct(returnFromPayment, async ({ house, url }, { params }) => {
    const query = new URLSearchParams(url.split('?')[1])
    return { status: 303, body: null, headers: { location: await comeBack(house, params.key, query) } }
  }),
]

/** Backups and traffic are not sold yet: there is none of that number. */
function requireOrder({ contractType }: Pick<InputOf<typeof payCall>['body'], 'contractType'>): void {
  if (contractType !== 'CONTRACT') throw notFound()
}

const deviceOf = ({ headers }: Visit) => (/Mobi/.test(headers['user-agent'] ?? '') ? 'phone' : 'desktop')
