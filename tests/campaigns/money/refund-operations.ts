/**
 * Performs refunds of invoices: by the gateway, by bank transfer, several at once, on the gateway's own pages, and disputes. The register of
 * documents is read while the server is stopped, so an invoice may have more refunds than the buyer knows.
 */
import { readAmount, writeAmount } from '#domain/money.ts'
import type { Database } from '#server/db/database.ts'
import { type Random, drawBetween, pick } from '#tests/support/runner/random.ts'
import { type Buyer, type KnownInvoice, sendRequest } from '#tests/campaigns/money/buyer.ts'
import { type BuyerOperation, toResult } from '#tests/campaigns/money/order-operations.ts'

/** Returns the invoices of all buyers. May be called only while no server runs. */
export const readInvoices = ({ kysely }: Database): Promise<KnownInvoice[]> =>
  kysely
    .transaction()
    .execute((db) =>
      db
        .selectFrom('document')
        .innerJoin('company', 'company.id', 'document.company_id')
        .where('document.kind', '=', 'invoice')
        .where('company.code', 'like', 'h__')
        .select(['document.id', 'company.code as company', 'document.code', 'document.amount'])
        .select(['document.method', 'document.reference'])
        .orderBy('document.id')
        .execute(),
    )

/** Draws an amount: often a part, sometimes all. */
function drawAmount(random: Random, { amount }: KnownInvoice): string {
  const total = readAmount(amount)
  if (random() < 0.3) return amount
  const part = (total * BigInt(drawBetween(random, 1, 999))) / 1000n
  return writeAmount(part > 0n ? part : 1n)
}

/** Returns the sum of the refunds that the staff see in their list. */
async function readRefundedBefore(buyer: Buyer, { id, code }: KnownInvoice): Promise<string> {
  const response = await sendRequest(buyer, 'GET', `/api/sinvoice?searchText=${code}&results=50`, { actor: 'staff' })
  const rows = (response?.body ?? {}) as { data?: { id: number; refunded: string; refunding: string }[] }
  const row = response?.status === 200 ? rows.data?.find((candidate) => candidate.id === id) : undefined
  return row ? writeAmount(readAmount(row.refunded) + readAmount(row.refunding)) : '0.00'
}

const sendRefund = (
  buyer: Buyer,
  { id, code }: KnownInvoice,
  fields: { amount: string; refunded_before: string; [name: string]: unknown },
) =>
  sendRequest(buyer, 'POST', `/api/invoice/${id}/refund`, {
    body: { reason: 'Campaign', route: 'gateway', confirmation: code, ...fields },
    actor: 'staff',
    isRepeated: true,
  })

/** Creates an operation that refunds an invoice. `buildFields` returns what differs from a refund by the gateway. */
export const refundWith =
  (buildFields: (buyer: Buyer, random: Random) => object): BuyerOperation =>
  async (buyer, random) => {
    if (buyer.invoices.length === 0) return 'skipped'
    const invoice = pick(random, buyer.invoices)
    const amount = drawAmount(random, invoice)
    const fields = { amount, refunded_before: await readRefundedBefore(buyer, invoice), ...buildFields(buyer, random) }
    return toResult(await sendRefund(buyer, invoice, fields))
  }

export const refundByGateway = refundWith(() => ({}))

export const refundByTransfer = refundWith((buyer, random) => ({
  route: 'transfer',
  reference: `FT${drawBetween(random, 1, 1_000_000_000)}`,
  date: buyer.world.portalDay(),
}))

/** Two members of the staff send back more than half each. At most one of them may succeed. */
export const refundTwiceAtOnce: BuyerOperation = async (buyer, random) => {
  if (buyer.invoices.length === 0) return 'skipped'
  const invoice = pick(random, buyer.invoices)
  const amount = writeAmount(readAmount(invoice.amount) / 2n + 1n)
  const fields = { amount, refunded_before: await readRefundedBefore(buyer, invoice) }
  const responses = await Promise.all([sendRefund(buyer, invoice, fields), sendRefund(buyer, invoice, fields)])
  if (responses.every((response) => response?.status === 200) && readAmount(amount) * 2n > readAmount(invoice.amount))
    throw new Error(`${invoice.code} of ${invoice.amount} was refunded twice with ${amount}`)
  return toResult(responses.find((response) => response?.status === 200) ?? responses[0] ?? null)
}

const listAtGateway = ({ invoices }: Buyer) =>
  invoices.filter(({ method }) => !['simulate', 'credit', 'transfer'].includes(method))

export const refundAtGateway: BuyerOperation = async (buyer, random) => {
  const invoices = listAtGateway(buyer)
  if (invoices.length === 0) return 'skipped'
  const invoice = pick(random, invoices)
  const hundredths = Number(readAmount(drawAmount(random, invoice)))
  return buyer.world.sandbox.staff.refund(invoice.reference, hundredths) ? 'done' : 'refused'
}

export const openDispute: BuyerOperation = async (buyer, random) => {
  const invoices = listAtGateway(buyer).filter(({ method }) => method === 'stripe')
  if (invoices.length === 0) return 'skipped'
  const id = buyer.world.sandbox.staff.openDispute(pick(random, invoices).reference)
  if (id === null) return 'refused'
  buyer.disputes.push(id)
  return 'done'
}

export const endDispute: BuyerOperation = async (buyer, random) => {
  const id = buyer.disputes.shift()
  if (id === undefined) return 'skipped'
  const status = pick(random, ['won', 'lost', 'lost', 'warning_closed'] as const)
  return buyer.world.sandbox.staff.endDispute(id, status) ? 'done' : 'refused'
}

interface RefundTask {
  id: number
  company_code: string
  cause: string
  invoices: { id: number }[]
}

/** The staff settle a task about a refund at the gateway, and choose an invoice if there are several. */
export const settleRefundTask: BuyerOperation = async (buyer, random) => {
  const response = await sendRequest(buyer, 'GET', '/api/payment/refunds', { actor: 'staff' })
  const refunds = response?.status === 200 ? (response.body as unknown as { refunds: RefundTask[] }).refunds : []
  const tasks = refunds.filter(({ company_code, cause }) => company_code === buyer.company && cause !== 'staff')
  if (tasks.length === 0) return 'skipped'
  const task = pick(random, tasks)
  const body = task.invoices.length > 0 ? { invoice_id: pick(random, task.invoices).id } : {}
  const path = `/api/payment/refunds/${task.id}/settle`
  return toResult(await sendRequest(buyer, 'POST', path, { body, actor: 'staff', isRepeated: true }))
}
