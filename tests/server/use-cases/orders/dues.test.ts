/**
 * Tests that the unpaid amounts of a service are part of its row in the list of orders, so that every screen shows the same sum (decision
 * 76).
 */
import { beforeEach, expect, test } from 'vitest'
import { shopOpenedAt, buyOrder, placeOrder, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { createBackupOrder, readServiceId, createTraffic } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openPaymentSandbox, payFor } from '#tests/support/orders/sandbox-server.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('the dues of an order', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  let shopOrder: Awaited<ReturnType<typeof buyOrder>>
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    shopOrder = await buyOrder(fixture.server, buyer, { users: 10 })
  })

  const getListUrl = () => `/api/company/${fixture.server.world.companies.alpha}/sorder`
  const listUnpaidRows = async () => (await buyer.send({ url: `${getListUrl()}?status=0&results=50` })).json().data
  const change = async (fields: object) =>
    (
      await buyer.send({
        method: 'POST',
        url: '/api/contract',
        payload: { contract_id: shopOrder.contract_id, ...fields },
      })
    ).json()
  const orderBackup = async () => {
    const payload = {
      service_id: await readServiceId(fixture.server, 'shop'),
      pdb_type: 'pdb2s3',
      period: 1,
      period_type: 'year',
    }
    return (await buyer.send({ method: 'POST', url: '/api/pdb/order', payload })).json().id as number
  }

  test('The order lists unpaid backups, traffic and changes, and the filter for unpaid finds it (fault 28a)', async () => {
    expect(await listUnpaidRows()).toEqual([])
    expect(await readOrder(buyer, shopOrder.id)).toMatchObject({ dues: [], payment: 'none' })
    const backupId = await orderBackup()
    expect(await listUnpaidRows()).toMatchObject([{ id: shopOrder.id, status: 1, payment: 'due' }])
    const trafficId = await createTraffic(fixture.server, 'shop', { isPaid: false })
    const { id, amount } = await change({ type: 'change', users: 12 })
    const due = '2026-03-09 23:59:59'
    const [row] = await listUnpaidRows()
    expect(row.dues).toHaveLength(3)
    expect(row.dues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ contractType: 'CONTRACT', id, type: 'change', amount, currency: 'HKD', due }),
        expect.objectContaining({
          contractType: 'PDBORDER',
          id: backupId,
          type: 'pdb2s3',
          amount: '5400.00',
          due,
          until: '2027-03-01',
        }),
        expect.objectContaining({
          contractType: 'TRAFFIC',
          id: trafficId,
          type: 'traffic',
          amount: '162.50',
          due,
          month: '2026-03',
        }),
      ]),
    )
  })

  test('Devices get the order again when a backup is ordered, paid or expired (fault 28a)', async () => {
    const readChangeNumber = async () => String((await buyer.send({ url: getListUrl() })).headers['x-change'])
    const listChangedSince = async (since: string) =>
      (await buyer.send({ url: `${getListUrl()}?since=${since}` })).json().changed
    const paymentSandbox = await openPaymentSandbox(fixture.server)
    try {
      const numberBefore = await readChangeNumber()
      const id = await orderBackup()
      expect(await listChangedSince(numberBefore)).toMatchObject([{ id: shopOrder.id, payment: 'due' }])
      const numberAfterOrder = await readChangeNumber()
      await payFor(buyer, id, { token: 'pm_card_visa', contractType: 'PDBORDER' })
      expect(await listChangedSince(numberAfterOrder)).toMatchObject([{ id: shopOrder.id, payment: 'none', dues: [] }])
    } finally {
      await paymentSandbox.close()
    }
    await createBackupOrder(fixture.server, 'shop', { pdb_type: 'pdb2rds', status: 0 })
    expect(await listUnpaidRows()).toHaveLength(1)
    const numberWhileUnpaid = await readChangeNumber()
    fixture.server.clock.now = shopOpenedAt + 8 * 86_400_000
    buyer = await fixture.server.signIn('order@alpha')
    expect(await listUnpaidRows()).toEqual([])
    expect(await listChangedSince(numberWhileUnpaid)).toMatchObject([{ id: shopOrder.id, payment: 'none', dues: [] }])
  })

  test('An unpaid change or extension lists what it changes (fault 28b)', async () => {
    const order = await change({ type: 'change', users: 60, user_mode: 'NAMED', uat: 1, modules: ['core', 'hr'] })
    expect(order).toMatchObject({ type: 'change', state: 'unpaid' })
    const [row] = await listUnpaidRows()
    expect(row.dues[0].change).toEqual({
      users: { from: 10, to: 60 },
      user_mode: { from: 'CONCURRENT', to: 'NAMED' },
      uat: { from: 0, to: 1 },
      added: ['hr'],
      removed: ['fin'],
    })
    const refusal = await change({ type: 'extend', period: 1 })
    expect(refusal.data.unpaid.change.users).toEqual({ from: 10, to: 60 })
    await change({ type: 'extend', period: 1, replaces: row.dues[0].id })
    expect((await listUnpaidRows())[0].dues).toMatchObject([{ type: 'extend', change: null, until: '2028-03-01' }])
  })

  test('A new order is listed once, and no longer after it is paid (fault 28a)', async () => {
    const order = (await placeOrder(buyer, { code: 'second' })).json()
    expect(order.dues).toMatchObject([{ contractType: 'CONTRACT', id: order.id, type: 'create', amount: order.amount }])
    await payOrder(fixture.server, order)
    expect(await readOrder(buyer, order.id)).toMatchObject({ dues: [], payment: 'none' })
  })

  test('The calendar contains backups, traffic and the content of changes (fault 28b)', async () => {
    await orderBackup()
    await createTraffic(fixture.server, 'shop', { isPaid: false })
    await change({ type: 'change', users: 12 })
    const { url } = (await buyer.send({ method: 'POST', url: '/api/m18s/calendar' })).json()
    const text = (await fixture.server.send({ url: new URL(url).pathname })).body.replaceAll('\r\n ', '')
    const summaries = text.split('\r\n').filter((line) => line.startsWith('SUMMARY:Pay'))
    expect(summaries.map((summary) => summary.split('(shop)\\, ')[1]).toSorted()).toEqual([
      'Backup to S3',
      'Backup traffic of 2026-03',
      'Change (10 → 12 users)',
    ])
    expect(text).not.toContain('After that the order is cancelled')
  })
})
