/** What buyers do to orders, contracts and backups: make, replace, change, extend and delete them. */
import { pick, between, type Chance } from '#tests/support/runner/chance.ts'
import {
  type Buyer,
  noteOrder,
  type Payable,
  pickSome,
  type PortalResponse,
  readOrder,
  request,
} from '#tests/campaigns/money/buyer.ts'

/**
 * `done`: it took effect. `refused`: the portal said no. `unanswered`: a kill came between, or the gateway was silent. `skipped`:
 * there was nothing to do it to, and another operation is drawn.
 */
export type OperationResult = 'done' | 'refused' | 'unanswered' | 'skipped'
export type Operation = (buyer: Buyer, chance: Chance) => Promise<OperationResult>

const moduleSets = [['core'], ['core', 'fin'], ['core', 'doc'], ['core', 'fin', 'scm']]

export const toResult = (response: PortalResponse | null): OperationResult => {
  if (response === null || response.status >= 500) return 'unanswered'
  return response.status < 300 ? 'done' : 'refused'
}

const ordersOf = ({ payables }: Buyer, states: readonly Payable['state'][]) =>
  payables.filter(({ contractType, state }) => contractType === 'CONTRACT' && states.includes(state))

const newOrder = (buyer: Buyer, chance: Chance, code: string) => ({
  code,
  name: `Service ${code}`,
  currency: pick(chance, ['HKD', 'HKD', 'USD', 'RMB'] as const),
  user_mode: 'CONCURRENT',
  users: between(chance, 5, 40),
  modules: pick(chance, moduleSets),
  period: between(chance, 1, 3),
  period_start: buyer.world.today(),
})

async function order(buyer: Buyer, path: string, body: object): Promise<OperationResult> {
  let response = await request(buyer, 'POST', path, { body, isRepeated: true })
  const discarded = response?.body.errorCode === 'DISCARD_CONFIRM' ? response.body.data?.discarded_amount : undefined
  if (discarded !== undefined) {
    buyer.count('money discarded after a question')
    response = await request(buyer, 'POST', path, { body: { ...body, confirm_discard: discarded }, isRepeated: true })
  }
  if (response?.status === 200) noteOrder(buyer, response)
  return toResult(response)
}

export const create: Operation = async (buyer, chance) => {
  // Meanwhile it may be another day.
  await buyer.world.up()
  const code = `${buyer.company}s${buyer.payables.length}x${between(chance, 0, 999)}`
  return await order(buyer, '/api/sorder', newOrder(buyer, chance, code))
}

/** A new order in the place of one that is not paid, which turns invalid. */
export const replace: Operation = async (buyer, chance) => {
  const former = pickSome(
    chance,
    ordersOf(buyer, ['unpaid']).filter(({ type }) => type === 'create'),
  )
  if (!former) return 'skipped'
  await buyer.world.up()
  const body = { ...newOrder(buyer, chance, former.code), replaces: former.id }
  const result = await order(buyer, '/api/sorder', body)
  if (result === 'done') former.state = 'replaced'
  return result
}

export const removeUnpaid: Operation = async (buyer, chance) => {
  const payable = pickSome(chance, ordersOf(buyer, ['unpaid']))
  return payable ? await removeOrder(buyer, chance, payable) : 'skipped'
}

export async function removeOrder(buyer: Buyer, chance: Chance, payable: Payable): Promise<OperationResult> {
  const noun = payable.type !== 'create' && chance() < 0.5 ? 'contract' : 'sorder'
  const response = await request(buyer, 'DELETE', `/api/${noun}/${payable.id}`, { isRepeated: true })
  const result = toResult(response)
  if (result === 'done') {
    payable.state = 'deleted'
    buyer.claims.push({ kind: 'order', id: payable.id, state: 'deleted' })
  }
  return result
}

interface Contract {
  id: number
  order: Payable
  isExpired: boolean
  /** A change or an extension of it that waits to be paid. */
  pending: Payable | null
}

/** The contract in force of one of the services, or the last one where it is over. */
async function findContract(buyer: Buyer, chance: Chance): Promise<Contract | null> {
  const codes = [...new Set(ordersOf(buyer, ['paid']).map(({ code }) => code))]
  const code = pickSome(chance, codes)
  const all = ordersOf(buyer, ['paid', 'unpaid']).filter((one) => one.code === code)
  for (const one of all.filter(({ state }) => state === 'paid').toReversed()) {
    const row = await readOrder(buyer, one)
    if (row?.state !== 'effective' && row?.state !== 'expired') continue
    const pending = all.find(({ type, state }) => type !== 'create' && state === 'unpaid') ?? null
    return { id: row.contract_id, order: one, isExpired: row.state === 'expired', pending }
  }
  return null
}

type Draw = (contract: Contract, chance: Chance) => object | null

/** More users, or one more module. */
const more: Draw = ({ order: { users, modules } }, chance) =>
  chance() < 0.7 || modules.includes('fin')
    ? { type: 'change', users: users + between(chance, 1, 30) }
    : { type: 'change', modules: [...modules, 'fin'] }

/** Fewer of both: what is paid for them is worth more than what is due, and nothing is paid back. */
const less: Draw = ({ order: { users, modules } }, chance) => {
  const fewer = modules.filter((code) => code === 'core')
  const usersLeft = Math.max(5, users - between(chance, 1, 20))
  if (usersLeft === users && fewer.length === modules.length) return null
  return { type: 'change', users: usersLeft, ...(chance() < 0.5 ? { modules: fewer } : {}) }
}

const longer: Draw = (_contract, chance) => ({ type: 'extend', period: between(chance, 1, 3) })

const changing =
  (draw: Draw, isWanted: (contract: Contract) => boolean): Operation =>
  async (buyer, chance) => {
    const contract = await findContract(buyer, chance)
    if (!contract || !isWanted(contract)) return 'skipped'
    const drawn = draw(contract, chance)
    if (!drawn) return 'skipped'
    const { id, pending } = contract
    const body = { ...drawn, contract_id: id, ...(pending ? { replaces: pending.id } : {}) }
    const result = await order(buyer, '/api/contract', body)
    if (result === 'done' && pending) pending.state = 'replaced'
    return result
  }

export const changeUp = changing(more, ({ isExpired, pending }) => !isExpired && !pending)
export const changeDown = changing(less, ({ isExpired, pending }) => !isExpired && !pending)
export const extend = changing(longer, ({ isExpired, pending }) => !isExpired && !pending)
export const extendExpired = changing(longer, ({ isExpired, pending }) => isExpired && !pending)
/** A change in the place of one that waits to be paid. */
export const replaceChange = changing(more, ({ isExpired, pending }) => !isExpired && pending !== null)

/** The contract before a change that discarded money comes back, for nothing, until midnight. */
export const undo: Operation = async (buyer, chance) => {
  const change = pickSome(
    chance,
    buyer.payables.filter(({ undoable }) => undoable !== null),
  )
  if (!change) return 'skipped'
  const path = `/api/contract/${change.undoable}/undo`
  const result = await order(buyer, path, {})
  if (result !== 'unanswered') change.undoable = null
  return result
}

/** `years`: at most; null: as long as the contract, and longer, so that it is cut (D21). */
const backup =
  (unit: 'month' | 'year', length: [number, number]): Operation =>
  async (buyer, chance) => {
    const contract = await findContract(buyer, chance)
    if (!contract || contract.isExpired) return 'skipped'
    const { code, currency, end } = contract.order
    const found = await request(buyer, 'GET', `/api/aws/service?searchText=${code}`)
    if (found?.status !== 200) return toResult(found)
    const [service] = found.body.data as unknown as { id: number }[]
    if (!service) return 'refused'
    const type = pick(chance, ['pdb2s3', 'pdb2rds'])
    const body = {
      service_id: service.id,
      pdb_type: type,
      period: between(chance, ...length),
      period_type: unit,
    }
    const response = await request(buyer, 'POST', '/api/pdb/order', { body, isRepeated: true })
    if (response?.status !== 200) return toResult(response)
    const id = response.body.id as number
    const due = null
    const more = {
      contractType: 'PDBORDER',
      type: 'backup',
      state: 'unpaid',
      due,
      users: 0,
      modules: [],
      undoable: null,
      pages: [],
    }
    buyer.payables.push({ ...more, id, code, currency, end } as Payable)
    buyer.claims.push({ kind: 'backup', id, state: 'ordered' })
    return 'done'
  }

export const backUpMonths = backup('month', [1, 6])
export const backUpYear = backup('year', [1, 1])
export const backUpToTheEnd = backup('year', [50, 99])
