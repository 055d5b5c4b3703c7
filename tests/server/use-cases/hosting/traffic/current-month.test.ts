/** Tests the traffic of the current month, and its suspension by staff (D22, D31, D86; Z-23). */
import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import {
  createBackupOrder,
  setBackupPrices,
  recordTraffic,
  readServiceId,
  createTraffic,
} from '#tests/support/hosting/backups.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { readAuditEntries } from '#tests/support/audit-trail/trail-entries.ts'

describe('the traffic of the current month', () => {
  const fixture = setUpShop('embedded')
  let server: TestServer
  let buyer: SignedIn
  let serviceId = 0
  beforeEach(async () => {
    server = fixture.server
    buyer = await server.signIn('order@alpha')
    await buyOrder(server, buyer, { currency: 'RMB' })
    serviceId = await readServiceId(server, 'shop')
  })

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(server.app, { role: 'portal_system' }, work)
  const readTraffic = (caller = buyer, id = serviceId) => caller.send({ url: `/api/pdb/traffic/${id}` })
  const readService = () =>
    runAsSystem((db) => db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirstOrThrow())

  test('has the measured, free and charged amounts by the terms of the subscription', async () => {
    await createBackupOrder(server, 'shop', { currency: 'RMB' })
    await recordTraffic(server, 'shop', 50_019_999_999, 'backup-1')
    await setBackupPrices(server, { pdb2rds_discount: '50.00' })
    expect((await readTraffic()).json()).toEqual({
      month: '2026-03',
      pdb_traffic: '50.02',
      pdb2s3_traffic: '50.00',
      amount: '0.23',
      currency: 'RMB',
    })
    server.clock.now = Date.parse('2026-03-31T16:00:00Z')
    buyer = await server.signIn('order@alpha')
    expect((await readTraffic()).json()).toMatchObject({ month: '2026-04', pdb_traffic: '0.00', amount: '0.00' })
  })

  test('belongs to the next open month if a wrong clock has closed the current month', async () => {
    await runAsSystem((db) => db.updateTable('service').set({ closed_month: '2026-05' }).execute())
    await recordTraffic(server, 'shop', 1e9, 'backup-1')
    expect((await readTraffic()).json()).toMatchObject({ month: '2026-06', pdb_traffic: '1.00' })
  })

  test('is zero for a service without subscription, with the free amount of a new subscription', async () => {
    expect((await readTraffic()).json()).toMatchObject({ pdb_traffic: '0.00', pdb2s3_traffic: '50.00', amount: '0.00' })
    await setBackupPrices(server, null)
    expect((await readTraffic()).json()).toMatchObject({ pdb2s3_traffic: '0.00', currency: 'RMB' })
  })

  test('is visible to the company and to staff with the order right only (N-06)', async () => {
    expect((await readTraffic(await server.signIn('order@beta'))).statusCode).toBe(404)
    expect((await readTraffic(await server.signIn('user@alpha'))).statusCode).toBe(403)
    expect((await readTraffic(await server.signIn('order@m18'))).statusCode).toBe(200)
  })

  describe('the suspension by staff', () => {
    const setDisabled = async (isDisabled: boolean, caller?: SignedIn) =>
      (caller ?? (await server.signIn('admin@m18'))).send({
        method: 'POST',
        url: `/api/pdb/traffic/${serviceId}`,
        payload: { disabled: isDisabled },
      })

    test('is set and lifted with entries in the trail of the customer', async () => {
      expect((await setDisabled(true)).json()).toEqual({ traffic_disabled: true })
      expect(await readService()).toMatchObject({ traffic_disabled: true, traffic_blocked: true })
      expect((await setDisabled(false)).json()).toEqual({ traffic_disabled: false })
      expect(await readService()).toMatchObject({ traffic_disabled: false, traffic_blocked: false })
      const { alpha } = server.world.companies
      expect(await readAuditEntries(server, 'backup')).toMatchObject([
        { company_id: alpha, operation: 'disable', info: { ServiceCode: 'shop', ActingFor: 'alpha' } },
        { company_id: alpha, operation: 'enable', info: { ServiceCode: 'shop' } },
      ])
    })

    test('remains while a month is overdue', async () => {
      await createTraffic(server, 'shop', { isPaid: false })
      server.clock.now += 9 * 86_400_000
      await setDisabled(true)
      expect((await setDisabled(false)).json()).toEqual({ traffic_disabled: true })
      expect(await readService()).toMatchObject({ traffic_disabled: true, traffic_blocked: false })
    })

    test('is refused to customers, and to staff without the admin right', async () => {
      for (const userName of ['order@alpha', 'admin@alpha', 'user@m18', 'order@m18'])
        expect((await setDisabled(true, await server.signIn(userName))).statusCode).toBe(403)
      expect(await readService()).toMatchObject({ traffic_disabled: false })
    })

    test('raises the change number of the service', async () => {
      const changeBefore = (await readService()).change
      await setDisabled(true)
      expect((await readService()).change).toBeGreaterThan(changeBefore)
    })
  })
})
