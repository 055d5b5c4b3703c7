/**
 * Tests the scheduled work on hosted services: setup after payment, stop after the contract, erasure with mails before it, and restart
 * (contracts 4).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { findDueWork, runDueServiceWork } from '#server/use-cases/hosting/run-due-service-work.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder, placeOrder, payOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

test('An unreachable host is not requested again immediately', () => {
  const expiredService = {
    id: 1,
    company_id: 1,
    code: 'over1',
    system_status: 2,
    operation: null,
    fence: 1,
    row_version: 1,
    awaits_set_up: false,
    is_expired: false,
    erase_date: null,
    notified_stop: null,
    notified_erase: null,
    contract: 'C1',
    contract_time: 1,
    period_start: '2026-01-01',
    period_end: '2027-01-01',
  }
  const moment = { today: '2027-01-08', now: Date.parse('2027-01-08T04:00:00Z'), canSetUp: true }
  expect(findDueWork({ ...expiredService, fault: null }, moment)).toEqual({
    kind: 'operation',
    operation: 'stop-service',
  })
  expect(findDueWork({ ...expiredService, fault: 'unreachable' }, moment)).toBeNull()
})

describe('scheduled work on services', () => {
  const fixture = setUpShop('embedded')
  const inbox = createMailBox(() => fixture.server.app)
  let host: LocalUnderTest
  let alpha: SignedIn
  afterEach(() => host.end())
  beforeEach(async () => {
    host = openLocalHosting()
    fixture.server.app.hosting = host.driver
    const userId = fixture.server.world.users['order@alpha'] ?? 0
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute(),
    )
    alpha = await fixture.server.signIn('order@alpha')
  })

  /** Runs the schedule on two nodes at the same time, then all jobs. Returns the started work, the mails and the service. */
  async function runServiceWork(): Promise<{ due: number; mails: string[]; row: Partial<ServiceResponse> }> {
    const [firstCount, secondCount] = await Promise.all([
      runDueServiceWork(fixture.server.app),
      runDueServiceWork(fixture.server.app),
    ])
    while (await runOneJob(fixture.server.app, hostingJobKinds));
    const mails = (await inbox.fetch()).map(({ subject }) => subject.split(' · ')[0] ?? '')
    alpha = await fixture.server.signIn('order@alpha')
    const row = (await alpha.send({ url: '/api/aws/service' })).json().data[0] ?? {}
    return { due: firstCount + secondCount, mails, row }
  }
  const setDay = (day: string) => (fixture.server.clock.now = Date.parse(`${day}T12:00:00+08:00`))
  const advanceMinutes = (count: number) => (fixture.server.clock.now += count * 60_000)

  test('starts a service once, three minutes after its payment and not before its first day', async () => {
    await placeOrder(alpha, { code: 'unpaid1' })
    await buyOrder(fixture.server, alpha, { code: 'later1', period_start: '2026-03-04' })
    advanceMinutes(2)
    expect(await runServiceWork()).toMatchObject({ due: 0 })
    await buyOrder(fixture.server, alpha, { code: 'alpha1' })
    advanceMinutes(2)
    expect(await runServiceWork()).toMatchObject({ due: 0, row: { code: 'alpha1', system_status: 0 } })
    advanceMinutes(1)
    expect(await runServiceWork()).toMatchObject({ due: 1, row: { code: 'alpha1', system_status: 2, online: 1 } })
    expect(await runServiceWork()).toMatchObject({ due: 0 })
    expect((await host.driver.lookAll()).map(({ code }) => code)).toEqual(['alpha1'])
    setDay('2026-03-04')
    expect(await runServiceWork()).toMatchObject({ due: 1 })
    expect((await host.driver.lookAll()).map(({ code }) => code).toSorted()).toEqual(['alpha1', 'later1'])
  }, 60_000)

  test('does not set up a removed service again', async () => {
    await buyOrder(fixture.server, alpha, { code: 'alpha1' })
    advanceMinutes(3)
    const { row } = await runServiceWork()
    await alpha.send({ method: 'DELETE', url: `/api/aws/service/remove/${row.id}` })
    await runServiceWork()
    advanceMinutes(60)
    expect(await runServiceWork()).toMatchObject({ due: 0, row: { system_status: 0, erase_date: '2026-04-01' } })
    setDay('2026-03-25')
    expect(await runServiceWork()).toMatchObject({ due: 1, mails: ['The data of a service is about to be deleted'] })
    setDay('2026-04-01')
    expect(await runServiceWork()).toMatchObject({ due: 1, row: { erase_date: null } })
    expect(await host.driver.look({ serviceId: row.id ?? 0, code: 'alpha1' })).toBeNull()
  }, 60_000)

  test('stops a service seven days after its contract, restarts it when extended, and erases its data', async () => {
    const { contract_id } = await buyOrder(fixture.server, alpha, { code: 'alpha1' })
    advanceMinutes(3)
    await runServiceWork()
    // The contract's last day is 2027-03-01.
    setDay('2027-03-01')
    expect(await runServiceWork()).toMatchObject({ due: 0, row: { stop_date: null, erase_date: null } })
    setDay('2027-03-05')
    const expectedRow = { stop_date: '2027-03-09', erase_date: '2027-04-08', system_status: 2 }
    expect(await runServiceWork()).toMatchObject({ due: 0, row: expectedRow })
    setDay('2027-03-06')
    expect(await runServiceWork()).toMatchObject({
      due: 1,
      mails: ['A service is about to stop'],
      row: { system_status: 2 },
    })
    setDay('2027-03-09')
    expect(await runServiceWork()).toMatchObject({
      due: 1,
      mails: [],
      row: { system_status: 4, online: 0, is_expired: true },
    })
    const refusal = await alpha.send({ method: 'POST', url: `/api/aws/reboot/${(await runServiceWork()).row.id}` })
    expect(refusal.json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'expired' } })

    const extension = { type: 'extend', contract_id, period: 1, currency: 'HKD', user_mode: 'CONCURRENT', users: 10 }
    const response = await alpha.send({ method: 'POST', url: '/api/contract', payload: extension })
    expect(response.statusCode).toBe(200)
    await payOrder(fixture.server, response.json())
    expect(await runServiceWork()).toMatchObject({
      due: 1,
      row: { system_status: 2, online: 1, is_expired: false, stop_date: null },
    })

    setDay('2028-03-16')
    await runServiceWork()
    setDay('2028-04-08')
    expect(await runServiceWork()).toMatchObject({ mails: ['The data of a service is about to be deleted'] })
    setDay('2028-04-15')
    expect(await runServiceWork()).toMatchObject({ due: 1, row: { system_status: 0, url: null } })
    expect(await host.driver.lookAll()).toEqual([])
  }, 60_000)
})
