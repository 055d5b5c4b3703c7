/** What time does to hosted services: set up after payment, stopped after their contract, erased, told before, started again (contracts 4). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { hostingKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import type { ServiceAnswer } from '#server/use-cases/hosting/service-rows.ts'
import { dueOf, tendServices } from '#server/use-cases/hosting/tend-services.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought, order, paid, setUpShop } from '#tests/support/orders/shop-data.ts'

test('a host that is away is not asked again and again', () => {
  const over = {
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
    told_stop: null,
    told_erase: null,
    contract: 'C1',
    contract_time: 1,
    period_start: '2026-01-01',
    period_end: '2027-01-01',
  }
  const moment = { today: '2027-01-08', now: Date.parse('2027-01-08T04:00:00Z'), setsUp: true }
  expect(dueOf({ ...over, fault: null }, moment)).toEqual({ kind: 'operation', operation: 'stop-service' })
  expect(dueOf({ ...over, fault: 'unreachable' }, moment)).toBeNull()
})

describe('services are tended', () => {
  const the = setUpShop('embedded')
  const box = mailBox(() => the.server.app)
  let host: LocalUnderTest
  let alpha: SignedIn
  afterEach(() => host.end())
  beforeEach(async () => {
    host = openLocalHosting()
    the.server.app.hosting = host.driver
    const userId = the.server.world.users['order@alpha'] ?? 0
    await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute(),
    )
    alpha = await the.server.signIn('order@alpha')
  })

  /** Both looks of a moment, since another node looks too; then all that came of them. */
  async function tend(): Promise<{ due: number; mails: string[]; row: Partial<ServiceAnswer> }> {
    const [first, second] = await Promise.all([tendServices(the.server.app), tendServices(the.server.app)])
    while (await workOne(the.server.app, hostingKinds));
    const mails = (await box.fetch()).map(({ subject }) => subject.split(' · ')[0] ?? '')
    alpha = await the.server.signIn('order@alpha')
    const row = (await alpha.send({ url: '/api/aws/service' })).json().data[0] ?? {}
    return { due: first + second, mails, row }
  }
  const at = (day: string) => (the.server.clock.now = Date.parse(`${day}T12:00:00+08:00`))
  const minutes = (count: number) => (the.server.clock.now += count * 60_000)

  test('three minutes after it was paid it runs, once; not before its first day, and not what nobody paid', async () => {
    await order(alpha, { code: 'unpaid1' })
    await bought(the.server, alpha, { code: 'later1', period_start: '2026-03-04' })
    minutes(2)
    expect(await tend()).toMatchObject({ due: 0 })
    await bought(the.server, alpha, { code: 'alpha1' })
    minutes(2)
    expect(await tend()).toMatchObject({ due: 0, row: { code: 'alpha1', system_status: 0 } })
    minutes(1)
    expect(await tend()).toMatchObject({ due: 1, row: { code: 'alpha1', system_status: 2, online: 1 } })
    expect(await tend()).toMatchObject({ due: 0 })
    expect((await host.driver.lookAll()).map(({ code }) => code)).toEqual(['alpha1'])
    at('2026-03-04')
    expect(await tend()).toMatchObject({ due: 1 })
    expect((await host.driver.lookAll()).map(({ code }) => code).toSorted()).toEqual(['alpha1', 'later1'])
  }, 60_000)

  test('what somebody took away is not set up again by itself', async () => {
    await bought(the.server, alpha, { code: 'alpha1' })
    minutes(3)
    const { row } = await tend()
    await alpha.send({ method: 'DELETE', url: `/api/aws/service/remove/${row.id}` })
    await tend()
    minutes(60)
    expect(await tend()).toMatchObject({ due: 0, row: { system_status: 0, erase_date: '2026-04-01' } })
    at('2026-03-25')
    expect(await tend()).toMatchObject({ due: 1, mails: ['The data of a service is about to be deleted'] })
    at('2026-04-01')
    expect(await tend()).toMatchObject({ due: 1, row: { erase_date: null } })
    expect(await host.driver.look({ serviceId: row.id ?? 0, code: 'alpha1' })).toBeNull()
  }, 60_000)

  test('after its contract it goes on for seven days, stops, starts again with an extension, and its data goes in the end', async () => {
    const { contract_id } = await bought(the.server, alpha, { code: 'alpha1' })
    minutes(3)
    await tend()
    // The contract's last day is 2027-03-01.
    at('2027-03-01')
    expect(await tend()).toMatchObject({ due: 0, row: { stop_date: null, erase_date: null } })
    at('2027-03-05')
    const before = { stop_date: '2027-03-09', erase_date: '2027-04-08', system_status: 2 }
    expect(await tend()).toMatchObject({ due: 0, row: before })
    at('2027-03-06')
    expect(await tend()).toMatchObject({ due: 1, mails: ['A service is about to stop'], row: { system_status: 2 } })
    at('2027-03-09')
    expect(await tend()).toMatchObject({ due: 1, mails: [], row: { system_status: 4, online: 0, is_expired: true } })
    const refused = await alpha.send({ method: 'POST', url: `/api/aws/reboot/${(await tend()).row.id}` })
    expect(refused.json()).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'expired' } })

    const extension = { type: 'extend', contract_id, period: 1, currency: 'HKD', user_mode: 'CONCURRENT', users: 10 }
    const made = await alpha.send({ method: 'POST', url: '/api/contract', payload: extension })
    expect(made.statusCode).toBe(200)
    await paid(the.server, made.json())
    expect(await tend()).toMatchObject({
      due: 1,
      row: { system_status: 2, online: 1, is_expired: false, stop_date: null },
    })

    at('2028-03-16')
    await tend()
    at('2028-04-08')
    expect(await tend()).toMatchObject({ mails: ['The data of a service is about to be deleted'] })
    at('2028-04-15')
    expect(await tend()).toMatchObject({ due: 1, row: { system_status: 0, url: null } })
    expect(await host.driver.lookAll()).toEqual([])
  }, 60_000)
})
