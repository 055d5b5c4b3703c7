/** Money that no order waited for, applied after all where that is still possible (fault 5). */
import { describe, expect, test } from 'vitest'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { bought, order, paid, readOrder } from '#tests/support/orders/shop-data.ts'
import { setUpStrayPayments } from '#tests/support/orders/stray-payments.ts'

const dayMs = 86_400_000

onConnections('money that no order waits for', (engine) => {
  const { the, box, people, balance, asSystem, later, tasks, act, why, unaccounted, paidAfterDeletion, paidTooLate } =
    setUpStrayPayments(engine)

  describe('applied', () => {
    const first = async () => (await tasks()).find(({ state }) => state === 'open')?.id ?? 0

    test('fault 5l brings a deleted order back, with contract, invoice and receipt', async () => {
      const made = await paidAfterDeletion('alipay')
      await box.fetch()
      expect((await act(await first(), 'apply')).json()).toMatchObject({ state: 'applied' })
      expect(await readOrder(people.buyer, made.id)).toMatchObject({ status: 1, contract: 'C202603000001' })
      expect((await tasks())[0]).toMatchObject({ state: 'applied', settled: '2026-03-02 10:00:00' })
      expect((await box.fetch()).map(({ subject }) => subject)).toContainEqual(
        expect.stringContaining('Payment received'),
      )
      expect((await order(people.buyer, { code: 'alipay' })).json().errorCode).toBe('DUP_CODE')
      expect(balance()).toBe(Number(made.amount) * 100)
      expect(await unaccounted()).toEqual([])
    })

    test('fault 5l an order whose code is taken by now says so, and the money can be refunded', async () => {
      await paidTooLate()
      expect(why(await act(await first(), 'apply'))).toEqual([409, 'codeTaken'])
      expect((await act(await first(), 'refund')).statusCode).toBe(200)
    })

    test('fault 5l an order that came too late takes effect where its code is still free', async () => {
      const made = (await order(people.buyer)).json()
      await later(8 * dayMs)
      await paid(the.server, made)
      expect((await act(await first(), 'apply')).statusCode).toBe(200)
      expect(await readOrder(people.buyer, made.id)).toMatchObject({ status: 1 })
    })

    test('fault 5l says why it cannot: another sum or currency, paid already, a newer order', async () => {
      const made = (await order(people.buyer)).json()
      await paid(the.server, made, { amount: '41999.99' })
      expect(why(await act(await first(), 'apply'))).toEqual([409, 'anotherAmount'])
      const other = (await order(people.buyer, { code: 'other' })).json()
      await paid(the.server, other, { currency: 'USD' })
      const newest = async () => (await tasks()).filter(({ state }) => state === 'open').at(-1)?.id ?? 0
      expect(why(await act(await newest(), 'apply'))).toEqual([409, 'anotherCurrency'])
      await paid(the.server, other)
      await paid(the.server, other)
      expect(why(await act(await newest(), 'apply'))).toEqual([409, 'paidAlready'])
      const third = (await order(people.buyer, { code: 'third' })).json()
      await order(people.buyer, { code: 'third', users: 11, replaces: third.id })
      await paid(the.server, third)
      expect(why(await act(await newest(), 'apply'))).toEqual([409, 'newerOrder'])
      // Nobody knows at which gateway these were paid.
      expect(why(await act(await newest(), 'refund'))).toEqual([409, 'noGateway'])
      expect(await unaccounted()).toEqual([])
    })

    test('fault 5m backups and traffic are tasks too, and are applied where nothing newer took their place', async () => {
      await bought(the.server, people.buyer)
      const service_id = await serviceIdOf(the.server, 'shop')
      const ask = async (period: number) =>
        (
          await people.buyer.send({
            method: 'POST',
            url: '/api/pdb/order',
            payload: { service_id, pdb_type: 'pdb2s3', period, period_type: 'month' },
          })
        ).json().id as number
      const pay = (kind: 'backup' | 'traffic', id: number, amount: string, reference: string) =>
        asSystem((db) =>
          applyPayment(
            { db, app: the.server.app, now: the.server.clock.now },
            { kind, id },
            {
              gateway: 'test',
              reference,
              amount,
              currency: 'HKD',
              paidAt: the.server.clock.now,
            },
          ),
        )
      const replaced = await ask(6)
      const newer = await ask(12)
      await pay('backup', replaced, '2700.00', 'b1')
      expect(why(await act(await first(), 'apply'))).toEqual([409, 'newerOrder'])
      await later(8 * dayMs)
      await pay('backup', newer, '5400.00', 'b2')
      await asSystem((db) => db.updateTable('backup_order').set({ status: -1 }).where('id', '=', newer).execute())
      const open = (await tasks()).filter(({ state }) => state === 'open')
      expect(open.map(({ reason }) => reason)).toEqual(['replaced', 'tooLate'])
      expect((await act(open.at(-1)?.id ?? 0, 'apply')).statusCode).toBe(200)
      const rows = (await people.buyer.send({ url: `/api/pdb/order?serviceId=${service_id}&results=50` })).json().data
      expect(rows.find((row: { id: number }) => row.id === newer)).toMatchObject({ status: 1 })
      const month = await trafficOf(the.server, 'shop', { isPaid: false })
      await pay('traffic', month, '162.50', 't1')
      await pay('traffic', month, '162.50', 't2')
      const last = (await tasks()).filter(({ state }) => state === 'open').at(-1)
      expect(last).toMatchObject({ reason: 'paidAlready', kind: 'traffic' })
      expect(why(await act(last?.id ?? 0, 'apply'))).toEqual([409, 'paidAlready'])
      expect(await unaccounted()).toEqual([])
    })
  })
})
