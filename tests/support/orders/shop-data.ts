/** Provides test data for a shop: the demo catalogue, and orders of two companies made by their own users. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { loadCatalogue } from '#demo/sample-data/catalogue.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import type { ReceivedPayment } from '#server/use-cases/payments/payable.ts'
import { readServiceId } from '#tests/support/hosting/backups.ts'
import type { Engine } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { emptyTables, restoreSnapshot, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import type { World } from '#tests/support/server/world.ts'

export interface OrderRow {
  id: number
  contract_id: number
  amount: string
  status: number
  row_version: number
  [field: string]: unknown
}

export interface ShopData {
  /** Ids of the price lists A and B of the agreed examples. */
  priceListIds: number[]
  moduleId: number
  /** Orders in effect. */
  orders: Record<'alpha' | 'beta', OrderRow & { service_id: number }>
}

export const orderInput = {
  code: 'shop',
  name: 'Shop',
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core', 'fin'],
  period: 1,
  period_start: '2026-03-02',
}

/** Time in epoch ms at which list A is in force. */
export const shopOpenedAt = Date.parse('2026-03-02T02:00:00Z')

/** Starts a server for the tests of a file. Before each test the catalogue is reset and the clock is set to `shopOpenedAt`. */
export function setUpShop(engine: Engine) {
  const fixture = {} as { server: TestServer; priceListIds: number[] }
  beforeAll(async () => {
    fixture.server = await startServer({ engine })
  }, 90_000)
  afterAll(() => fixture.server.close())
  beforeEach(async () => {
    fixture.server.clock.now = shopOpenedAt
    fixture.priceListIds = await resetToShop(fixture.server)
  })
  return fixture
}

/** Test data of the first creation in this worker, with its time. */
let firstState: { priceListIds: number[]; world: World; snapshot: Snapshot } | null = null

async function resetToShop(server: TestServer): Promise<number[]> {
  const { database } = server.app
  if (firstState) {
    await emptyTables(database)
    await restoreSnapshot(database, firstState.snapshot)
    server.world = structuredClone(firstState.world)
    return [...firstState.priceListIds]
  }
  await server.reset()
  const priceListIds = await openShop(server)
  firstState = {
    priceListIds: [...priceListIds],
    world: structuredClone(server.world),
    snapshot: await takeSnapshot(database),
  }
  return priceListIds
}

export async function openShopWithOrders(server: TestServer): Promise<ShopData> {
  const priceListIds = await openShop(server)
  const orders = {} as ShopData['orders']
  for (const company of ['alpha', 'beta'] as const) {
    const caller = await server.signIn(`order@${company}`)
    const code = `${company}1`
    const order = await buyOrder(server, caller, { code, name: `Shop of ${company}` })
    orders[company] = { ...order, service_id: await readServiceId(server, code) }
  }
  return { priceListIds, moduleId: 1, orders }
}

/** Loads the catalogue without orders. Returns the ids of the price lists. */
export const openShop = (server: TestServer): Promise<number[]> =>
  runInTransaction(server.app, { role: 'portal_system' }, (db) => loadCatalogue(db, server.clock.now, 'Staff'))

export const placeOrder = (caller: SignedIn, fields: object = {}, headers: Record<string, string> = {}) =>
  caller.send({ method: 'POST', url: '/api/sorder', payload: { ...orderInput, ...fields }, headers })

export const readOrder = async (caller: SignedIn, id: number): Promise<OrderRow> =>
  (await caller.send({ url: `/api/sorder/${id}` })).json()

let referenceCount = 0

/** Records a payment as a gateway's notice does. */
export const payOrder = (server: TestServer, { id, amount }: OrderRow, fields: Partial<ReceivedPayment> = {}) => {
  const now = server.clock.now
  referenceCount += 1
  const payment = {
    gateway: 'test',
    reference: `r${referenceCount}`,
    amount,
    currency: 'HKD' as const,
    paidAt: now,
    ...fields,
  }
  return runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    applyPayment({ db, app: server.app, now }, { kind: 'order', id }, payment),
  )
}

/** Orders and pays a contract. Returns the order. */
export async function buyOrder(server: TestServer, caller: SignedIn, fields: object = {}): Promise<OrderRow> {
  const response = await placeOrder(caller, fields)
  if (response.statusCode !== 200) throw new Error(`nothing was ordered: ${response.body}`)
  const order = response.json() as OrderRow
  await payOrder(server, order, { currency: order.currency as 'HKD' })
  return readOrder(caller, order.id)
}
