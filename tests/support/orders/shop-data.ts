/** A world in which things are sold: the demo world's catalogue, and orders of two companies, made by their own people. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { loadCatalogue } from '#demo/sample-data/catalogue.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import type { Payment } from '#server/use-cases/payments/payable.ts'
import { serviceIdOf } from '#tests/support/hosting/backups.ts'
import type { Engine } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { emptyTables, putBack, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import type { World } from '#tests/support/server/world.ts'

export interface Ordered {
  id: number
  contract_id: number
  amount: string
  status: number
  row_version: number
  [field: string]: unknown
}

export interface Market {
  /** A of the agreed examples, and B. */
  lists: number[]
  moduleId: number
  /** In effect. */
  orders: Record<'alpha' | 'beta', Ordered & { service_id: number }>
}

export const wish = {
  code: 'shop',
  name: 'Shop',
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core', 'fin'],
  period: 1,
  period_start: '2026-03-02',
}

/** A day on which list A is in force. */
export const began = Date.parse('2026-03-02T02:00:00Z')

/** A server for the tests of a file; before each of them the catalogue is new, and it is that day. */
export function setUpShop(engine: Engine) {
  const the = {} as { server: TestServer; lists: number[] }
  beforeAll(async () => {
    the.server = await startServer({ engine })
  }, 90_000)
  afterAll(() => the.server.close())
  beforeEach(async () => {
    the.server.clock.now = began
    the.lists = await resetToShop(the.server)
  })
  return the
}

/** As it was made first in this worker, on the day on which it began. */
let first: { lists: number[]; world: World; snapshot: Snapshot } | null = null

async function resetToShop(server: TestServer): Promise<number[]> {
  const { database } = server.app
  if (first) {
    await emptyTables(database)
    await putBack(database, first.snapshot)
    server.world = structuredClone(first.world)
    return [...first.lists]
  }
  await server.reset()
  const lists = await openShop(server)
  first = { lists: [...lists], world: structuredClone(server.world), snapshot: await takeSnapshot(database) }
  return lists
}

export async function openMarket(server: TestServer): Promise<Market> {
  const lists = await openShop(server)
  const orders = {} as Market['orders']
  for (const company of ['alpha', 'beta'] as const) {
    const by = await server.signIn(`order@${company}`)
    const code = `${company}1`
    const made = await bought(server, by, { code, name: `Shop of ${company}` })
    orders[company] = { ...made, service_id: await serviceIdOf(server, code) }
  }
  return { lists, moduleId: 1, orders }
}

/** The catalogue alone. */
export const openShop = (server: TestServer): Promise<number[]> =>
  inTransaction(server.app, { role: 'portal_system' }, (db) => loadCatalogue(db, server.clock.now, 'Staff'))

export const order = (by: SignedIn, fields: object = {}, headers: Record<string, string> = {}) =>
  by.send({ method: 'POST', url: '/api/sorder', payload: { ...wish, ...fields }, headers })

export const readOrder = async (by: SignedIn, id: number): Promise<Ordered> =>
  (await by.send({ url: `/api/sorder/${id}` })).json()

let references = 0

/** As a gateway tells of it. */
export const paid = (server: TestServer, { id, amount }: Ordered, fields: Partial<Payment> = {}) => {
  const now = server.clock.now
  references += 1
  const payment = {
    gateway: 'test',
    reference: `r${references}`,
    amount,
    currency: 'HKD' as const,
    paidAt: now,
    ...fields,
  }
  return inTransaction(server.app, { role: 'portal_system' }, (db) =>
    applyPayment({ db, app: server.app, now }, { kind: 'order', id }, payment),
  )
}

/** An order that is in effect. */
export async function bought(server: TestServer, by: SignedIn, fields: object = {}): Promise<Ordered> {
  const answer = await order(by, fields)
  if (answer.statusCode !== 200) throw new Error(`nothing was ordered: ${answer.body}`)
  const made = answer.json() as Ordered
  await paid(server, made, { currency: made.currency as 'HKD' })
  return readOrder(by, made.id)
}
