/** What the clock does to orders, written down and told once, whatever crashes (contracts 4, D30, D45, D52). */
import { beforeEach, describe, expect, test } from 'vitest'
import { takeReminder } from '#server/db/orders/reminders.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { clockKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { askToTend } from '#server/jobs/expire-orders.ts'
import { onConnections } from '#tests/support/database.ts'
import { mailBox } from '#tests/support/mailed.ts'
import { bought, order, paid, readOrder, setUpShop } from '#tests/support/shop-data.ts'
import type { SignedIn } from '#tests/support/server.ts'

onConnections('orders are tended', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  const box = mailBox(() => the.server.app)
  beforeEach(async () => {
    await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('portal_user')
        .set({ alert: true })
        .where('id', 'in', [the.server.world.users['order@alpha'] ?? 0, the.server.world.users['disabled@alpha'] ?? 0])
        .execute(),
    )
    buyer = await the.server.signIn('order@alpha')
  })

  async function at(day: string): Promise<void> {
    the.server.clock.now = Date.parse(`${day}T12:00:00+08:00`)
  }
  async function tend(): Promise<string[]> {
    await askToTend(the.server.app)
    while (await workOne(the.server.app, clockKinds));
    return (await box.fetch()).map(({ subject, to }) => `${to.address} ${subject.split(' · ')[0]}`)
  }
  const said = (subject: string) => [`order@alpha.example ${subject}`]
  const due = said('An order is waiting for payment')
  const expiry = said('A contract is about to end')
  const expired = said('A contract has ended')

  test('an unpaid one is reminded of 3 days and 1 day before, and told when it is over', async () => {
    const { id } = (await order(buyer)).json()
    const told: Record<string, string[]> = {}
    for (const day of [
      '2026-03-05',
      '2026-03-06',
      '2026-03-07',
      '2026-03-08',
      '2026-03-09',
      '2026-03-10',
      '2026-03-11',
    ]) {
      await at(day)
      told[day] = [...(await tend()), ...(await tend())]
    }
    expect(told).toEqual({
      '2026-03-05': [],
      '2026-03-06': due,
      '2026-03-07': [],
      '2026-03-08': due,
      '2026-03-09': [],
      '2026-03-10': said('An order was cancelled'),
      '2026-03-11': [],
    })
    const stored = await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('service_order').select(['stored', 'invalid_why']).where('id', '=', id).executeTakeFirst(),
    )
    expect(stored).toEqual({ stored: 'invalid', invalid_why: 'overdue' })
  })

  test('a contract is reminded of 60, 30, 14, 7 and 1 days before its last day, and 1 and 7 after', async () => {
    await bought(the.server, buyer)
    const days = {
      '2026-12-30': [],
      '2026-12-31': expiry,
      '2027-01-30': expiry,
      '2027-02-15': expiry,
      '2027-02-22': expiry,
      '2027-02-28': expiry,
      '2027-03-01': [],
      '2027-03-02': expired,
      '2027-03-07': [],
      '2027-03-08': expired,
      '2027-03-20': [],
    }
    const told: Record<string, string[]> = {}
    for (const day of Object.keys(days)) {
      await at(day)
      told[day] = [...(await tend()), ...(await tend())]
    }
    expect(told).toEqual(days)
  })

  test('who slept for a month sends one reminder, not five', async () => {
    await bought(the.server, buyer)
    await at('2027-02-25')
    expect(await tend()).toEqual(expiry)
  })

  test('devices are told of a contract that has ended', async () => {
    const { id } = await bought(the.server, buyer)
    const url = `/api/company/${the.server.world.companies.alpha}/sorder`
    const since = String((await buyer.send({ url })).headers['x-change'])
    await at('2027-03-02')
    await tend()
    buyer = await the.server.signIn('order@alpha')
    const { changed, upto } = (await buyer.send({ url: `${url}?since=${since}` })).json()
    expect(changed).toMatchObject([{ id, status: 2 }])
    expect((await buyer.send({ url: `${url}?since=${upto}` })).json().changed).toEqual([])
  })

  test('a mail that is no longer true when it is sent is not sent', async () => {
    const made = (await order(buyer)).json()
    await at('2026-03-06')
    await askToTend(the.server.app)
    while (await workOne(the.server.app, clockKinds));
    await paid(the.server, made)
    expect(await box.fetch()).toEqual([])
    buyer = await the.server.signIn('order@alpha')
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1 })
  })

  describe('whatever crashes', () => {
    test('a reminder and its mails are one: cut off, both are made again', async () => {
      const made = (await order(buyer)).json()
      await at('2026-03-06')
      const cut = inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
        const company_id = the.server.world.companies.alpha
        expect(await takeReminder(db, { id: made.id, company_id }, { of: 'due', days: 3 }, 1)).toBe(true)
        throw new Error('cut off')
      })
      await expect(cut).rejects.toThrow('cut off')
      expect(await tend()).toEqual(due)
    })

    test('several nodes at once send one', async () => {
      await order(buyer)
      await at('2026-03-06')
      const node = async () => {
        await askToTend(the.server.app)
        while (await workOne(the.server.app, clockKinds));
      }
      await Promise.all([node(), node(), node()])
      expect(await box.fetch()).toHaveLength(1)
    })
  })
})
