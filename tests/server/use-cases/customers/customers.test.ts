/** Tests what the provider's staff read about all customers, and that nobody else can read it (decision 107). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { sumDues } from '#domain/dues.ts'
import type { CustomerOrderRow, CustomerPaymentRow, CustomerRow } from '#contract/staff/customers.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { buyOrder, payOrder, placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { createBackupOrder, createTraffic } from '#tests/support/hosting/backups.ts'
import { bypassPolicies, eachEngineByNight } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('customers', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  let staff: SignedIn
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    staff = await fixture.server.signIn('admin@m18')
  })

  const list = async (search = '', caller = staff) =>
    (await caller.send({ url: `/api/customer?results=50&${search}` })).json().data as CustomerRow[]
  const listCodes = async (search: string) => (await list(search)).map(({ code }) => code)
  const findAlpha = async () => (await list('searchText=alpha'))[0]
  const setService = (fields: Record<string, string | number | null>) =>
    bypassPolicies(fixture.server.app.database, (db) =>
      db.updateTable('service').set(fields).where('code', '=', 'shop').execute(),
    )

  test('Each customer has its contracts, unpaid amounts, services and last activity; the provider is no customer', async () => {
    await buyOrder(fixture.server, buyer)
    const rows = await list('sortField=code')
    expect(rows.map(({ code }) => code)).toEqual(['alpha', 'beta'])
    expect(rows[0]).toMatchObject({
      effective_contracts: 1,
      contracts: 1,
      services: 1,
      running_services: 0,
      health: 1,
      unpaid: [],
      has_unpaid: false,
      has_contract: true,
      last_activity: '2026-03-02 10:00:00',
    })
    expect(rows[1]).toMatchObject({ contracts: 0, services: 0, health: 0, has_contract: false, has_unpaid: false })
  })

  test('The unpaid amounts are those that the customer sees as to be paid, for each currency and kind', async () => {
    await buyOrder(fixture.server, buyer)
    await createBackupOrder(fixture.server, 'shop', { status: 0 })
    await createTraffic(fixture.server, 'shop', { isPaid: false })
    await placeOrder(buyer, { code: 'second', currency: 'USD' })
    // A backup that can no longer be paid, and a paid one.
    await createBackupOrder(fixture.server, 'shop', {
      pdb_type: 'pdb2rds',
      status: 0,
      create_time: fixture.server.clock.now - 40 * 86_400_000,
    })
    const companyId = fixture.server.world.companies.alpha
    const response = await buyer.send({ url: `/api/company/${companyId}/sorder?results=50` })
    const dues = response.json().data.flatMap((row: { dues: unknown[] }) => row.dues)
    expect(dues).toHaveLength(3)
    const row = await findAlpha()
    expect(row?.unpaid.map(({ currency, amount }) => ({ currency, amount }))).toEqual(sumDues(dues))
    expect(row).toMatchObject({ unpaid_count: 3, has_unpaid: true })
    expect(row?.unpaid.map(({ count }) => count)).toEqual([2, 1])

    const customer = (await staff.send({ url: `/api/customer/${companyId}` })).json()
    expect(customer.unpaid).toEqual(row?.unpaid)
    expect(customer.dues.flatMap((order: { dues: unknown[] }) => order.dues)).toHaveLength(3)
    expect(customer.ending).toMatchObject([{ code: 'shop', expired_date: '2027-03-01' }])
    expect(customer.profile).toHaveProperty('tel')

    // After the last day on which the order can be paid, nobody owes it.
    fixture.server.clock.now += 30 * 86_400_000
    staff = await fixture.server.signIn('admin@m18')
    expect((await findAlpha())?.unpaid.map(({ currency }) => currency)).toEqual(['HKD'])
  })

  test('The health is that of the worst service', async () => {
    await buyOrder(fixture.server, buyer)
    await buyOrder(fixture.server, buyer, { code: 'second' })
    const readHealth = async () => (await findAlpha())?.health
    expect(await readHealth()).toBe(1)
    await setService({ system_status: 2, online: 1 })
    expect(await findAlpha()).toMatchObject({ health: 1, services: 2, running_services: 1 })
    await setService({ online: 0 })
    expect(await readHealth()).toBe(2)
    await setService({ online: 1, deployment_fault: 'no_image' })
    expect(await readHealth()).toBe(2)
    await setService({ fault: 'keeps_ending' })
    expect(await findAlpha()).toMatchObject({ health: 3, has_fault: true })
    await setService({ fault: null, system_status: 5 })
    expect(await readHealth()).toBe(3)
  })

  test('Filters, search and sort order', async () => {
    await buyOrder(fixture.server, buyer)
    await placeOrder(buyer, { code: 'second' })
    expect(await listCodes('hasUnpaid=true')).toEqual(['alpha'])
    expect(await listCodes('hasContract=false')).toEqual(['beta'])
    expect(await listCodes('hasFault=true')).toEqual([])
    expect(await listCodes('searchText=BETA-55')).toEqual(['beta'])
    expect(await listCodes('searchText=%25')).toEqual([])
    for (const field of ['name', 'effective_contracts', 'unpaid_count', 'running_services', 'health', 'create_time'])
      expect((await listCodes(`sortField=${field}&sortOrder=desc`)).toSorted()).toEqual(['alpha', 'beta'])
    expect(await listCodes('sortField=unpaid_count&sortOrder=desc')).toEqual(['alpha', 'beta'])
    expect(await listCodes('sortField=last_activity&sortOrder=asc')).toHaveLength(2)
    const secondPage = await staff.send({ url: '/api/customer?results=1&page=2' })
    expect(secondPage.json()).toMatchObject({ count: 2, data: [{ code: 'beta' }] })
  })

  test('A device gets all rows again, and the ids of sign-ups that were released', async () => {
    const response = await staff.send({ url: '/api/customer' })
    const change = String(response.headers['x-change'])
    expect((await staff.send({ url: `/api/customer?since=${change}` })).json().changed).toHaveLength(2)
    await bypassPolicies(fixture.server.app.database, (db) =>
      db
        .updateTable('company')
        .set({ code: 'beta~2' } as never)
        .where('code', '=', 'beta')
        .execute(),
    )
    const { changed: changedRows, gone: deletedIds } = (
      await staff.send({ url: `/api/customer?since=${change}` })
    ).json()
    expect(changedRows.map(({ code }: CustomerRow) => code)).toEqual(['alpha'])
    expect(deletedIds).toEqual([fixture.server.world.companies.beta])
    expect((await staff.send({ url: `/api/customer?since=${Number(change) + 1000}` })).statusCode).toBe(410)
  })

  test('Staff with the order flag list the contracts of all companies', async () => {
    await buyOrder(fixture.server, buyer)
    const otherBuyer = await fixture.server.signIn('order@beta')
    await placeOrder(otherBuyer, { code: 'later', name: 'Later' })
    const seller = await fixture.server.signIn('order@m18')
    const listOrders = async (search: string) =>
      (await seller.send({ url: `/api/sorder?${search}` })).json() as { count: number; data: CustomerOrderRow[] }
    const response = await listOrders('sortField=code')
    expect(response.data.map(({ code, company_code: company }) => `${company} ${code}`)).toEqual([
      'beta later',
      'alpha shop',
    ])
    expect(response.data[0]?.dues).toHaveLength(1)
    expect((await listOrders('status=0')).data.map(({ code }) => code)).toEqual(['later'])
    expect((await listOrders('searchText=ALPHA-7')).data.map(({ code }) => code)).toEqual(['shop'])
    expect((await listOrders('sortField=company_name&sortOrder=desc')).data.map(({ code }) => code)).toEqual([
      'later',
      'shop',
    ])
    expect((await listOrders('type=mma')) as unknown).toMatchObject({ errorCode: 'FORBIDDEN' })
    // Without a change number a device stores the pages only.
    const page = await seller.send({ url: '/api/sorder' })
    expect(page.headers['x-change']).toBeUndefined()
    expect((await seller.send({ url: '/api/sorder?since=' })).statusCode).toBe(410)
  })

  test('The payments of a customer have the paid item and the invoice number', async () => {
    const order = await buyOrder(fixture.server, buyer)
    const companyId = fixture.server.world.companies.alpha
    const url = `/api/customer/${companyId}/payment`
    const { data } = (await staff.send({ url })).json() as { data: CustomerPaymentRow[] }
    expect(data).toMatchObject([
      {
        type: 'create',
        service_code: 'shop',
        amount: order.amount,
        currency: 'HKD',
        gateway: 'test',
        state: 'applied',
        contract_id: order.contract_id,
        paid_time: '2026-03-02 10:00:00',
      },
    ])
    expect(data[0]?.invoice_no).not.toBeNull()
    const search = encodeURIComponent(data[0]?.invoice_no ?? '')
    expect((await staff.send({ url: `${url}?searchText=${search}` })).json().count).toBe(1)
    expect((await staff.send({ url: `${url}?searchText=nothing` })).json().count).toBe(0)
    const other = await staff.send({ url: `/api/customer/${fixture.server.world.companies.beta}/payment` })
    expect(other.json()).toMatchObject({ count: 0, data: [] })
  })

  test('A payment that was applied or refunded later says so', async () => {
    const url = `/api/customer/${fixture.server.world.companies.alpha}/payment?sortField=id`
    const readStates = async () =>
      ((await staff.send({ url })).json() as { data: CustomerPaymentRow[] }).data.map(
        ({ state, contract_id: contractId, invoice_no: invoiceNumber }) => [
          state,
          contractId !== null,
          invoiceNumber !== null,
        ],
      )
    const order = (await placeOrder(buyer)).json()
    await buyer.send({ method: 'DELETE', url: `/api/sorder/${order.id}` })
    await payOrder(fixture.server, order)
    expect(await readStates()).toEqual([['open', false, false]])
    const [task] = (await staff.send({ url: '/api/payment/tasks' })).json()
    const apply = { method: 'POST' as const, url: `/api/payment/tasks/${task.id}/apply`, payload: {} }
    expect((await staff.send(apply)).statusCode).toBe(200)
    expect(await readStates()).toEqual([['applied', true, true]])

    await payOrder(fixture.server, order)
    await bypassPolicies(fixture.server.app.database, (db) =>
      db.updateTable('payment_task').set({ state: 'refunded', end_time: 1 }).where('state', '=', 'open').execute(),
    )
    expect(await readStates()).toEqual([
      ['applied', true, true],
      ['refunded', false, false],
    ])
  })

  test('The last activity is one of an own user, and not of staff, jobs or failed sign-ins', async () => {
    const company_id = fixture.server.world.companies.alpha
    fixture.server.clock.now += 60_000
    const seller = await fixture.server.signIn('second@m18')
    expect((await placeOrder(seller, { company_id })).statusCode).toBe(200)
    const header = { companyId: company_id, userId: null, now: fixture.server.clock.now, status: -1 as const }
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      addAuditEntries(db, { ...header, intent: null, requestId: 'failed sign-ins' }, [
        { code: 'user', operation: 'login', info: {} },
      ]),
    )
    expect((await findAlpha())?.last_activity).toBe('2026-03-02 10:00:00')
    await fixture.server.signIn('order@alpha')
    expect((await findAlpha())?.last_activity).toBe('2026-03-02 10:01:00')
  })

  test('Contracts of the type mma, and what is owed for them, are for the delete level only (Z-33)', async () => {
    await buyOrder(fixture.server, buyer)
    await placeOrder(buyer, { code: 'hidden', currency: 'USD' })
    await createBackupOrder(fixture.server, 'shop', { status: 0 })
    await bypassPolicies(fixture.server.app.database, (db) =>
      sql`update service_order set client_type = 'mma'`.execute(db),
    )
    const companyId = fixture.server.world.companies.alpha
    const read = async (caller: SignedIn) => {
      const row = (await list('searchText=alpha', caller))[0]
      const customer = (await caller.send({ url: `/api/customer/${companyId}` })).json()
      return [row?.contracts, row?.unpaid_count, customer.unpaid.length, customer.dues.length, customer.ending.length]
    }
    expect(await read(await fixture.server.signIn('delete@m18'))).toEqual([2, 2, 2, 2, 1])
    expect(await read(staff)).toEqual([0, 0, 0, 0, 0])
  })

  test('Amounts are in the order of the currencies, and what is due first comes first', async () => {
    await placeOrder(buyer, { code: 'shop3', currency: 'RMB', period: 3 })
    fixture.server.clock.now += 86_400_000
    buyer = await fixture.server.signIn('order@alpha')
    staff = await fixture.server.signIn('admin@m18')
    await placeOrder(buyer, { code: 'shop1', currency: 'USD', period_start: '2026-03-03' })
    const customer = (await staff.send({ url: `/api/customer/${fixture.server.world.companies.alpha}` })).json()
    expect(customer.unpaid.map(({ currency }: { currency: string }) => currency)).toEqual(['USD', 'RMB'])
    expect(customer.dues.map(({ code }: { code: string }) => code)).toEqual(['shop3', 'shop1'])
  })

  test('Only staff with the order flag and provider admins read customers', async () => {
    const companyId = fixture.server.world.companies.beta
    const urls = ['/api/customer', `/api/customer/${companyId}`, `/api/customer/${companyId}/payment`]
    const readStatuses = async (userName: string) => {
      const caller = await fixture.server.signIn(userName)
      const responses = [...urls, '/api/sorder'].map(async (url) => (await caller.send({ url })).statusCode)
      return await Promise.all(responses)
    }
    expect(await readStatuses('admin@alpha')).toEqual([403, 403, 403, 403])
    expect(await readStatuses('second@beta')).toEqual([403, 403, 403, 403])
    expect(await readStatuses('user@m18')).toEqual([403, 403, 403, 403])
    expect(await readStatuses('order@m18')).toEqual([200, 200, 200, 200])
    // A provider admin without the order flag sees no contracts (D49).
    expect(await readStatuses('admin@m18')).toEqual([200, 200, 200, 403])
    expect(await readStatuses('delete@m18')).toEqual([200, 200, 200, 403])
  })

  test('Provider admins list the users of a customer, and change none of them', async () => {
    const { companies, users } = fixture.server.world
    const url = `/api/m18s/company/${companies.beta}/users?results=50`
    const { data } = (await staff.send({ url })).json()
    expect(new Set(data.map((user: { company_code: string }) => user.company_code))).toEqual(new Set(['beta']))
    expect(data.length).toBeGreaterThan(3)
    for (const userName of ['admin@alpha', 'second@alpha'])
      expect((await (await fixture.server.signIn(userName)).send({ url })).statusCode).toBe(404)
    for (const userName of ['order@alpha', 'order@m18', 'user@m18'])
      expect((await (await fixture.server.signIn(userName)).send({ url })).statusCode).toBe(403)
    const change = {
      method: 'PUT' as const,
      url: `/api/m18s/company-user/${users['user@beta']}`,
      payload: { title: 1 },
    }
    expect((await staff.send(change)).json()).toMatchObject({ errorCode: 'USER_NOT_EXIST' })
    // The rest of the request sees the caller's own company again.
    expect((await staff.send({ url: `/api/m18s/company/${companies.m18}/users` })).statusCode).toBe(200)
  })

  test('Ids and queries that name no customer are refused', async () => {
    const { companies } = fixture.server.world
    const readStatus = async (path: string) => (await staff.send({ url: `/api/customer${path}` })).statusCode
    for (const id of [companies.m18, 2_000_000_000]) {
      expect(await readStatus(`/${id}`)).toBe(404)
      expect(await readStatus(`/${id}/payment`)).toBe(404)
    }
    for (const id of ['0', '-1', '1.5', 'x', '99999999999999999999', '~', '%00']) {
      expect([400, 404, 422]).toContain(await readStatus(`/${id}`))
      expect([400, 404, 422]).toContain(await readStatus(`/${id}/payment`))
    }
    const longText = 'x'.repeat(101)
    for (const search of ['hasUnpaid=1;drop', 'sortField=password', 'results=51', `searchText=${longText}`, 'page=0'])
      expect([400, 422]).toContain(await readStatus(`?${search}`))
    expect(await readStatus(`?searchText=${encodeURIComponent("'; drop table company; --")}`)).toBe(200)
  })
})
