/** What is to be paid for a service stands on its row in the list of orders: one sum for every screen (decision 76). */
import { beforeEach, expect, test } from 'vitest'
import { began, bought, order, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { backupOf, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { openTill, payFor } from '#tests/support/orders/sandbox-server.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('what is to be paid', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  let shop: Awaited<ReturnType<typeof bought>>
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
    shop = await bought(the.server, buyer, { users: 10 })
  })

  const list = () => `/api/company/${the.server.world.companies.alpha}/sorder`
  const unpaidRows = async () => (await buyer.send({ url: `${list()}?status=0&results=50` })).json().data
  const change = async (fields: object) =>
    (
      await buyer.send({ method: 'POST', url: '/api/contract', payload: { contract_id: shop.contract_id, ...fields } })
    ).json()
  const orderBackup = async () => {
    const payload = {
      service_id: await serviceIdOf(the.server, 'shop'),
      pdb_type: 'pdb2s3',
      period: 1,
      period_type: 'year',
    }
    return (await buyer.send({ method: 'POST', url: '/api/pdb/order', payload })).json().id as number
  }

  test('fault 28a names backups, traffic and changes with sums and dates, and the filter finds them', async () => {
    expect(await unpaidRows()).toEqual([])
    expect(await readOrder(buyer, shop.id)).toMatchObject({ dues: [], payment: 'none' })
    const backup = await orderBackup()
    expect(await unpaidRows()).toMatchObject([{ id: shop.id, status: 1, payment: 'due' }])
    const traffic = await trafficOf(the.server, 'shop', { isPaid: false })
    const { id, amount } = await change({ type: 'change', users: 12 })
    const due = '2026-03-09 23:59:59'
    const [row] = await unpaidRows()
    expect(row.dues).toHaveLength(3)
    expect(row.dues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ contractType: 'CONTRACT', id, type: 'change', amount, currency: 'HKD', due }),
        expect.objectContaining({
          contractType: 'PDBORDER',
          id: backup,
          type: 'pdb2s3',
          amount: '5400.00',
          due,
          until: '2027-03-01',
        }),
        expect.objectContaining({
          contractType: 'TRAFFIC',
          id: traffic,
          type: 'traffic',
          amount: '162.50',
          due,
          month: '2026-03',
        }),
      ]),
    )
  })

  test('fault 28a tells devices when a backup is ordered, paid, or can no longer be paid', async () => {
    const changeNumber = async () => String((await buyer.send({ url: list() })).headers['x-change'])
    const changedSince = async (since: string) => (await buyer.send({ url: `${list()}?since=${since}` })).json().changed
    const till = await openTill(the.server)
    try {
      const before = await changeNumber()
      const id = await orderBackup()
      expect(await changedSince(before)).toMatchObject([{ id: shop.id, payment: 'due' }])
      const ordered = await changeNumber()
      await payFor(buyer, id, { token: 'pm_card_visa', contractType: 'PDBORDER' })
      expect(await changedSince(ordered)).toMatchObject([{ id: shop.id, payment: 'none', dues: [] }])
    } finally {
      await till.close()
    }
    await backupOf(the.server, 'shop', { pdb_type: 'pdb2rds', status: 0 })
    expect(await unpaidRows()).toHaveLength(1)
    const waiting = await changeNumber()
    the.server.clock.now = began + 8 * 86_400_000
    buyer = await the.server.signIn('order@alpha')
    expect(await unpaidRows()).toEqual([])
    expect(await changedSince(waiting)).toMatchObject([{ id: shop.id, payment: 'none', dues: [] }])
  })

  test('fault 28b says what an unpaid change or extension changes', async () => {
    const made = await change({ type: 'change', users: 60, user_mode: 'NAMED', uat: 1, modules: ['core', 'hr'] })
    expect(made).toMatchObject({ type: 'change', state: 'unpaid' })
    const [row] = await unpaidRows()
    expect(row.dues[0].change).toEqual({
      users: { from: 10, to: 60 },
      user_mode: { from: 'CONCURRENT', to: 'NAMED' },
      uat: { from: 0, to: 1 },
      added: ['hr'],
      removed: ['fin'],
    })
    const refused = await change({ type: 'extend', period: 1 })
    expect(refused.data.unpaid.change.users).toEqual({ from: 10, to: 60 })
    await change({ type: 'extend', period: 1, replaces: row.dues[0].id })
    expect((await unpaidRows())[0].dues).toMatchObject([{ type: 'extend', change: null, until: '2028-03-01' }])
  })

  test('fault 28a counts a new order once, and nothing once it is paid', async () => {
    const made = (await order(buyer, { code: 'second' })).json()
    expect(made.dues).toMatchObject([{ contractType: 'CONTRACT', id: made.id, type: 'create', amount: made.amount }])
    await paid(the.server, made)
    expect(await readOrder(buyer, made.id)).toMatchObject({ dues: [], payment: 'none' })
  })

  test('fault 28b puts backups, traffic and what changes into the calendar', async () => {
    await orderBackup()
    await trafficOf(the.server, 'shop', { isPaid: false })
    await change({ type: 'change', users: 12 })
    const { url } = (await buyer.send({ method: 'POST', url: '/api/m18s/calendar' })).json()
    const text = (await the.server.send({ url: new URL(url).pathname })).body.replaceAll('\r\n ', '')
    const summaries = text.split('\r\n').filter((one) => one.startsWith('SUMMARY:Pay'))
    expect(summaries.map((one) => one.split('(shop)\\, ')[1]).toSorted()).toEqual([
      'Backup to S3',
      'Backup traffic of 2026-03',
      'Change (10 → 12 users)',
    ])
    expect(text).not.toContain('After that the order is cancelled')
  })
})
