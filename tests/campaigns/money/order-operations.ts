/** Performs buyers' operations on orders, contracts and backups: create, replace, change, extend and delete. */
import { pick, drawBetween, type Random } from '#tests/support/runner/random.ts'
import {
  type Buyer,
  recordOrder,
  type MoneyPayable,
  pickSome,
  type PortalResponse,
  readOrder,
  sendRequest,
} from '#tests/campaigns/money/buyer.ts'

/**
 * - done: the operation took effect.
 * - refused: the portal refused it.
 * - unanswered: there was no response, because of a kill or a gateway that did not respond.
 * - skipped: no order was suitable, and another operation is drawn.
 */
export type BuyerOperationResult = 'done' | 'refused' | 'unanswered' | 'skipped'
export type BuyerOperation = (buyer: Buyer, random: Random) => Promise<BuyerOperationResult>

const moduleSets = [['core'], ['core', 'fin'], ['core', 'doc'], ['core', 'fin', 'scm']]

export const toResult = (response: PortalResponse | null): BuyerOperationResult => {
  if (response === null || response.status >= 500) return 'unanswered'
  return response.status < 300 ? 'done' : 'refused'
}

const listOrders = ({ payables }: Buyer, states: readonly MoneyPayable['state'][]) =>
  payables.filter(({ contractType, state }) => contractType === 'CONTRACT' && states.includes(state))

const buildOrder = (buyer: Buyer, random: Random, code: string) => ({
  code,
  name: `Service ${code}`,
  currency: pick(random, ['HKD', 'HKD', 'USD', 'RMB'] as const),
  user_mode: 'CONCURRENT',
  users: drawBetween(random, 5, 40),
  modules: pick(random, moduleSets),
  period: drawBetween(random, 1, 3),
  period_start: buyer.world.today(),
})

async function sendOrder(buyer: Buyer, path: string, body: object): Promise<BuyerOperationResult> {
  let response = await sendRequest(buyer, 'POST', path, { body, isRepeated: true })
  const discardedAmount =
    response?.body.errorCode === 'DISCARD_CONFIRM' ? response.body.data?.discarded_amount : undefined
  if (discardedAmount !== undefined) {
    buyer.countEvent('money discarded after a question')
    response = await sendRequest(buyer, 'POST', path, {
      body: { ...body, confirm_discard: discardedAmount },
      isRepeated: true,
    })
  }
  if (response?.status === 200) recordOrder(buyer, response)
  return toResult(response)
}

export const create: BuyerOperation = async (buyer, random) => {
  // The request is built only now, because the date may change while waiting.
  await buyer.world.waitUntilUp()
  const code = `${buyer.company}s${buyer.payables.length}x${drawBetween(random, 0, 999)}`
  return await sendOrder(buyer, '/api/sorder', buildOrder(buyer, random, code))
}

/** Replaces an unpaid order, which becomes invalid, by a new one. */
export const replace: BuyerOperation = async (buyer, random) => {
  const formerOrder = pickSome(
    random,
    listOrders(buyer, ['unpaid']).filter(({ type }) => type === 'create'),
  )
  if (!formerOrder) return 'skipped'
  await buyer.world.waitUntilUp()
  const body = { ...buildOrder(buyer, random, formerOrder.code), replaces: formerOrder.id }
  const result = await sendOrder(buyer, '/api/sorder', body)
  if (result === 'done') formerOrder.state = 'replaced'
  return result
}

export const removeUnpaid: BuyerOperation = async (buyer, random) => {
  const payable = pickSome(random, listOrders(buyer, ['unpaid']))
  return payable ? await removeOrder(buyer, random, payable) : 'skipped'
}

export async function removeOrder(buyer: Buyer, random: Random, payable: MoneyPayable): Promise<BuyerOperationResult> {
  const resource = payable.type !== 'create' && random() < 0.5 ? 'contract' : 'sorder'
  const response = await sendRequest(buyer, 'DELETE', `/api/${resource}/${payable.id}`, { isRepeated: true })
  const result = toResult(response)
  if (result === 'done') {
    payable.state = 'deleted'
    buyer.claims.push({ kind: 'order', id: payable.id, state: 'deleted' })
  }
  return result
}

interface BuyerContract {
  id: number
  order: MoneyPayable
  isExpired: boolean
  /** An unpaid change or extension of the contract, or null. */
  pendingOrder: MoneyPayable | null
}

/** Returns the contract in force of a random service, or its last contract. */
async function findContract(buyer: Buyer, random: Random): Promise<BuyerContract | null> {
  const codes = [...new Set(listOrders(buyer, ['paid']).map(({ code }) => code))]
  const code = pickSome(random, codes)
  const orders = listOrders(buyer, ['paid', 'unpaid']).filter((order) => order.code === code)
  for (const order of orders.filter(({ state }) => state === 'paid').toReversed()) {
    const row = await readOrder(buyer, order)
    if (row?.state !== 'effective' && row?.state !== 'expired') continue
    const pendingOrder = orders.find(({ type, state }) => type !== 'create' && state === 'unpaid') ?? null
    return { id: row.contract_id, order, isExpired: row.state === 'expired', pendingOrder }
  }
  return null
}

type DrawChange = (contract: BuyerContract, random: Random) => object | null

const drawIncrease: DrawChange = ({ order: { users, modules } }, random) =>
  random() < 0.7 || modules.includes('fin')
    ? { type: 'change', users: users + drawBetween(random, 1, 30) }
    : { type: 'change', modules: [...modules, 'fin'] }

/** Removes users and modules. Their unused value exceeds the amount due, and nothing is refunded. */
const drawDecrease: DrawChange = ({ order: { users, modules } }, random) => {
  const fewerModules = modules.filter((code) => code === 'core')
  const remainingUsers = Math.max(5, users - drawBetween(random, 1, 20))
  if (remainingUsers === users && fewerModules.length === modules.length) return null
  return { type: 'change', users: remainingUsers, ...(random() < 0.5 ? { modules: fewerModules } : {}) }
}

const drawExtension: DrawChange = (_contract, random) => ({ type: 'extend', period: drawBetween(random, 1, 3) })

const createChange =
  (drawChange: DrawChange, isSuitable: (contract: BuyerContract) => boolean): BuyerOperation =>
  async (buyer, random) => {
    const contract = await findContract(buyer, random)
    if (!contract || !isSuitable(contract)) return 'skipped'
    const change = drawChange(contract, random)
    if (!change) return 'skipped'
    const { id, pendingOrder } = contract
    const body = { ...change, contract_id: id, ...(pendingOrder ? { replaces: pendingOrder.id } : {}) }
    const result = await sendOrder(buyer, '/api/contract', body)
    if (result === 'done' && pendingOrder) pendingOrder.state = 'replaced'
    return result
  }

export const changeUp = createChange(drawIncrease, ({ isExpired, pendingOrder }) => !isExpired && !pendingOrder)
export const changeDown = createChange(drawDecrease, ({ isExpired, pendingOrder }) => !isExpired && !pendingOrder)
export const extendContract = createChange(drawExtension, ({ isExpired, pendingOrder }) => !isExpired && !pendingOrder)
export const extendExpired = createChange(drawExtension, ({ isExpired, pendingOrder }) => isExpired && !pendingOrder)
export const replaceChange = createChange(
  drawIncrease,
  ({ isExpired, pendingOrder }) => !isExpired && pendingOrder !== null,
)

/** Undoes a change that discarded paid value: restores the earlier contract without payment, until midnight. */
export const undo: BuyerOperation = async (buyer, random) => {
  const undoablePayable = pickSome(
    random,
    buyer.payables.filter(({ undoableContractId }) => undoableContractId !== null),
  )
  if (!undoablePayable) return 'skipped'
  const path = `/api/contract/${undoablePayable.undoableContractId}/undo`
  const result = await sendOrder(buyer, path, {})
  if (result !== 'unanswered') undoablePayable.undoableContractId = null
  return result
}

/**
 * Creates an operation that orders a backup of a random length in months or years. If it is longer than the contract, the portal shortens
 * it (D21).
 */
const createBackup =
  (unit: 'month' | 'year', length: [number, number]): BuyerOperation =>
  async (buyer, random) => {
    const contract = await findContract(buyer, random)
    if (!contract || contract.isExpired) return 'skipped'
    const { code, currency, endRun } = contract.order
    const serviceResponse = await sendRequest(buyer, 'GET', `/api/aws/service?searchText=${code}`)
    if (serviceResponse?.status !== 200) return toResult(serviceResponse)
    const [service] = serviceResponse.body.data as unknown as { id: number }[]
    if (!service) return 'refused'
    const type = pick(random, ['pdb2s3', 'pdb2rds'])
    const body = {
      service_id: service.id,
      pdb_type: type,
      period: drawBetween(random, ...length),
      period_type: unit,
    }
    const response = await sendRequest(buyer, 'POST', '/api/pdb/order', { body, isRepeated: true })
    if (response?.status !== 200) return toResult(response)
    const id = response.body.id as number
    const due = null
    const otherFields = {
      contractType: 'PDBORDER',
      type: 'backup',
      state: 'unpaid',
      due,
      users: 0,
      modules: [],
      undoableContractId: null,
      paymentPages: [],
    }
    buyer.payables.push({ ...otherFields, id, code, currency, endRun } as MoneyPayable)
    buyer.claims.push({ kind: 'backup', id, state: 'ordered' })
    return 'done'
  }

export const backUpMonths = createBackup('month', [1, 6])
export const backUpYear = createBackup('year', [1, 1])
export const backUpToTheEnd = createBackup('year', [50, 99])
