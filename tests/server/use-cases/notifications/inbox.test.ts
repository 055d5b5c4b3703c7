/** Tests notifications: who gets them, exactly once, their read state, and the choice of channels. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NotificationRow } from '#contract/notifications.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { recordBackupOutcome } from '#server/use-cases/hosting/backups/failing-backups.ts'
import { updateService } from '#server/db/hosting/services.ts'
import { insertNotification } from '#server/db/notifications/notifications.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { requestOrderUpkeep } from '#server/jobs/expire-orders.ts'
import { scheduledJobKinds } from '#server/jobs/job-registry.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import { startVerification } from '#tests/server/jobs/requests.ts'
import { readServiceId } from '#tests/support/hosting/backups.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { buyOrder, placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const dayMs = 86_400_000

eachEngineByNight('notifications', (engine) => {
  const fixture = setUpShop(engine)
  const mailBox = createMailBox(() => fixture.server.app)
  let buyer: SignedIn
  let second: SignedIn
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    second = await fixture.server.signIn('second@alpha')
  })
  afterEach(() => {
    fixture.server.app.config.hosting = 'local'
    fixture.server.app.hosting = noHosting
  })

  const readInbox = async (caller: SignedIn, query = '') =>
    (await caller.send({ url: `/api/m18s/notification${query}` })).json<{
      unread: number
      more: boolean
      data: NotificationRow[]
    }>()
  const readKinds = async (caller: SignedIn) => (await readInbox(caller)).data.map(({ kind }) => kind)
  const markRead = (caller: SignedIn, payload: object) =>
    caller.send({ method: 'POST', url: '/api/m18s/notification/read', payload })
  const choose = (caller: SignedIn, event: string, channel: string, on: boolean) =>
    caller.send({
      method: 'PUT',
      url: '/api/m18s/notification/choice',
      payload: { event, channel, on },
      headers: { 'idempotency-key': `${event}-${channel}-${on}-${Math.random()}` },
    })
  async function runUpkeep() {
    await requestOrderUpkeep(fixture.server.app)
    while (await runOneJob(fixture.server.app, scheduledJobKinds));
  }
  const setAlert = (...userNames: string[]) =>
    writeAsSystem(fixture.server.app, (db) =>
      db
        .updateTable('portal_user')
        .set({ alert: true })
        .where(
          'id',
          'in',
          userNames.map((name) => fixture.server.world.users[name] ?? 0),
        )
        .execute(),
    )

  test('An unpaid order is announced to colleagues with the order right, then to all of them near its due time, once', async () => {
    const { id } = (await placeOrder(buyer)).json()
    expect([await readKinds(buyer), await readKinds(second)]).toEqual([[], ['payment-due']])
    fixture.server.clock.now = Date.parse('2026-03-08T12:00:00+08:00')
    await runUpkeep()
    fixture.server.clock.now += 3_600_000
    await runUpkeep()
    buyer = await fixture.server.signIn('order@alpha')
    const { data, unread } = await readInbox(buyer)
    expect(unread).toBe(1)
    expect(data).toMatchObject([
      {
        kind: 'payment-due',
        order_id: id,
        is_read: false,
        create_time: '2026-03-08 12:00:00',
        facts: { payable: 'order', type: 'create', currency: 'HKD', due: '2026-03-09 23:59:59' },
      },
    ])
    expect(await readKinds(await fixture.server.signIn('admin@alpha'))).toEqual([])
    expect(await readKinds(await fixture.server.signIn('order@beta'))).toEqual([])
    fixture.server.clock.now = Date.parse('2026-03-10T12:00:00+08:00')
    await runUpkeep()
    expect(await readKinds(await fixture.server.signIn('order@alpha'))).toEqual(['payment-late', 'payment-due'])
  })

  test('Reminders of two business days are two notifications, also within one day of UTC', async () => {
    await placeOrder(buyer)
    for (const time of ['2026-03-07T10:00:00+08:00', '2026-03-08T00:30:00+08:00']) {
      fixture.server.clock.now = Date.parse(time)
      await runUpkeep()
    }
    expect(await readKinds(await fixture.server.signIn('order@alpha'))).toEqual(['payment-due', 'payment-due'])
  })

  test('The end of a long request is reported once to the user who started it, with its result', async () => {
    const staff = await fixture.server.signIn('admin@m18')
    const output = { companies: 0, rows: 0, broken: [], store: false }
    const kind = (step: JobKind['step']) => ({ 'verify-trail': { isResumable: false, step } })
    await startVerification(staff)
    await runOneJob(
      fixture.server.app,
      kind(async () => ({ kind: 'done', output })),
    )
    await startVerification(staff)
    await runOneJob(
      fixture.server.app,
      kind(async () => Promise.reject(new Error('broken'))),
    )
    const { data } = await readInbox(staff)
    expect(data).toMatchObject([
      { kind: 'task-failed', facts: { task: 'verifyTrail', problem: 'INTERRUPTED' } },
      { kind: 'task-done', facts: { task: 'verifyTrail' } },
    ])
    expect(await readKinds(await fixture.server.signIn('delete@m18'))).toEqual([])
  })

  test('A service that fails and recovers is reported to alerted users of its company and alerted staff', async () => {
    const { app } = fixture.server
    await setAlert('user@alpha', 'user@beta', 'admin@m18')
    const { id } = await buyOrder(fixture.server, buyer, { code: 'alpha1' })
    const serviceId = await readServiceId(fixture.server, 'alpha1')
    await writeAsSystem(app, (db) => updateService(db, serviceId, { system_status: 2, online: 1 }, app.clock()))
    app.config.hosting = 'local'
    app.hosting = { ...noHosting, lookAll: async () => [] }
    await checkServices(app)
    await checkServices(app)
    const alerted = await fixture.server.signIn('user@alpha')
    expect((await readInbox(alerted)).data).toMatchObject([
      { kind: 'service-down', order_id: id, facts: { code: 'alpha1' } },
    ])
    await writeAsSystem(app, (db) =>
      recordBackupOutcome(db, { serviceId, type: 'pdb2s3', fault: 'unreachable' }, app.clock()),
    )
    await writeAsSystem(app, (db) =>
      recordBackupOutcome(db, { serviceId, type: 'pdb2s3', fault: 'unreachable' }, app.clock()),
    )
    for (const user of ['user@alpha', 'admin@m18'])
      expect(await readKinds(await fixture.server.signIn(user))).toEqual(['backup-failed', 'service-down'])
    expect(await readKinds(await fixture.server.signIn('user@beta'))).toEqual([])
  })

  test('A refused change that has waited on the device is reported once, and one that was just made is not', async () => {
    const admin = await fixture.server.signIn('admin@alpha')
    const disable = (key: string, headers: object) =>
      admin.send({
        method: 'POST',
        url: `/api/users/disable/${fixture.server.world.users['admin@alpha']}`,
        headers: { 'idempotency-key': key, ...headers },
      })
    expect((await disable('just-made', {})).statusCode).toBeGreaterThanOrEqual(400)
    expect(await readKinds(admin)).toEqual([])
    for (let count = 0; count < 2; count++) await disable('late', { 'x-waited': '3600' })
    expect((await readInbox(admin)).data).toMatchObject([
      { kind: 'change-rejected', facts: { call: 'disableUser', problem: 'SELF_FORBIDDEN' } },
    ])
  })

  test('A late DELETE of a row that was deleted meanwhile is not reported, because the device regards it as done', async () => {
    const { id, row_version } = (await placeOrder(buyer)).json()
    const remove = (key: string, headers: object) =>
      buyer.send({
        method: 'DELETE',
        url: `/api/sorder/${id}`,
        headers: { 'idempotency-key': key, 'if-match': `"${row_version}"`, ...headers },
      })
    expect((await remove('first', {})).statusCode).toBe(204)
    expect((await remove('late', { 'x-waited': '3600' })).statusCode).toBe(404)
    expect(await readKinds(buyer)).toEqual([])
  })

  test('Reading is per user: one, all up to an id, and never those of another user', async () => {
    await placeOrder(buyer)
    await placeOrder(buyer, { code: 'other1' })
    const { data } = await readInbox(second)
    const [later, earlier] = data.map(({ id }) => id)
    expect((await markRead(buyer, { ids: [later, earlier] })).json()).toEqual({ unread: 0 })
    expect((await readInbox(second)).unread).toBe(2)
    expect((await markRead(second, { ids: [earlier] })).json()).toEqual({ unread: 1 })
    expect((await readInbox(second)).data.map(({ is_read }) => is_read)).toEqual([false, true])
    for (let count = 0; count < 2; count++)
      expect((await markRead(second, { up_to: later })).json()).toEqual({ unread: 0 })
    const page = await readInbox(second, '?results=1')
    expect([page.more, page.data.map(({ id }) => id)]).toEqual([true, [later]])
    const nextPage = await readInbox(second, `?results=1&before=${later}`)
    expect([nextPage.more, nextPage.data.map(({ id }) => id)]).toEqual([false, [earlier]])
  })

  test('Hostile values are refused and change nothing', async () => {
    await placeOrder(buyer)
    for (const payload of [
      { ids: ['1'] },
      { ids: [-1] },
      { ids: [1e10] },
      { ids: Array.from({ length: 101 }, () => 1) },
      { up_to: 0.5 },
      { up_to: '1; delete' },
    ])
      expect((await markRead(second, payload)).statusCode).toBe(400)
    expect((await second.send({ url: '/api/m18s/notification?results=101' })).statusCode).toBe(400)
    expect((await second.send({ url: '/api/m18s/notification?before=0' })).statusCode).toBe(400)
    for (const [event, channel] of [
      ['device', 'mail'],
      ['service', 'mail'],
      ['task', 'mail'],
      ['staff', 'portal'],
      ['__proto__', 'portal'],
      ['payment', 'pigeon'],
    ] as const)
      expect((await choose(second, event, channel, false)).statusCode).toBe(400)
    expect((await readInbox(second)).unread).toBe(1)
  })

  test('A channel that is switched off stays silent, and the others go on', async () => {
    expect((await choose(buyer, 'payment', 'mail', false)).json().choices[0]).toEqual({
      event: 'payment',
      portal: true,
      mail: false,
      push: false,
      mail_rule: 'choice',
    })
    await choose(second, 'payment', 'portal', false)
    await placeOrder(buyer)
    fixture.server.clock.now = Date.parse('2026-03-08T12:00:00+08:00')
    await runUpkeep()
    expect((await mailBox.fetch()).map(({ to }) => to.address)).toEqual(['second@alpha.example'])
    expect(await readKinds(await fixture.server.signIn('order@alpha'))).toEqual(['payment-due'])
    expect(await readKinds(await fixture.server.signIn('second@alpha'))).toEqual([])
  })

  test('Notifications are deleted after 90 days, and with their user', async () => {
    await placeOrder(buyer)
    const countRows = () =>
      writeAsSystem(fixture.server.app, (db) => db.selectFrom('notification').selectAll().execute())
    expect(await countRows()).toHaveLength(1)
    const admin = await fixture.server.signIn('admin@alpha')
    const userId = fixture.server.world.users['second@alpha']
    await admin.send({ method: 'DELETE', url: `/api/m18s/user/${userId}`, headers: { 'idempotency-key': 'remove' } })
    expect(await countRows()).toEqual([])
    // A long request of the user may end later.
    const notification = { kind: 'task-done', eventKey: 'task late', orderId: null, facts: {} } as const
    await writeAsSystem(fixture.server.app, (db) =>
      insertNotification(db, userId ?? 0, notification, fixture.server.clock.now),
    )
    expect(await countRows()).toEqual([])
    await setAlert('user@alpha')
    await placeOrder(await fixture.server.signIn('order@beta'), { code: 'beta1' })
    expect(await countRows()).toHaveLength(1)
    fixture.server.clock.now += 91 * dayMs
    await deleteExpiredData(fixture.server.app)
    expect(await countRows()).toEqual([])
  })
})
