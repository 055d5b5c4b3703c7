/** Performs operations of the staff on bank transfers (decision 124): record, credit with and without items, correct, and close. */
import { readAmount, writeAmount } from '#domain/money.ts'
import { type Random, drawBetween, pick } from '#tests/support/runner/random.ts'
import {
  type Buyer,
  type MoneyPayable,
  type PortalResponse,
  pickSome,
  sendRequest,
} from '#tests/campaigns/money/buyer.ts'
import { readCompanyId } from '#tests/campaigns/money/credit-operations.ts'
import { type BuyerOperation, toResult } from '#tests/campaigns/money/order-operations.ts'
import { listUnpaid } from '#tests/campaigns/money/payment-operations.ts'

interface Transfer {
  id: number
  state: string
  company_code: string | null
  sender: string
  row_version: number
}

interface PayableItem {
  contractType: MoneyPayable['contractType']
  id: number
  currency: string
  amount: string
}

const sendToTransfer = (buyer: Buyer, { id, row_version }: Transfer, action: string, fields: object) =>
  sendRequest(buyer, 'POST', `/api/bank-transfers/${id}/${action}`, {
    body: { row_version, ...fields },
    actor: 'staff',
    isRepeated: true,
  })

const sendRecord = (buyer: Buyer, random: Random, fields: { currency: string; amount: string }) =>
  sendRequest(buyer, 'POST', '/api/bank-transfers', {
    body: {
      day: buyer.world.portalDay(),
      sender: buyer.company,
      reference: 'Campaign',
      bank_reference: `B${drawBetween(random, 1, 1_000_000_000)}`,
      ...fields,
    },
    actor: 'staff',
    isRepeated: true,
  })

async function recordTransfer(
  buyer: Buyer,
  random: Random,
  fields: { currency: string; amount: string },
): Promise<Transfer | PortalResponse | null> {
  const response = await sendRecord(buyer, random, fields)
  return response?.status === 200 ? (response.body as unknown as Transfer) : response
}

const isTransfer = (result: Transfer | PortalResponse | null): result is Transfer => result !== null && 'id' in result

/** Returns what the company can pay, as the staff see it. Null if no response came. */
async function listPayable(buyer: Buyer, companyId: number): Promise<PayableItem[] | null> {
  const response = await sendRequest(buyer, 'GET', `/api/bank-transfers/payable/${companyId}`, { actor: 'staff' })
  return response?.status === 200 ? (response.body as unknown as { items: PayableItem[] }).items : null
}

/** Draws an amount that is exactly the sum, less, or more. */
function drawTransferred(random: Random, sum: bigint): string {
  const thousandths = pick(random, [1000, 1000, drawBetween(random, 1, 999), drawBetween(random, 1001, 2000)])
  const amount = (sum * BigInt(thousandths)) / 1000n
  return writeAmount(amount > 0n ? amount : 1n)
}

/** The transfer pays one or two items, if it and the credit reach. */
export const creditTransferWithItems: BuyerOperation = async (buyer, random) => {
  const companyId = await readCompanyId(buyer)
  const payable = companyId === null ? null : await listPayable(buyer, companyId)
  if (payable === null) return 'unanswered'
  const first = pickSome(random, payable)
  if (!first) return 'skipped'
  const { currency } = first
  const second = random() < 0.4 ? payable.find((item) => item.currency === currency && item !== first) : undefined
  const items = second ? [first, second] : [first]
  const amount = drawTransferred(
    random,
    items.reduce((sum, item) => sum + readAmount(item.amount), 0n),
  )
  const transfer = await recordTransfer(buyer, random, { currency, amount })
  if (!isTransfer(transfer)) return toResult(transfer)
  const fields = { company_id: companyId, items: items.map(({ contractType, id }) => ({ contractType, id })) }
  const response = await sendToTransfer(buyer, transfer, 'credit', fields)
  if (response?.status === 200) buyer.countEvent('transfers that paid items')
  return toResult(response)
}

/** The transfer only becomes credit, so the buyer pays with it. */
export const creditTransfer: BuyerOperation = async (buyer, random) => {
  const companyId = await readCompanyId(buyer)
  if (companyId === null) return 'unanswered'
  const currency = pickSome(random, listUnpaid(buyer))?.currency ?? 'HKD'
  const amount = writeAmount(BigInt(drawBetween(random, 1, 10_000_000)))
  const transfer = await recordTransfer(buyer, random, { currency, amount })
  if (!isTransfer(transfer)) return toResult(transfer)
  return toResult(await sendToTransfer(buyer, transfer, 'credit', { company_id: companyId, items: [] }))
}

/** Two members of the staff credit the same transfer. One of them is refused. */
export const creditTransferTwice: BuyerOperation = async (buyer, random) => {
  const companyId = await readCompanyId(buyer)
  if (companyId === null) return 'unanswered'
  const amount = writeAmount(BigInt(drawBetween(random, 1, 1_000_000)))
  const transfer = await recordTransfer(buyer, random, { currency: 'HKD', amount })
  if (!isTransfer(transfer)) return toResult(transfer)
  const send = () => sendToTransfer(buyer, transfer, 'credit', { company_id: companyId, items: [] })
  const responses = await Promise.all([send(), send()])
  if (responses.every((response) => response?.status === 200))
    throw new Error(`bank transfer ${transfer.id} was credited twice`)
  return toResult(responses.find((response) => response?.status === 200) ?? responses[0] ?? null)
}

/** Returns a random transfer of the buyer. */
async function findTransfer(
  buyer: Buyer,
  random: Random,
  isSuitable: (transfer: Transfer) => boolean,
): Promise<Transfer | null> {
  const response = await sendRequest(buyer, 'GET', '/api/bank-transfers', { actor: 'staff' })
  if (response?.status !== 200) return null
  const { open, settled } = response.body as unknown as { open: Transfer[]; settled: Transfer[] }
  const suitable = [...open, ...settled].filter(({ sender }) => sender === buyer.company).filter(isSuitable)
  return suitable.length > 0 ? pick(random, suitable) : null
}

export const correctTransfer: BuyerOperation = async (buyer, random) => {
  const transfer = await findTransfer(buyer, random, ({ state }) => state === 'credited')
  if (!transfer) return 'skipped'
  return toResult(await sendToTransfer(buyer, transfer, 'correct', { note: 'Campaign' }))
}

/** An open transfer, as after a correction, is sent back to its sender. */
export const returnTransfer: BuyerOperation = async (buyer, random) => {
  const transfer = await findTransfer(buyer, random, ({ state }) => state === 'open')
  if (!transfer) return 'skipped'
  const return_reference = `R${drawBetween(random, 1, 1_000_000_000)}`
  const fields = { state: 'returned', note: 'Campaign', return_reference, return_date: buyer.world.portalDay() }
  return toResult(await sendToTransfer(buyer, transfer, 'close', fields))
}
