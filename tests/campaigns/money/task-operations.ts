/** Performs staff operations on money that no order expects: refund it or apply it to its order after all. */
import { type Random, pick } from '#tests/support/runner/random.ts'
import { type Buyer, sendRequest } from '#tests/campaigns/money/buyer.ts'
import { type BuyerOperation, toResult } from '#tests/campaigns/money/order-operations.ts'

interface PaymentTask {
  id: number
  company_code: string
  reason: string
  state: 'open' | 'refunding' | 'refunded' | 'applied'
}

/** Returns a random open task of the buyer's company, or null. */
async function findOpenTask(
  buyer: Buyer,
  random: Random,
  isSuitable: (task: PaymentTask) => boolean,
): Promise<PaymentTask | null> {
  const response = await sendRequest(buyer, 'GET', '/api/payment/tasks', { actor: 'staff' })
  const tasks = response?.status === 200 ? (response.body as unknown as PaymentTask[]) : []
  const openTasks = tasks.filter(({ company_code: company, state }) => company === buyer.company && state === 'open')
  const suitableTasks = openTasks.filter(isSuitable)
  return suitableTasks.length > 0 ? pick(random, suitableTasks) : null
}

const createSettleTask =
  (action: 'refund' | 'apply', isSuitable: (task: PaymentTask) => boolean): BuyerOperation =>
  async (buyer, random) => {
    const task = await findOpenTask(buyer, random, isSuitable)
    if (!task) return 'skipped'
    const path = `/api/payment/tasks/${task.id}/${action}`
    return toResult(await sendRequest(buyer, 'POST', path, { body: {}, actor: 'staff', isRepeated: true }))
  }

export const refundTask = createSettleTask('refund', () => true)
/** Applies the money of a task to its order. Excludes money for items that are already paid, because it cannot be applied. */
export const applyTask = createSettleTask('apply', ({ reason }) => reason !== 'paidAlready')

/** Two staff users act at the same time. One of them is refused. */
export const refundAndApply: BuyerOperation = async (buyer, random) => {
  const task = await findOpenTask(buyer, random, () => true)
  if (!task) return 'skipped'
  const sendAction = (action: string) =>
    sendRequest(buyer, 'POST', `/api/payment/tasks/${task.id}/${action}`, {
      body: {},
      actor: 'staff',
      isRepeated: true,
    })
  const [refunded, applied] = await Promise.all([sendAction('refund'), sendAction('apply')])
  if (refunded?.status === 200 && applied?.status === 200) throw new Error(`task ${task.id} was refunded and applied`)
  return refunded?.status === 200 ? 'done' : toResult(applied)
}
