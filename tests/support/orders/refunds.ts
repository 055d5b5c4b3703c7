/** Sets up paid invoices whose gateways are the sandbox, for tests of refunds, disputes and the check of all money. */
import { beforeEach, expect } from 'vitest'
import { readAmount, writeAmount } from '#domain/money.ts'
import { findMoneyCheckFaults } from '#server/db/payments/money-checks.ts'
import type { Engine } from '#tests/support/server/database.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import { payTogether, toContractItems } from '#tests/support/orders/pay-together.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { type OrderRow, placeOrder } from '#tests/support/orders/shop-data.ts'
import { setUpUnmatchedPayments } from '#tests/support/orders/unmatched-payments.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

export interface InvoiceDocument {
  id: number
  code: string
  invoice_id: number
  amount: string
  refunded: string
  refunding: string
  disputed: boolean
  method: string
  reference: string
}

export function setUpRefunds(engine: Engine) {
  const payments = setUpUnmatchedPayments(engine)
  const { actors, fixture, runAsSystem } = payments
  // Refunds need the order flag too.
  beforeEach(() =>
    runAsSystem((db) =>
      db.updateTable('portal_user').set({ orders: true }).where('id', '=', actors.staff.userId).execute(),
    ),
  )

  const listDocuments = (kind: 'invoice' | 'creditNote' = 'invoice'): Promise<InvoiceDocument[]> =>
    runAsSystem((db) => db.selectFrom('document').selectAll().where('kind', '=', kind).orderBy('id').execute())
  const listRefunds = () => runAsSystem((db) => db.selectFrom('refund').selectAll().orderBy('id').execute())
  const listDisputes = () => runAsSystem((db) => db.selectFrom('dispute').selectAll().orderBy('id').execute())
  const findFaults = () => runAsSystem((db) => findMoneyCheckFaults(db))

  /** Returns the invoice of an order that was paid by card. */
  async function payInvoice(code = 'shop'): Promise<InvoiceDocument> {
    const order = (await placeOrder(actors.buyer, { code })).json() as OrderRow
    const response = await payFor(actors.buyer, order.id, { token: 'pm_card_visa' })
    expect(response.json()).toEqual({ status: 'paid' })
    return (await listDocuments()).at(-1) as InvoiceDocument
  }

  /** Returns the invoice of an order that was paid on the page of Alipay. */
  async function payInvoiceByAlipay(type: 'alipay' | 'globalAlipay'): Promise<InvoiceDocument> {
    const currency = type === 'alipay' ? 'RMB' : 'HKD'
    const order = (await placeOrder(actors.buyer, { code: type.toLowerCase(), currency })).json() as OrderRow
    const payer = type === 'alipay' ? actors.buyer : await payments.signInOrderUser()
    const { redirect } = (await payFor(payer, order.id, { type })).json() as { redirect: string }
    await openGatewayPage((await openGatewayPage(redirect)).url, { answer: 'pay' })
    await payments.sendGatewayCalls()
    return (await listDocuments()).at(-1) as InvoiceDocument
  }

  /** Returns the two invoices of one payment. */
  async function payTwoInvoices(): Promise<InvoiceDocument[]> {
    const orders = [
      (await placeOrder(actors.buyer, { code: 'first' })).json(),
      (await placeOrder(actors.buyer, { code: 'second' })).json(),
    ]
    const response = await payTogether(actors.buyer, toContractItems(orders as OrderRow[]), { token: 'pm_card_visa' })
    expect(response.json()).toEqual({ status: 'paid' })
    return (await listDocuments()).slice(-2)
  }

  const readRefundedBefore = async (id: number) => {
    const { refunded = '0', refunding = '0' } = (await listDocuments()).find((document) => document.id === id) ?? {}
    return writeAmount(readAmount(refunded) + readAmount(refunding))
  }
  /** `refunded_before` is what the register has, unless it is in `fields`. */
  const refund = async (
    { id, code }: Pick<InvoiceDocument, 'id' | 'code'>,
    fields: Record<string, unknown> = {},
    caller: SignedIn = actors.staff,
  ) => {
    const confirmedFields = { refunded_before: await readRefundedBefore(id), confirmation: code }
    return await caller.send({
      method: 'POST',
      url: `/api/invoice/${id}/refund`,
      payload: { amount: '100.00', reason: 'Goodwill', route: 'gateway', ...confirmedFields, ...fields },
    })
  }
  const transferFields = { route: 'transfer', reference: 'FT-2026-77', date: '2026-03-02' }

  const runJobs = () => actors.paymentSandbox.runPaymentJobs()
  const getStaffAtGateway = () => actors.paymentSandbox.sandbox.staff
  /** Returns the ids of the calls that the gateways make because of `action`. */
  async function collectCalls(action: () => unknown): Promise<string[]> {
    return (await actors.paymentSandbox.holdCalls(async () => action())).map(({ id }) => id)
  }
  const sendCalls = async (ids: readonly string[]) => {
    const statuses: (number | null)[] = []
    for (const id of ids) statuses.push(await actors.paymentSandbox.sandbox.webhooks.send(id))
    return statuses
  }

  return {
    ...payments,
    fixture,
    listDocuments,
    listRefunds,
    listDisputes,
    findFaults,
    payInvoice,
    payInvoiceByAlipay,
    payTwoInvoices,
    refund,
    transferFields,
    runJobs,
    getStaffAtGateway,
    collectCalls,
    sendCalls,
  }
}
