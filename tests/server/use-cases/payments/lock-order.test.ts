/**
 * Numbers of contracts and invoices are taken before the counter of services. In the other order two companies that pay at the same time
 * deadlock. Only on PostgreSQL: the embedded engine has one connection, so nothing ever waits.
 */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { takeServiceChange } from '#server/db/hosting/services.ts'
import { nextNumber } from '#server/db/orders/contracts.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { backupOf, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { bought, order, type Ordered, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('while the counter of services is free', (engine) => {
  if (engine !== 'postgres') return
  const the = setUpShop(engine)
  const system = { role: 'portal_system' } as const
  let buyer: SignedIn
  let contract: Ordered
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
    contract = await bought(the.server, buyer, { users: 25 })
  })

  const post = async (url: string, payload: object = {}) => {
    const answer = await buyer.send({ method: 'POST', url, payload })
    expect([answer.statusCode, answer.body]).toEqual([200, answer.body])
    return answer.json()
  }
  const down = () => ({ type: 'change', contract_id: contract.contract_id, users: 10 })
  async function reduce(more: object = {}): Promise<Ordered> {
    const { discarded_amount } = await post('/api/calculate', down())
    return await post('/api/contract', { ...down(), confirm_discard: discarded_amount, ...more })
  }
  const pay = (kind: 'backup' | 'traffic', id: number, amount: string) =>
    inTransaction(the.server.app, system, (db) => {
      const now = the.server.clock.now
      const payment = { gateway: 'test', reference: `lock-${kind}`, amount, currency: 'HKD' as const, paidAt: now }
      return applyPayment({ db, app: the.server.app, now }, { kind, id }, payment)
    })
  const unpaidChange = (): Promise<Ordered> =>
    post('/api/contract', { type: 'change', contract_id: contract.contract_id, users: 60 })

  const isAnyWaiting = async () => {
    const { rows } = await sql<{ waiting: boolean }>`select exists (select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock') as waiting`.execute(
      the.server.app.database.kysely,
    )
    return rows[0]?.waiting
  }

  /** Each prepares its rows, and returns the call that takes a number. */
  const works: [string, 'contract' | 'invoice', () => Promise<() => Promise<unknown>>][] = [
    [
      'an order that is paid',
      'invoice',
      async () => {
        const made = (await order(buyer, { code: 'other' })).json() as Ordered
        return () => paid(the.server, made)
      },
    ],
    [
      'a backup that is paid',
      'invoice',
      async () => {
        const payload = { pdb_type: 'pdb2s3', period: 1, period_type: 'year' }
        const { id } = await post('/api/pdb/order', { service_id: await serviceIdOf(the.server, 'shop'), ...payload })
        return () => pay('backup', id, '5400.00')
      },
    ],
    [
      'traffic that is paid',
      'invoice',
      async () => {
        await backupOf(the.server, 'shop')
        const id = await trafficOf(the.server, 'shop', { isPaid: false })
        return () => pay('traffic', id, '162.50')
      },
    ],
    ['a change over 0.00', 'contract', async () => reduce],
    [
      'a change over 0.00 in the place of another one',
      'contract',
      async () => {
        const { id } = await unpaidChange()
        return () => reduce({ replaces: id })
      },
    ],
    [
      'an undo',
      'contract',
      async () => {
        const { contract_id: id } = await readOrder(buyer, (await reduce()).id)
        return () => post(`/api/contract/${id}/undo`)
      },
    ],
  ]

  it.each(works)('fault 5s %s waits for its number without holding the counter', async (_, series, prepare) => {
    const work = await prepare()
    const { done } = await inTransaction(the.server.app, system, async (db) => {
      await nextNumber(db, series, '2026')
      const done = work()
      // Awaited below: a failure here is not lost.
      done.catch(() => undefined)
      await expect.poll(isAnyWaiting).toBe(true)
      await sql`set local lock_timeout = '300ms'`.execute(db)
      await takeServiceChange(db)
      return { done }
    })
    await done
  })
})
