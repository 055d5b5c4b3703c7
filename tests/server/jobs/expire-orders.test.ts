/** What the clock does to orders, written down and told once, whatever crashes (contracts 4, D30, D45, D52). */
import { beforeEach, describe, expect, test } from 'vitest'
import { daysLeft } from '#domain/period.ts'
import { takeReminder } from '#server/db/orders/reminders.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { clockKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { askToTend } from '#server/jobs/expire-orders.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { askForReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import { backupOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { bought, order, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

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
    // One reader is enough for most of the tests.
    await setRights('second@alpha', { orders: false })
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

  const setRights = (name: string, rights: { alert?: boolean; orders?: boolean }) =>
    inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('portal_user')
        .set(rights)
        .where('id', '=', the.server.world.users[name] ?? 0)
        .execute(),
    )
  const subjectsOn = async (days: readonly string[]) => {
    const subjects: Record<string, string[]> = {}
    for (const day of days) {
      await at(day)
      subjects[day] = (await tend()).map((line) => line.replace('order@alpha.example ', ''))
    }
    return subjects
  }

  test('fault 31c mails about an unpaid change or extension say what it changes, and that the contract stays', async () => {
    const before = box.mails.length
    const { contract_id } = await bought(the.server, buyer)
    const send = async (payload: object) =>
      (await buyer.send({ method: 'POST', url: '/api/contract', payload: { contract_id, ...payload } })).json()
    const { id } = await send({ type: 'change', users: 12 })
    await at('2026-03-06')
    await tend()
    const reminder = box.mails.at(-1)
    expect(reminder?.subject).toMatch(/^An order for a running contract is waiting for payment/)
    expect(reminder?.text).toContain('Change (10 → 12 users). HKD ')
    expect(reminder?.text).toContain('is due by 2026-03-09 23:59 (in 3 days).')
    expect(reminder?.text).toContain('The contract and its service code stay as they are.')
    buyer = await the.server.signIn('order@alpha')
    await send({ type: 'extend', period: 1, replaces: id })
    await at('2026-03-14')
    await tend()
    const cancelled = box.mails.at(-1)
    expect(cancelled?.subject).toMatch(/^An order for a running contract was cancelled/)
    expect(cancelled?.text).toContain('Extension until 2028-03-01')
    expect(cancelled?.text).toContain('The contract and its service code stay as they are.')
    expect(
      box.mails
        .slice(before)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('becomes free')
  })

  test('fault 31f mails count the days that are left as the screens do', async () => {
    await bought(the.server, buyer)
    await at('2027-02-22')
    await tend()
    expect(box.mails.at(-1)?.text).toContain(`ends on 2027-03-01 (in ${daysLeft('2027-02-22', '2027-03-01')} days)`)
    await at('2027-02-28')
    await tend()
    expect(box.mails.at(-1)?.text).toContain('ends on 2027-03-01 (in 1 day)')
  })

  test('fault 32b an unpaid backup is reminded of 3 days and 1 day before, and told when it is cancelled', async () => {
    await bought(the.server, buyer, { period: 9 })
    await backupOf(the.server, 'shop', { status: 0 })
    const unpaid = 'A backup order is waiting for payment'
    expect(
      await subjectsOn([
        '2026-03-05',
        '2026-03-06',
        '2026-03-07',
        '2026-03-08',
        '2026-03-09',
        '2026-03-10',
        '2026-03-11',
      ]),
    ).toEqual({
      '2026-03-05': [],
      '2026-03-06': [unpaid],
      '2026-03-07': [],
      '2026-03-08': [unpaid],
      '2026-03-09': [],
      '2026-03-10': ['A backup order was cancelled'],
      '2026-03-11': [],
    })
    expect(box.mails.at(-2)?.text).toContain('Backup to S3. HKD 5,400.00 is due by 2026-03-09 23:59 (in 1 day).')
    expect(box.mails.at(-1)?.text).toContain('The contract stays as it is.')
  })

  test('fault 32c a subscription is reminded of before and after its end as a contract, unless it was extended', async () => {
    await bought(the.server, buyer, { period: 9 })
    await backupOf(the.server, 'shop')
    const [ending, ended] = ['A backup subscription is about to end', 'A backup subscription has ended']
    expect(
      await subjectsOn(['2026-12-30', '2026-12-31', '2027-02-28', '2027-03-01', '2027-03-02', '2027-03-08']),
    ).toEqual({
      '2026-12-30': [],
      '2026-12-31': [ending],
      '2027-02-28': [ending],
      '2027-03-01': [],
      '2027-03-02': [ended],
      '2027-03-08': [ended],
    })
    await backupOf(the.server, 'shop', { pdb_type: 'pdb2rds', period_end: '2027-05-02' })
    await backupOf(the.server, 'shop', { pdb_type: 'pdb2rds', period_start: '2027-05-02', period_end: '2028-05-02' })
    expect(await subjectsOn(['2027-04-25', '2027-05-03'])).toEqual({ '2027-04-25': [], '2027-05-03': [] })
  })

  test('fault 32d mails about money go to who may order, and those about an end to who wants service mails as well', async () => {
    await setRights('order@alpha', { alert: false })
    await setRights('user@alpha', { alert: true, orders: false })
    const readers = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]).toSorted()
    const unpaid = await order(buyer, { code: 'unpaid' })
    expect(unpaid.statusCode).toBe(200)
    const { id } = await bought(the.server, buyer, { code: 'ending' })
    await backupOf(the.server, 'ending', { status: 0 })
    await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      askForReceipts(db, {
        companyId: the.server.world.companies.alpha,
        of: { kind: 'order', id },
        payer: null,
        now: the.server.clock.now,
      }),
    )
    expect((await box.fetch()).map(({ to }) => to.address)).toEqual(['order@alpha.example'])
    await at('2026-03-06')
    expect(readers(await tend())).toEqual(['order@alpha.example', 'order@alpha.example'])
    await at('2026-03-10')
    expect(readers(await tend())).toEqual(['order@alpha.example', 'order@alpha.example'])
    await trafficOf(the.server, 'ending', { isPaid: false })
    await at('2026-03-20')
    await closeTraffic(the.server.app)
    expect((await box.fetch()).map(({ to }) => to.address)).toEqual(['order@alpha.example'])
    await at('2027-02-22')
    expect(readers(await tend())).toEqual(['order@alpha.example', 'user@alpha.example'])
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
