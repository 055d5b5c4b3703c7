/** Tests the scheduled work on orders: each status change is stored and mailed once, also after a crash (contracts 4, D30, D45, D52). */
import { beforeEach, describe, expect, test } from 'vitest'
import { countDaysLeft } from '#domain/plain-dates.ts'
import { claimReminder } from '#server/db/orders/reminders.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { scheduledJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { requestOrderUpkeep } from '#server/jobs/expire-orders.ts'
import { closeTraffic } from '#server/use-cases/hosting/traffic/close-months.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { requestReceipts } from '#server/use-cases/payments/mail-receipts.ts'
import { createBackupOrder, createTraffic } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { buyOrder, placeOrder, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('the order upkeep job', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  const mailBox = createMailBox(() => fixture.server.app)
  beforeEach(async () => {
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('portal_user')
        .set({ alert: true })
        .where('id', 'in', [
          fixture.server.world.users['order@alpha'] ?? 0,
          fixture.server.world.users['disabled@alpha'] ?? 0,
        ])
        .execute(),
    )
    // Most tests need only one recipient.
    await setRights('second@alpha', { orders: false })
    buyer = await fixture.server.signIn('order@alpha')
  })

  async function setDay(day: string): Promise<void> {
    fixture.server.clock.now = Date.parse(`${day}T12:00:00+08:00`)
  }
  async function runAndListMails(): Promise<string[]> {
    await requestOrderUpkeep(fixture.server.app)
    while (await runOneJob(fixture.server.app, scheduledJobKinds));
    return (await mailBox.fetch()).map(({ subject, to }) => `${to.address} ${subject.split(' · ')[0]}`)
  }
  const createMailLine = (subject: string) => [`order@alpha.example ${subject}`]
  const dueMails = createMailLine('An order is waiting for payment')
  const expiryMails = createMailLine('A contract is about to end')
  const expiredMails = createMailLine('A contract has ended')

  test('An unpaid order causes mails 3 days and 1 day before it is cancelled, and when it is cancelled', async () => {
    const { id } = (await placeOrder(buyer)).json()
    const mailsByDay: Record<string, string[]> = {}
    for (const day of [
      '2026-03-05',
      '2026-03-06',
      '2026-03-07',
      '2026-03-08',
      '2026-03-09',
      '2026-03-10',
      '2026-03-11',
    ]) {
      await setDay(day)
      mailsByDay[day] = [...(await runAndListMails()), ...(await runAndListMails())]
    }
    expect(mailsByDay).toEqual({
      '2026-03-05': [],
      '2026-03-06': dueMails,
      '2026-03-07': [],
      '2026-03-08': dueMails,
      '2026-03-09': [],
      '2026-03-10': createMailLine('An order was cancelled'),
      '2026-03-11': [],
    })
    const storedOrder = await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('service_order').select(['stored', 'invalid_reason']).where('id', '=', id).executeTakeFirst(),
    )
    expect(storedOrder).toEqual({ stored: 'invalid', invalid_reason: 'overdue' })
  })

  test('A contract causes mails 60, 30, 14, 7 and 1 days before its last day, and 1 and 7 days after', async () => {
    await buyOrder(fixture.server, buyer)
    const expectedMailsByDay = {
      '2026-12-30': [],
      '2026-12-31': expiryMails,
      '2027-01-30': expiryMails,
      '2027-02-15': expiryMails,
      '2027-02-22': expiryMails,
      '2027-02-28': expiryMails,
      '2027-03-01': [],
      '2027-03-02': expiredMails,
      '2027-03-07': [],
      '2027-03-08': expiredMails,
      '2027-03-20': [],
    }
    const mailsByDay: Record<string, string[]> = {}
    for (const day of Object.keys(expectedMailsByDay)) {
      await setDay(day)
      mailsByDay[day] = [...(await runAndListMails()), ...(await runAndListMails())]
    }
    expect(mailsByDay).toEqual(expectedMailsByDay)
  })

  test('A server that was off for a month sends one reminder, not five', async () => {
    await buyOrder(fixture.server, buyer)
    await setDay('2027-02-25')
    expect(await runAndListMails()).toEqual(expiryMails)
  })

  test('Devices receive the status of a contract that has ended', async () => {
    const { id } = await buyOrder(fixture.server, buyer)
    const url = `/api/company/${fixture.server.world.companies.alpha}/sorder`
    const since = String((await buyer.send({ url })).headers['x-change'])
    await setDay('2027-03-02')
    await runAndListMails()
    buyer = await fixture.server.signIn('order@alpha')
    const { changed, upto: maxSequence } = (await buyer.send({ url: `${url}?since=${since}` })).json()
    expect(changed).toMatchObject([{ id, status: 2 }])
    expect((await buyer.send({ url: `${url}?since=${maxSequence}` })).json().changed).toEqual([])
  })

  test('A reminder is not sent if the order was paid in the meantime', async () => {
    const order = (await placeOrder(buyer)).json()
    await setDay('2026-03-06')
    await requestOrderUpkeep(fixture.server.app)
    while (await runOneJob(fixture.server.app, scheduledJobKinds));
    await payOrder(fixture.server, order)
    expect(await mailBox.fetch()).toEqual([])
    buyer = await fixture.server.signIn('order@alpha')
    expect(await readOrder(buyer, order.id)).toMatchObject({ status: 1 })
  })

  const setRights = (name: string, rights: { alert?: boolean; orders?: boolean }) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db
        .updateTable('portal_user')
        .set(rights)
        .where('id', '=', fixture.server.world.users[name] ?? 0)
        .execute(),
    )
  const listSubjectsByDay = async (days: readonly string[]) => {
    const subjectsByDay: Record<string, string[]> = {}
    for (const day of days) {
      await setDay(day)
      subjectsByDay[day] = (await runAndListMails()).map((line) => line.replace('order@alpha.example ', ''))
    }
    return subjectsByDay
  }

  test('Mails about an unpaid change or extension describe it and state that the contract stays (fault 31c)', async () => {
    const mailCount = mailBox.mails.length
    const { contract_id } = await buyOrder(fixture.server, buyer)
    const sendChange = async (payload: object) =>
      (await buyer.send({ method: 'POST', url: '/api/contract', payload: { contract_id, ...payload } })).json()
    const { id } = await sendChange({ type: 'change', users: 12 })
    await setDay('2026-03-06')
    await runAndListMails()
    const reminder = mailBox.mails.at(-1)
    expect(reminder?.subject).toMatch(/^An order for a running contract is waiting for payment/)
    expect(reminder?.text).toContain('Change (10 → 12 users). HKD ')
    expect(reminder?.text).toContain('is due by 2026-03-09 23:59 (in 3 days).')
    expect(reminder?.text).toContain('The contract and its service code stay as they are.')
    buyer = await fixture.server.signIn('order@alpha')
    await sendChange({ type: 'extend', period: 1, replaces: id })
    await setDay('2026-03-14')
    await runAndListMails()
    const cancellation = mailBox.mails.at(-1)
    expect(cancellation?.subject).toMatch(/^An order for a running contract was cancelled/)
    expect(cancellation?.text).toContain('Extension until 2028-03-01')
    expect(cancellation?.text).toContain('The contract and its service code stay as they are.')
    expect(
      mailBox.mails
        .slice(mailCount)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('becomes free')
  })

  test('Mails count the remaining days as the screens do (fault 31f)', async () => {
    await buyOrder(fixture.server, buyer)
    await setDay('2027-02-22')
    await runAndListMails()
    expect(mailBox.mails.at(-1)?.text).toContain(
      `ends on 2027-03-01 (in ${countDaysLeft('2027-02-22', '2027-03-01')} days)`,
    )
    await setDay('2027-02-28')
    await runAndListMails()
    expect(mailBox.mails.at(-1)?.text).toContain('ends on 2027-03-01 (in 1 day)')
  })

  test('An unpaid backup causes mails 3 days and 1 day before its cancellation, and at its cancellation (fault 32b)', async () => {
    await buyOrder(fixture.server, buyer, { period: 9 })
    await createBackupOrder(fixture.server, 'shop', { status: 0 })
    const unpaidSubject = 'A backup order is waiting for payment'
    expect(
      await listSubjectsByDay([
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
      '2026-03-06': [unpaidSubject],
      '2026-03-07': [],
      '2026-03-08': [unpaidSubject],
      '2026-03-09': [],
      '2026-03-10': ['A backup order was cancelled'],
      '2026-03-11': [],
    })
    expect(mailBox.mails.at(-2)?.text).toContain('Backup to S3. HKD 5,400.00 is due by 2026-03-09 23:59 (in 1 day).')
    expect(mailBox.mails.at(-1)?.text).toContain('The contract stays as it is.')
  })

  test('A backup subscription causes reminders like a contract, unless it was extended (fault 32c)', async () => {
    await buyOrder(fixture.server, buyer, { period: 9 })
    await createBackupOrder(fixture.server, 'shop')
    const [endingSubject, endedSubject] = ['A backup subscription is about to end', 'A backup subscription has ended']
    expect(
      await listSubjectsByDay(['2026-12-30', '2026-12-31', '2027-02-28', '2027-03-01', '2027-03-02', '2027-03-08']),
    ).toEqual({
      '2026-12-30': [],
      '2026-12-31': [endingSubject],
      '2027-02-28': [endingSubject],
      '2027-03-01': [],
      '2027-03-02': [endedSubject],
      '2027-03-08': [endedSubject],
    })
    await createBackupOrder(fixture.server, 'shop', { pdb_type: 'pdb2rds', period_end: '2027-05-02' })
    await createBackupOrder(fixture.server, 'shop', {
      pdb_type: 'pdb2rds',
      period_start: '2027-05-02',
      period_end: '2028-05-02',
    })
    expect(await listSubjectsByDay(['2027-04-25', '2027-05-03'])).toEqual({ '2027-04-25': [], '2027-05-03': [] })
  })

  test('Payment mails go to users with the order right, expiry mails also to users with service mails (fault 32d)', async () => {
    await setRights('order@alpha', { alert: false })
    await setRights('user@alpha', { alert: true, orders: false })
    const listReaders = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]).toSorted()
    const orderResponse = await placeOrder(buyer, { code: 'unpaid' })
    expect(orderResponse.statusCode).toBe(200)
    const { id } = await buyOrder(fixture.server, buyer, { code: 'ending' })
    await createBackupOrder(fixture.server, 'ending', { status: 0 })
    const { app, clock } = fixture.server
    await runInTransaction(app, { role: 'portal_system' }, async (db) => {
      const payable = await findPayable({ db, app, now: clock.now }, { kind: 'order', id })
      if (payable) await requestReceipts(db, { payable, payer: null, now: clock.now })
    })
    expect((await mailBox.fetch()).map(({ to }) => to.address)).toEqual(['order@alpha.example'])
    await setDay('2026-03-06')
    expect(listReaders(await runAndListMails())).toEqual(['order@alpha.example', 'order@alpha.example'])
    await setDay('2026-03-10')
    expect(listReaders(await runAndListMails())).toEqual(['order@alpha.example', 'order@alpha.example'])
    await createTraffic(fixture.server, 'ending', { isPaid: false })
    await setDay('2026-03-20')
    await closeTraffic(fixture.server.app)
    expect((await mailBox.fetch()).map(({ to }) => to.address)).toEqual(['order@alpha.example'])
    await setDay('2027-02-22')
    expect(listReaders(await runAndListMails())).toEqual(['order@alpha.example', 'user@alpha.example'])
  })

  describe('after a crash', () => {
    test('a reminder and its mails are written in one transaction', async () => {
      const order = (await placeOrder(buyer)).json()
      await setDay('2026-03-06')
      const transaction = runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
        const company_id = fixture.server.world.companies.alpha
        expect(await claimReminder(db, { id: order.id, company_id }, { kind: 'due', days: 3 }, 1)).toBe(true)
        throw new Error('cut off')
      })
      await expect(transaction).rejects.toThrow('cut off')
      expect(await runAndListMails()).toEqual(dueMails)
    })

    test('several nodes together send one mail', async () => {
      await placeOrder(buyer)
      await setDay('2026-03-06')
      const runNode = async () => {
        await requestOrderUpkeep(fixture.server.app)
        while (await runOneJob(fixture.server.app, scheduledJobKinds));
      }
      await Promise.all([runNode(), runNode(), runNode()])
      expect(await mailBox.fetch()).toHaveLength(1)
    })
  })
})
