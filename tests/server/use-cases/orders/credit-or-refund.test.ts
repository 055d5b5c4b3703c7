/**
 * Tests that a refund and the credit of a smaller contract never give the same money twice if they run at the same moment (decision 124). Runs
 * only on PostgreSQL: the embedded engine has one connection, so no transaction waits for a lock.
 */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { lockCredit } from '#server/db/payments/credit.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { setUpRefunds } from '#tests/support/orders/refunds.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { type OrderRow, placeOrder, readOrder } from '#tests/support/orders/shop-data.ts'

onConnections('a refund and a smaller contract at the same moment', (engine) => {
  if (engine !== 'postgres') return
  const { actors, fixture, runAsSystem, findFaults, listDocuments, refund, transferFields } = setUpRefunds(engine)
  let contract: OrderRow
  beforeEach(async () => {
    fixture.server.app.config.creditSmallerContracts = true
    const order = (await placeOrder(actors.buyer, { code: 'shop', users: 25 })).json() as OrderRow
    await payFor(actors.buyer, order.id, { token: 'pm_card_visa' })
    contract = await readOrder(actors.buyer, order.id)
  })

  const reduce = () =>
    actors.buyer.send({
      method: 'POST',
      url: '/api/contract',
      payload: { type: 'change', contract_id: contract.contract_id, users: 10 },
    })
  const refundPart = async (fields: Record<string, unknown>) => {
    const [invoice] = await listDocuments()
    if (!invoice) throw new Error('the contract has no invoice')
    return await refund(invoice, { amount: '1.00', refunded_before: '0.00', ...fields })
  }
  const readEntries = () =>
    runAsSystem((db) => db.selectFrom('credit_entry').select('cause').orderBy('id').execute()).then((rows) =>
      rows.map(({ cause }) => cause),
    )
  const countWaiting = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(fixture.server.app.database.kysely)
    return rows[0]?.count
  }

  type Request = () => Promise<{ statusCode: number; json(): unknown }>
  /** Starts the second request while the first one waits for the balance, after it has locked the invoice. Returns both responses. */
  async function sendBoth(first: Request, second: Request) {
    const pending = await runAsSystem(async (db) => {
      await lockCredit(db, { companyId: fixture.server.world.companies.alpha, currency: 'HKD' })
      const requests: ReturnType<Request>[] = []
      for (const send of [first, second]) {
        requests.push(send())
        await expect.poll(countWaiting).toBe(requests.length)
      }
      return { responses: Promise.all(requests) }
    })
    return await pending.responses
  }

  test('the contract discards after a confirmation if the refund is first', async () => {
    const [refundResponse, change] = await sendBoth(() => refundPart({ route: 'credit' }), reduce)
    expect(refundResponse?.statusCode).toBe(200)
    expect(change?.json()).toMatchObject({ errorCode: 'DISCARD_CONFIRM' })
    expect([await readEntries(), await findFaults()]).toEqual([['creditNote'], []])
  })

  test('the refund is refused once if the contract is first', async () => {
    const [change, refundResponse] = await sendBoth(reduce, () => refundPart(transferFields))
    expect(change?.json()).toMatchObject({ state: 'effective', credited: true })
    expect(refundResponse?.json()).toMatchObject({ data: { why: 'credited', refunded_before: '0.00' } })
    expect(await listDocuments()).toMatchObject([{ refunded: '0.00' }])
    expect((await refundPart(transferFields)).statusCode).toBe(200)
    expect([await readEntries(), await findFaults()]).toEqual([['contract'], []])
  })
})
