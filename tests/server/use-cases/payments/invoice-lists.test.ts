/** Tests the register of invoices as a customer and the provider's staff read it (decision 121). */
import { beforeEach, expect, test } from 'vitest'
import type { InvoiceRow } from '#contract/invoices.ts'
import type { CustomerInvoiceRow } from '#contract/staff/customer-invoices.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { applyPayment } from '#server/use-cases/payments/apply-payment.ts'
import { createBackupOrder, createTraffic } from '#tests/support/hosting/backups.ts'
import { buyOrder, type OrderRow, payOrder, placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies, eachEngineByNight } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('the register of invoices', (engine) => {
  const fixture = setUpShop(engine)
  let alpha: SignedIn
  let beta: SignedIn
  let staff: SignedIn
  beforeEach(async () => {
    alpha = await fixture.server.signIn('order@alpha')
    beta = await fixture.server.signIn('order@beta')
    staff = await fixture.server.signIn('order@m18')
  })

  const getCompanyId = (code: 'alpha' | 'beta') => fixture.server.world.companies[code]
  const buildUrl = (code: 'alpha' | 'beta', search = '') => `/api/invoice?companyId=${getCompanyId(code)}&${search}`
  const list = async (caller: SignedIn, code: 'alpha' | 'beta', search = '') =>
    (await caller.send({ url: buildUrl(code, search) })).json() as { count: number; data: InvoiceRow[] }
  const listAll = async (search = '', caller = staff) =>
    (await caller.send({ url: `/api/sinvoice?${search}` })).json() as { count: number; data: CustomerInvoiceRow[] }
  const listServices = async (search: string) =>
    (await list(alpha, 'alpha', search)).data.map(({ service_code: code }) => code)
  const buy = async (fields: object, payment: Parameters<typeof payOrder>[2] = {}) => {
    const order = (await placeOrder(alpha, fields)).json() as OrderRow
    await payOrder(fixture.server, order, { currency: order.currency as 'HKD', ...payment })
    return order
  }
  const updateDocument = (code: string, fields: { refunded?: string; disputed?: boolean }) =>
    bypassPolicies(fixture.server.app.database, (db) =>
      db.updateTable('document').set(fields).where('service_code', '=', code).execute(),
    )

  test('An invoice has what was paid, by whom it was paid, and nothing is in the list before the payment', async () => {
    const order = (await placeOrder(alpha)).json() as OrderRow
    expect(await list(alpha, 'alpha')).toEqual({ count: 0, data: [] })
    await payOrder(fixture.server, order, { gateway: 'stripe', reference: 'pi_1', poNumber: 'PO-7' })
    const { count, data } = await list(alpha, 'alpha')
    expect(count).toBe(1)
    expect(data[0]).toMatchObject({
      company_id: getCompanyId('alpha'),
      kind: 'invoice',
      code: 'I202603000001',
      invoice_code: 'I202603000001',
      invoice_document_id: data[0]?.id,
      issued: '2026-03-02 10:00:00',
      year: 2026,
      type: 'create',
      service_code: 'shop',
      service_name: 'Shop',
      month: null,
      order_id: order.id,
      po_number: 'PO-7',
      currency: 'HKD',
      amount: order.amount,
      method: 'stripe',
      reference: 'pi_1',
      refunded: '0.00',
      state: 'paid',
    })
    expect(data[0]).not.toHaveProperty('company_name')
    expect(data[0]?.contract_id).toBeGreaterThan(0)
  })

  test('Filters, search and sorting', async () => {
    await buy({ code: 'aaa', name: 'Über' }, { gateway: 'globalAlipay', poNumber: 'ORDER %5' })
    fixture.server.clock.now = Date.parse('2027-03-02T02:00:00Z')
    alpha = await fixture.server.signIn('order@alpha')
    await buy({ code: 'bbb', currency: 'USD', period_start: '2027-03-02' }, { gateway: 'alipay', reference: 'REF-9' })
    await buy({ code: 'ccc', period_start: '2027-03-02' }, { gateway: 'stripe' })
    await updateDocument('aaa', { refunded: '1.00' })
    await updateDocument('bbb', { refunded: '5.00', disputed: true })
    // By default the latest is first.
    expect(await listServices('')).toEqual(['ccc', 'bbb', 'aaa'])
    expect(await listServices('year=2026')).toEqual(['aaa'])
    expect(await listServices('year=2027&sortField=service_code')).toEqual(['bbb', 'ccc'])
    expect(await listServices('currency=USD')).toEqual(['bbb'])
    expect(await listServices('method=alipay')).toEqual(['bbb', 'aaa'])
    expect(await listServices('method=stripe')).toEqual(['ccc'])
    expect(await listServices('state=partlyRefunded')).toEqual(['aaa'])
    expect(await listServices('state=disputed')).toEqual(['bbb'])
    expect(await listServices('state=paid')).toEqual(['ccc'])
    expect(await listServices('kind=creditNote')).toEqual([])
    const [latest] = (await list(alpha, 'alpha')).data
    expect(await listServices(`id=${latest?.id}`)).toEqual(['ccc'])
    expect(
      (await listAll(`id=${latest?.id}`, await fixture.server.signIn('order@m18'))).data.map(({ id }) => id),
    ).toEqual([latest?.id])
    expect(await listServices('id=999999')).toEqual([])
    expect(await listServices('sortField=state')).toEqual(['bbb', 'ccc', 'aaa'])
    expect(await listServices('sortField=code&sortOrder=desc')).toEqual(['ccc', 'bbb', 'aaa'])
    for (const [text, code] of Object.entries({
      i202603: 'aaa',
      über: 'aaa',
      'ER %5': 'aaa',
      'ref-9': 'bbb',
      CC: 'ccc',
    }))
      expect([text, await listServices(`searchText=${encodeURIComponent(text)}`)]).toEqual([text, [code]])
    const refused = await alpha.send({ url: buildUrl('alpha', 'sortField=amount') })
    expect(refused.json()).toMatchObject({ errorCode: 'VALIDATION_ERROR' })
  })

  test('A refund of everything and a dispute show as such', async () => {
    const order = await buyOrder(fixture.server, alpha)
    await updateDocument('shop', { refunded: order.amount })
    expect((await list(alpha, 'alpha')).data[0]).toMatchObject({ refunded: order.amount, state: 'refunded' })
    await updateDocument('shop', { disputed: true })
    expect((await list(alpha, 'alpha')).data[0]?.state).toBe('disputed')
  })

  test('A company never sees the invoices of another one, and staff see all', async () => {
    await buyOrder(fixture.server, alpha)
    await buyOrder(fixture.server, beta, { code: 'other', name: 'Other' })
    expect((await list(alpha, 'alpha')).data.map(({ service_code: code }) => code)).toEqual(['shop'])
    expect((await list(beta, 'beta')).data.map(({ service_code: code }) => code)).toEqual(['other'])
    const foreign = await alpha.send({ url: buildUrl('beta') })
    expect([foreign.statusCode, foreign.json().errorCode]).toEqual([404, 'NOT_FOUND'])
    expect((await alpha.send({ url: buildUrl('beta', 'since=') })).statusCode).toBe(404)
    expect((await alpha.send({ url: '/api/sinvoice' })).statusCode).toBe(403)
    const user = await fixture.server.signIn('user@alpha')
    expect((await user.send({ url: buildUrl('alpha') })).statusCode).toBe(403)

    expect((await list(staff, 'beta')).data.map(({ service_code: code }) => code)).toEqual(['other'])
    const all = await listAll('sortField=company_name')
    expect(all.data.map(({ company_code: company, service_code: code }) => `${company} ${code}`)).toEqual([
      'alpha shop',
      'beta other',
    ])
    expect((await listAll('searchText=BETA')).data.map(({ service_code: code }) => code)).toEqual(['other'])
    expect((await listAll('searchText=nobody')).data).toEqual([])
    const clerk = await fixture.server.signIn('admin@m18')
    expect((await clerk.send({ url: '/api/sinvoice' })).statusCode).toBe(403)
    // Without a change number a device stores the pages only.
    const page = await staff.send({ url: '/api/sinvoice' })
    expect(page.headers['x-change']).toBeUndefined()
    expect((await staff.send({ url: '/api/sinvoice?since=' })).statusCode).toBe(410)
  })

  test('A device gets the complete list, and after a payment only the new invoice', async () => {
    await buyOrder(fixture.server, alpha)
    const first = (await alpha.send({ url: buildUrl('alpha', 'since=') })).json()
    expect(first.changed.map(({ service_code: code }: InvoiceRow) => code)).toEqual(['shop'])
    const readSince = async () => (await alpha.send({ url: buildUrl('alpha', `since=${first.upto}`) })).json()
    expect((await readSince()).changed).toEqual([])
    await buyOrder(fixture.server, beta, { code: 'other' })
    expect((await readSince()).changed).toEqual([])
    await buyOrder(fixture.server, alpha, { code: 'second' })
    const changes = await readSince()
    expect(changes.changed.map(({ service_code: code }: InvoiceRow) => code)).toEqual(['second'])
    expect(changes.gone).toEqual([])
    expect(changes.upto).toBeGreaterThan(first.upto)
  })

  test('A month of traffic has its month, and a backup no contract', async () => {
    await buyOrder(fixture.server, alpha)
    const { server } = fixture
    const now = server.clock.now
    const pay = (kind: 'backup' | 'traffic', id: number, amount: string) =>
      runInTransaction(server.app, { role: 'portal_system' }, (db) =>
        applyPayment(
          { db, app: server.app, now },
          { kind, id },
          { gateway: 'test', reference: kind, amount, currency: 'HKD', paidAt: now },
        ),
      )
    const backupId = await createBackupOrder(server, 'shop', { status: 0 })
    const trafficId = await createTraffic(server, 'shop', { isPaid: false })
    const readAmount = (table: 'backup_order' | 'traffic', id: number) =>
      bypassPolicies(server.app.database, (db) =>
        db.selectFrom(table).select('amount').where('id', '=', id).executeTakeFirstOrThrow(),
      )
    expect(await pay('backup', backupId, '5400.00')).toMatchObject({ outcome: 'applied' })
    expect(await pay('traffic', trafficId, (await readAmount('traffic', trafficId)).amount)).toMatchObject({
      outcome: 'applied',
    })
    const rows = (await list(alpha, 'alpha', 'sortField=id')).data
    expect(rows.map(({ type, month, order_id: orderId }) => [type, month !== null, orderId !== null])).toEqual([
      ['create', false, true],
      ['pdb2s3', false, false],
      ['traffic', true, false],
    ])
    expect(rows[2]?.month).toMatch(/^\d{4}-\d\d$/)
  })
})
