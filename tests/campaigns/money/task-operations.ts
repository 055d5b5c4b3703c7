/** What the provider's staff do about money that no order waits for: give it back, or apply it after all. */
import { type Chance, pick } from '#tests/support/runner/chance.ts'
import { type Buyer, request } from '#tests/campaigns/money/buyer.ts'
import { type Operation, toResult } from '#tests/campaigns/money/order-operations.ts'

interface PaymentTask {
  id: number
  company_code: string
  reason: string
  state: 'open' | 'refunding' | 'refunded' | 'applied'
}

/** Of this buyer's company; null: there is none. */
async function openTask(
  buyer: Buyer,
  chance: Chance,
  isWanted: (task: PaymentTask) => boolean,
): Promise<PaymentTask | null> {
  const response = await request(buyer, 'GET', '/api/payment/tasks', { as: 'staff' })
  const tasks = response?.status === 200 ? (response.body as unknown as PaymentTask[]) : []
  const open = tasks.filter(({ company_code: company, state }) => company === buyer.company && state === 'open')
  const wanted = open.filter(isWanted)
  return wanted.length > 0 ? pick(chance, wanted) : null
}

const settleTask =
  (action: 'refund' | 'apply', isWanted: (task: PaymentTask) => boolean): Operation =>
  async (buyer, chance) => {
    const task = await openTask(buyer, chance, isWanted)
    if (!task) return 'skipped'
    const path = `/api/payment/tasks/${task.id}/${action}`
    return toResult(await request(buyer, 'POST', path, { body: {}, as: 'staff', isRepeated: true }))
  }

export const refundTask = settleTask('refund', () => true)
/** What was paid already cannot be applied again. */
export const applyTask = settleTask('apply', ({ reason }) => reason !== 'paidAlready')

/** Two of the staff press at the same time: one of them is refused. */
export const refundAndApply: Operation = async (buyer, chance) => {
  const task = await openTask(buyer, chance, () => true)
  if (!task) return 'skipped'
  const press = (action: string) =>
    request(buyer, 'POST', `/api/payment/tasks/${task.id}/${action}`, { body: {}, as: 'staff', isRepeated: true })
  const [refunded, applied] = await Promise.all([press('refund'), press('apply')])
  if (refunded?.status === 200 && applied?.status === 200) throw new Error(`task ${task.id} was refunded and applied`)
  return refunded?.status === 200 ? 'done' : toResult(applied)
}
