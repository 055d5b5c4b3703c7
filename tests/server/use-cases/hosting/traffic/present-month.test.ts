/** This month's traffic so far, and the staff who suspend what causes it (D22, D31, D86; Z-23). */
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { backupOf, listPrices, move, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { entriesOf } from '#tests/support/audit-trail/trail-entries.ts'

describe('traffic of the present month', () => {
  const the = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  let serviceId = 0
  beforeEach(async () => {
    server = the.server
    buyer = await server.signIn('order@alpha')
    await bought(server, buyer, { currency: 'RMB' })
    serviceId = await serviceIdOf(server, 'shop')
  })

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(server.app, { role: 'portal_system' }, work)
  const read = (by = buyer, id = serviceId) => by.send({ url: `/api/pdb/traffic/${id}` })
  const service = () =>
    asSystem((db) => db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow())

  test('is what moved, what is free and what it would cost, by the terms of the subscription', async () => {
    await backupOf(server, 'shop', { currency: 'RMB' })
    await move(server, 'shop', 50_019_999_999, 'backup-1')
    await listPrices(server, { pdb2rds_discount: '50.00' })
    expect((await read()).json()).toEqual({
      month: '2026-03',
      pdb_traffic: '50.02',
      pdb2s3_traffic: '50.00',
      amount: '0.23',
      currency: 'RMB',
    })
    server.clock.now = Date.parse('2026-03-31T16:00:00Z')
    buyer = await server.signIn('order@alpha')
    expect((await read()).json()).toMatchObject({ month: '2026-04', pdb_traffic: '0.00', amount: '0.00' })
  })

  test('is that of the month in which it will be billed, where this one was by a clock that was wrong', async () => {
    await asSystem((db) => db.updateTable('service').set({ closed_month: '2026-05' }).execute())
    await move(server, 'shop', 1e9, 'backup-1')
    expect((await read()).json()).toMatchObject({ month: '2026-06', pdb_traffic: '1.00' })
  })

  test('of a service without subscription is none, by what one would have', async () => {
    expect((await read()).json()).toMatchObject({ pdb_traffic: '0.00', pdb2s3_traffic: '50.00', amount: '0.00' })
    await listPrices(server, null)
    expect((await read()).json()).toMatchObject({ pdb2s3_traffic: '0.00', currency: 'RMB' })
  })

  test('is told to no other company, and to staff who order (N-06)', async () => {
    expect((await read(await server.signIn('order@beta'))).statusCode).toBe(404)
    expect((await read(await server.signIn('user@alpha'))).statusCode).toBe(403)
    expect((await read(await server.signIn('order@m18'))).statusCode).toBe(200)
  })

  describe('is suspended by the staff', () => {
    const set = async (disabled: boolean, by?: SignedIn) =>
      (by ?? (await server.signIn('admin@m18'))).send({
        method: 'POST',
        url: `/api/pdb/traffic/${serviceId}`,
        payload: { disabled },
      })

    test('and lifted again, with entries in the customer’s trail', async () => {
      expect((await set(true)).json()).toEqual({ traffic_disabled: true })
      expect(await service()).toMatchObject({ traffic_disabled: true, traffic_blocked: true })
      expect((await set(false)).json()).toEqual({ traffic_disabled: false })
      expect(await service()).toMatchObject({ traffic_disabled: false, traffic_blocked: false })
      const { alpha } = server.world.companies
      expect(await entriesOf(server, 'backup')).toMatchObject([
        { company_id: alpha, operation: 'disable', info: { ServiceCode: 'shop', ActingFor: 'alpha' } },
        { company_id: alpha, operation: 'enable', info: { ServiceCode: 'shop' } },
      ])
    })

    test('but stays suspended while a month is overdue', async () => {
      await trafficOf(server, 'shop', { isPaid: false })
      server.clock.now += 9 * 86_400_000
      await set(true)
      expect((await set(false)).json()).toEqual({ traffic_disabled: true })
      expect(await service()).toMatchObject({ traffic_disabled: true, traffic_blocked: false })
    })

    test('and by nobody else', async () => {
      for (const who of ['order@alpha', 'admin@alpha', 'user@m18', 'order@m18'])
        expect((await set(true, await server.signIn(who))).statusCode).toBe(403)
      expect(await service()).toMatchObject({ traffic_disabled: false })
    })

    test('numbers its row for devices', async () => {
      const before = (await service()).change
      await set(true)
      expect((await service()).change).toBeGreaterThan(before)
    })
  })
})
