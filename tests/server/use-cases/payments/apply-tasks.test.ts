/** Tests money without a payable order, which is applied later if that is still possible (fault 5). */
import { describe, expect, test } from 'vitest'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { readServiceId, createTraffic } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { buyOrder, placeOrder, payOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import { setUpUnmatchedPayments } from '#tests/support/orders/unmatched-payments.ts'

const dayMs = 86_400_000

onConnections('money without a payable order', (engine) => {
  const {
    fixture,
    inbox,
    actors,
    balance,
    runAsSystem,
    advanceClock,
    listTasks,
    performAction,
    readReason,
    findUnaccountedPayments,
    paidAfterDeletion,
    paidTooLate,
  } = setUpUnmatchedPayments(engine)

  describe('applying a payment task', () => {
    const findOpenTaskId = async () => (await listTasks()).find(({ state }) => state === 'open')?.id ?? 0

    test('restores a deleted order with contract, invoice and receipt (fault 5l)', async () => {
      const order = await paidAfterDeletion('alipay')
      await inbox.fetch()
      expect((await performAction(await findOpenTaskId(), 'apply')).json()).toMatchObject({ state: 'applied' })
      expect(await readOrder(actors.buyer, order.id)).toMatchObject({ status: 1, contract: 'C202603000001' })
      expect((await listTasks())[0]).toMatchObject({ state: 'applied', settled: '2026-03-02 10:00:00' })
      expect((await inbox.fetch()).map(({ subject }) => subject)).toContainEqual(
        expect.stringContaining('Payment received'),
      )
      expect((await placeOrder(actors.buyer, { code: 'alipay' })).json().errorCode).toBe('DUP_CODE')
      expect(balance()).toBe(Number(order.amount) * 100)
      expect(await findUnaccountedPayments()).toEqual([])
    })

    test('is refused if the code is used by then, and the money can be refunded (fault 5l)', async () => {
      await paidTooLate()
      expect(readReason(await performAction(await findOpenTaskId(), 'apply'))).toEqual([409, 'codeTaken'])
      expect((await performAction(await findOpenTaskId(), 'refund')).statusCode).toBe(200)
    })

    test('makes an expired order active if its code is still free (fault 5l)', async () => {
      const order = (await placeOrder(actors.buyer)).json()
      await advanceClock(8 * dayMs)
      await payOrder(fixture.server, order)
      expect((await performAction(await findOpenTaskId(), 'apply')).statusCode).toBe(200)
      expect(await readOrder(actors.buyer, order.id)).toMatchObject({ status: 1 })
    })

    test('is refused with the reason: other amount or currency, already paid, newer order (fault 5l)', async () => {
      const order = (await placeOrder(actors.buyer)).json()
      await payOrder(fixture.server, order, { amount: '41999.99' })
      expect(readReason(await performAction(await findOpenTaskId(), 'apply'))).toEqual([409, 'anotherAmount'])
      const otherOrder = (await placeOrder(actors.buyer, { code: 'other' })).json()
      await payOrder(fixture.server, otherOrder, { currency: 'USD' })
      const findLatestTaskId = async () => (await listTasks()).filter(({ state }) => state === 'open').at(-1)?.id ?? 0
      expect(readReason(await performAction(await findLatestTaskId(), 'apply'))).toEqual([409, 'anotherCurrency'])
      await payOrder(fixture.server, otherOrder)
      await payOrder(fixture.server, otherOrder)
      expect(readReason(await performAction(await findLatestTaskId(), 'apply'))).toEqual([409, 'paidAlready'])
      const thirdOrder = (await placeOrder(actors.buyer, { code: 'third' })).json()
      await placeOrder(actors.buyer, { code: 'third', users: 11, replaces: thirdOrder.id })
      await payOrder(fixture.server, thirdOrder)
      expect(readReason(await performAction(await findLatestTaskId(), 'apply'))).toEqual([409, 'newerOrder'])
      // The portal has no gateway for these payments, so they cannot be refunded.
      expect(readReason(await performAction(await findLatestTaskId(), 'refund'))).toEqual([409, 'noGateway'])
      expect(await findUnaccountedPayments()).toEqual([])
    })

    test('works for backups and traffic unless a newer order replaced them (fault 5m)', async () => {
      await buyOrder(fixture.server, actors.buyer)
      const service_id = await readServiceId(fixture.server, 'shop')
      const orderBackup = async (period: number) =>
        (
          await actors.buyer.send({
            method: 'POST',
            url: '/api/pdb/order',
            payload: { service_id, pdb_type: 'pdb2s3', period, period_type: 'month' },
          })
        ).json().id as number
      const pay = (kind: 'backup' | 'traffic', id: number, amount: string, reference: string) =>
        runAsSystem((db) =>
          applyPayment(
            { db, app: fixture.server.app, now: fixture.server.clock.now },
            { kind, id },
            {
              gateway: 'test',
              reference,
              amount,
              currency: 'HKD',
              paidAt: fixture.server.clock.now,
            },
          ),
        )
      const replacedId = await orderBackup(6)
      const newerId = await orderBackup(12)
      await pay('backup', replacedId, '2700.00', 'b1')
      expect(readReason(await performAction(await findOpenTaskId(), 'apply'))).toEqual([409, 'newerOrder'])
      await advanceClock(8 * dayMs)
      await pay('backup', newerId, '5400.00', 'b2')
      await runAsSystem((db) => db.updateTable('backup_order').set({ status: -1 }).where('id', '=', newerId).execute())
      const openTasks = (await listTasks()).filter(({ state }) => state === 'open')
      expect(openTasks.map(({ reason }) => reason)).toEqual(['replaced', 'tooLate'])
      expect((await performAction(openTasks.at(-1)?.id ?? 0, 'apply')).statusCode).toBe(200)
      const rows = (await actors.buyer.send({ url: `/api/pdb/order?serviceId=${service_id}&results=50` })).json().data
      expect(rows.find((row: { id: number }) => row.id === newerId)).toMatchObject({ status: 1 })
      const trafficId = await createTraffic(fixture.server, 'shop', { isPaid: false })
      await pay('traffic', trafficId, '162.50', 't1')
      await pay('traffic', trafficId, '162.50', 't2')
      const lastTask = (await listTasks()).filter(({ state }) => state === 'open').at(-1)
      expect(lastTask).toMatchObject({ reason: 'paidAlready', kind: 'traffic' })
      expect(readReason(await performAction(lastTask?.id ?? 0, 'apply'))).toEqual([409, 'paidAlready'])
      expect(await findUnaccountedPayments()).toEqual([])
    })
  })
})
