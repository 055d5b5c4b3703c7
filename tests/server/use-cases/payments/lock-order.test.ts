/**
 * Tests that numbers of contracts and invoices are taken before the counter of services. In the other order, two companies that pay at the
 * same time would deadlock. Runs only on PostgreSQL: the embedded engine has one connection, so no transaction waits for a lock.
 */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { takeServiceChangeNumber } from '#server/db/hosting/services.ts'
import { takeNextNumber } from '#server/db/orders/contracts.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { createBackupOrder, readServiceId, createTraffic } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { buyOrder, placeOrder, type OrderRow, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('taking document numbers', (engine) => {
  if (engine !== 'postgres') return
  const fixture = setUpShop(engine)
  const system = { role: 'portal_system' } as const
  let buyer: SignedIn
  let contract: OrderRow
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    contract = await buyOrder(fixture.server, buyer, { users: 25 })
  })

  const post = async (url: string, payload: object = {}) => {
    const response = await buyer.send({ method: 'POST', url, payload })
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return response.json()
  }
  const buildReduction = () => ({ type: 'change', contract_id: contract.contract_id, users: 10 })
  async function reduce(extraFields: object = {}): Promise<OrderRow> {
    const { discarded_amount } = await post('/api/calculate', buildReduction())
    return await post('/api/contract', { ...buildReduction(), confirm_discard: discarded_amount, ...extraFields })
  }
  const pay = (kind: 'backup' | 'traffic', id: number, amount: string) =>
    runInTransaction(fixture.server.app, system, (db) => {
      const now = fixture.server.clock.now
      const payment = { gateway: 'test', reference: `lock-${kind}`, amount, currency: 'HKD' as const, paidAt: now }
      return applyPayment({ db, app: fixture.server.app, now }, { kind, id }, payment)
    })
  const orderUnpaidChange = (): Promise<OrderRow> =>
    post('/api/contract', { type: 'change', contract_id: contract.contract_id, users: 60 })

  const isAnyWaiting = async () => {
    const { rows } = await sql<{ waiting: boolean }>`select exists (select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock') as waiting`.execute(
      fixture.server.app.database.kysely,
    )
    return rows[0]?.waiting
  }

  /** Each case prepares its rows and returns the call that takes a number. */
  const cases: [string, 'contract' | 'invoice', () => Promise<() => Promise<unknown>>][] = [
    [
      'The payment of an order',
      'invoice',
      async () => {
        const order = (await placeOrder(buyer, { code: 'other' })).json() as OrderRow
        return () => payOrder(fixture.server, order)
      },
    ],
    [
      'The payment of a backup',
      'invoice',
      async () => {
        const payload = { pdb_type: 'pdb2s3', period: 1, period_type: 'year' }
        const { id } = await post('/api/pdb/order', {
          service_id: await readServiceId(fixture.server, 'shop'),
          ...payload,
        })
        return () => pay('backup', id, '5400.00')
      },
    ],
    [
      'The payment of traffic',
      'invoice',
      async () => {
        await createBackupOrder(fixture.server, 'shop')
        const id = await createTraffic(fixture.server, 'shop', { isPaid: false })
        return () => pay('traffic', id, '162.50')
      },
    ],
    ['A change for 0.00', 'contract', async () => reduce],
    [
      'A change for 0.00 that replaces another change',
      'contract',
      async () => {
        const { id } = await orderUnpaidChange()
        return () => reduce({ replaces: id })
      },
    ],
    [
      'An undo',
      'contract',
      async () => {
        const { contract_id: id } = await readOrder(buyer, (await reduce()).id)
        return () => post(`/api/contract/${id}/undo`)
      },
    ],
  ]

  it.each(cases)(
    '%s waits for its number without locking the counter of services (fault 5s)',
    async (_, series, prepare) => {
      const takeNumber = await prepare()
      const { pendingWork } = await runInTransaction(fixture.server.app, system, async (db) => {
        await takeNextNumber(db, series, '2026')
        const pendingWork = takeNumber()
        // Prevents an unhandled rejection. The promise is awaited below.
        pendingWork.catch(() => undefined)
        await expect.poll(isAnyWaiting).toBe(true)
        await sql`set local lock_timeout = '300ms'`.execute(db)
        await takeServiceChangeNumber(db)
        return { pendingWork }
      })
      await pendingWork
    },
  )
})
