/** Performs operations on credit balances (decision 124): refunds to the balance, payments with credit, and withdrawals. */
import { readAmount, writeAmount } from '#domain/money.ts'
import { type Random, drawBetween, pick } from '#tests/support/runner/random.ts'
import { type Buyer, pickSome, sendRequest } from '#tests/campaigns/money/buyer.ts'
import { type BuyerOperation, toResult } from '#tests/campaigns/money/order-operations.ts'
import { listUnpaid, sendPayment, toPaymentResult } from '#tests/campaigns/money/payment-operations.ts'
import { refundWith } from '#tests/campaigns/money/refund-operations.ts'

export const refundToBalance = refundWith(() => ({ route: 'credit' }))

export const payWithCredit: BuyerOperation = async (buyer, random) => {
  const payable = pickSome(random, listUnpaid(buyer))
  return payable ? toPaymentResult(await sendPayment(buyer, payable, { type: 'credit' })) : 'skipped'
}

/** Two tabs pay two items with the same credit. */
export const payTwoWithCredit: BuyerOperation = async (buyer) => {
  const payables = listUnpaid(buyer).slice(-2)
  if (payables.length < 2) return 'skipped'
  const responses = await Promise.all(payables.map((payable) => sendPayment(buyer, payable, { type: 'credit' })))
  return toPaymentResult(responses.find((response) => response?.status === 200) ?? responses[0] ?? null)
}

interface CreditBalance {
  currency: string
  balance: string
  held: string
}

async function readBalances(buyer: Buyer): Promise<CreditBalance[]> {
  const response = await sendRequest(buyer, 'GET', '/api/credit')
  const { balances } = (response?.status === 200 ? response.body : { balances: [] }) as { balances: CreditBalance[] }
  return balances.filter(({ balance }) => readAmount(balance) > 0n)
}

export const withdrawCredit: BuyerOperation = async (buyer, random) => {
  const balances = await readBalances(buyer)
  if (balances.length === 0) return 'skipped'
  const balance = pick(random, balances)
  const companyId = await readCompanyId(buyer)
  return companyId === null ? 'unanswered' : toResult(await sendWithdrawal(buyer, random, { ...balance, companyId }))
}

export async function readCompanyId(buyer: Buyer): Promise<number | null> {
  const response = await sendRequest(buyer, 'GET', `/api/company?searchText=${buyer.company}`, { actor: 'staff' })
  const companies = (response?.status === 200 ? response.body : []) as unknown as { id: number; code: string }[]
  return companies.find(({ code }) => code === buyer.company)?.id ?? null
}

const sendWithdrawal = (
  buyer: Buyer,
  random: Random,
  { companyId, currency, balance }: CreditBalance & { companyId: number },
) => {
  const part = (readAmount(balance) * BigInt(drawBetween(random, 1, 1000))) / 1000n
  return sendRequest(buyer, 'POST', '/api/credit/withdraw', {
    body: {
      company_id: companyId,
      currency,
      amount: writeAmount(part > 0n ? part : 1n),
      balance_before: balance,
      reference: `W${drawBetween(random, 1, 1_000_000_000)}`,
      date: buyer.world.portalDay(),
      reason: 'Campaign',
      confirmation: buyer.company,
    },
    actor: 'staff',
    isRepeated: true,
  })
}
