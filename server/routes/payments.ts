import { headers as names } from '#contract/headers.ts'
import { listInvoices } from '#contract/invoices.ts'
import {
  alipayCalls,
  applyPaymentTask,
  checkItems,
  checkPayment,
  listPaymentTasks,
  pay as payCall,
  payItems,
  reconcilePayments,
  refundPaymentTask,
  returnFromPayment,
  stripeCalls,
} from '#contract/payments.ts'
import { readMoneyOverview } from '#contract/staff/money.ts'
import { readCredit } from '#contract/invoices.ts'
import { withdrawCredit } from '#contract/staff/bank-transfers.ts'
import { listCustomerInvoices } from '#contract/staff/customer-invoices.ts'
import {
  listRefunds,
  readMoneyCheck,
  refundInvoice,
  runMoneyCheck,
  settleRefundTask,
  withdrawRefund,
} from '#contract/staff/refunds.ts'
import type { Language } from '#domain/accounts/users.ts'
import { html } from '#server/text/html.ts'
import { createPageTranslator, renderPublicPage } from '#server/http/public-page.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { getHeader } from '#server/http/input/parse.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import {
  createListHandler,
  createProcedureHandler,
  type EndpointHandler,
  createUseCaseHandler,
  type RequestContext,
} from '#server/http/route-handler.ts'
import * as creditReads from '#server/use-cases/credit/read-credit.ts'
import * as withdrawals from '#server/use-cases/credit/withdraw-credit.ts'
import { startJob } from '#server/use-cases/job-requests.ts'
import { readOverview } from '#server/use-cases/money/read-overview.ts'
import { customerInvoiceList, invoiceList } from '#server/use-cases/payments/invoice-lists.ts'
import { kindsByContractType, type PaymentReturnOutcome } from '#server/use-cases/payments/payment-description.ts'
import * as refundUseCases from '#server/use-cases/refunds/list-refunds.ts'
import { startInvoiceRefund } from '#server/use-cases/refunds/refund-invoice.ts'
import { applyTaskPayment, listTasks, startTaskRefund } from '#server/use-cases/payments/payment-tasks.ts'
import { readPaymentStatus, startPayment } from '#server/use-cases/payments/start-payment.ts'
import { getReturnUrl, acceptCallback, readReturn } from '#server/use-cases/gateways/callbacks.ts'

const textType = 'text/plain; charset=utf-8'

export const paymentHandlers: EndpointHandler[] = [
  createProcedureHandler(payCall, async (context, { params, body }) => {
    const { app, principal, language, headers } = context
    const payment = await startPayment(app, {
      caller: requireCaller(principal),
      items: [toItem(params.contract, body.contractType)],
      type: body.type,
      token: body.type === 'stripe' ? body.token || null : null,
      poNumber: body.po_number,
      credit: body.credit,
      intent: getHeader(headers, names.key) ?? null,
      language,
      device: detectDevice(context),
    })
    return { body: payment }
  }),
  createProcedureHandler(checkPayment, async ({ app, principal }, { params, body }) => {
    const items = [toItem(params.contract, body.contractType)]
    return { body: await readPaymentStatus(app, { caller: requireCaller(principal), items }) }
  }),
  createProcedureHandler(payItems, async (context, { body }) => {
    const { app, principal, language, headers } = context
    const payment = await startPayment(app, {
      caller: requireCaller(principal),
      items: body.items.map(({ contractType, id }) => toItem(id, contractType)),
      type: body.type,
      token: body.type === 'stripe' ? body.token || null : null,
      poNumber: body.po_number,
      credit: body.credit,
      intent: getHeader(headers, names.key) ?? null,
      language,
      device: detectDevice(context),
    })
    return { body: payment }
  }),
  createProcedureHandler(checkItems, async ({ app, principal }, { body }) => {
    const items = body.items.map(({ contractType, id }) => toItem(id, contractType))
    return { body: await readPaymentStatus(app, { caller: requireCaller(principal), items }) }
  }),
  createUseCaseHandler(reconcilePayments, (context) => startJob(context, { kind: 'reconcile-payments', input: {} })),
  createListHandler(listInvoices, invoiceList),
  createListHandler(listCustomerInvoices, customerInvoiceList),
  createUseCaseHandler(listPaymentTasks, listTasks),
  createUseCaseHandler(refundPaymentTask, startTaskRefund),
  createUseCaseHandler(applyPaymentTask, applyTaskPayment),
  createUseCaseHandler(refundInvoice, startInvoiceRefund),
  createUseCaseHandler(listRefunds, refundUseCases.listRefunds),
  createUseCaseHandler(settleRefundTask, refundUseCases.settleRefundTask),
  createUseCaseHandler(readCredit, creditReads.readCredit),
  createUseCaseHandler(withdrawCredit, withdrawals.withdrawCredit),
  createUseCaseHandler(withdrawRefund, refundUseCases.withdrawRefund),
  createUseCaseHandler(readMoneyCheck, refundUseCases.readMoneyCheck),
  createUseCaseHandler(readMoneyOverview, readOverview),
  createUseCaseHandler(runMoneyCheck, (context) => startJob(context, { kind: 'check-money', input: {} })),
  createProcedureHandler(stripeCalls, async (context) => {
    await acceptCallback(context.app, 'stripe', context)
    return { body: null }
  }),
  createProcedureHandler(alipayCalls, async (context, { body }) => {
    const responseText = await acceptCallback(
      context.app,
      body.app_id === undefined ? 'globalAlipay' : 'alipay',
      context,
    )
    return { body: Buffer.from(responseText), headers: { 'content-type': textType } }
  }),
  createProcedureHandler(
    returnFromPayment,
    async ({ app, url, language }, { params }) => {
      const query = new URLSearchParams(url.split('?')[1])
      if (query.get('page') === 'result') return renderResultPage(language, await readReturn(app, params.key))
      return { status: 303, body: Buffer.alloc(0), headers: { location: await getReturnUrl(app, params.key, query) } }
    },
    // HEAD must not call the gateway. The address for the payer is only known after such a call.
    { head: async () => ({ status: 204 }) },
  ),
]

/** Renders the page for a browser without a session. It shows only the outcome, and nothing about what was paid for. */
function renderResultPage(language: Language, outcome: PaymentReturnOutcome | null) {
  if (!outcome) throw createNotFoundProblem()
  const translate = createPageTranslator(language)
  return renderPublicPage({
    language,
    title: translate(`payment.title.${outcome}`),
    body: html`<p>${translate(`payment.text.${outcome}`)}</p>
<p><a href="/saas/">${translate('payment.portal')}</a></p>`,
  })
}

const toItem = (id: number, contractType: keyof typeof kindsByContractType) => ({
  kind: kindsByContractType[contractType],
  id,
})

const detectDevice = ({ headers }: RequestContext) => (/Mobi/.test(headers['user-agent'] ?? '') ? 'phone' : 'desktop')
