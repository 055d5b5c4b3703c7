import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { buyOrder, placeOrder, payOrder, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('service orders', (engine) => {
  const fixture = setUpShop(engine)
  let buyer: SignedIn
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
  })

  /** Sets the clock in the business time zone and signs in again, because the former session has ended. */
  async function setClock(instant: string): Promise<void> {
    fixture.server.clock.now = Date.parse(`${instant.replace(' ', 'T')}+08:00`)
    buyer = await fixture.server.signIn('order@alpha')
  }
  const listUrl = (query = '') => `/api/company/${fixture.server.world.companies.alpha}/sorder${query}`
  const readList = async (query = '') => (await buyer.send({ url: listUrl(`?results=50${query}`) })).json()
  const listCodes = async (query = '') => (await readList(query)).data.map((row: { code: string }) => row.code)
  const remove = (id: number, caller = buyer, headers: Record<string, string> = {}) =>
    caller.send({ method: 'DELETE', url: `/api/sorder/${id}`, headers })

  describe('a new order', () => {
    test('is unpaid, priced by the server and due a week later at the end of the day (M77, D31, S-17)', async () => {
      const response = await placeOrder(buyer, { code: ' Shop1 ', desc: ' for Easter ' })
      expect(response.json()).toMatchObject({
        code: 'shop1',
        desc: 'for Easter',
        type: 'create',
        status: 0,
        state: 'unpaid',
        contract_id: 0,
        contract: null,
        amount: '42000.00',
        contract_amount: '42000.00',
        residual_amount: '0.00',
        period_end: '2027-03-02',
        expired_date: '2027-03-01',
        due: '2026-03-09 23:59:59',
        create_time: '2026-03-02 10:00:00',
        row_version: 1,
      })
      expect(response.headers.etag).toBe('"1"')
      expect(await readOrder(buyer, response.json().id)).toEqual(response.json())
    })

    test.each([
      [{ code: 'ab' }, 'code INVALID_FORMAT'],
      [{ code: 'abcdefghijklmnopq' }, 'code INVALID_FORMAT'],
      [{ code: 'select' }, 'code RESERVED'],
      [{ name: '  ' }, 'name REQUIRED'],
      [{ users: 4 }, 'users TOO_FEW_USERS'],
      [{ users: 1_000_000 }, 'users OUT_OF_RANGE'],
      [{ period: 0 }, 'period OUT_OF_RANGE'],
      [{ period: 100 }, 'period OUT_OF_RANGE'],
      [{ period: 99 }, null],
      [{ modules: [] }, 'modules NO_MODULE'],
      [{ modules: ['fin'] }, 'modules NEEDS_MODULES'],
      [{ modules: ['core', 'base'] }, 'modules NOT_LISTED'],
      [{ period_start: '2026-03-01' }, 'period_start START_WINDOW'],
      [{ period_start: '2026-04-01' }, null],
      [{ period_start: '2026-04-02' }, 'period_start START_WINDOW'],
      [{ period_start: '2026-02-30' }, 'period_start INVALID_FORMAT'],
      [{ currency: 'CNY' }, 'currency OUT_OF_RANGE'],
    ])('is validated: %j', async (fields, problem) => {
      const response = await placeOrder(buyer, fields)
      expect(response.statusCode === 200 ? null : readFieldErrors(response)[0]).toBe(problem)
    })

    test('requires a module, with the specified message in both languages (M76)', async () => {
      const readMessage = async (language: string) =>
        (await placeOrder(buyer, { modules: [] }, { 'accept-language': language })).json().data[0].message
      expect(await readMessage('en')).toBe('Please select at least one module.')
      expect(await readMessage('zh')).toMatch(/\p{Script=Han}/u)
    })

    test('is refused if an order of any company has its code (D37)', async () => {
      const first = (await placeOrder(buyer)).json()
      const refusal = await placeOrder(buyer)
      expect(readStatusAndCode(refusal)).toEqual([409, 'DUP_CODE'])
      expect(refusal.json().data).toEqual({
        code: 'shop',
        unpaid: { id: first.id, type: 'create', amount: '42000.00', due: first.due },
      })
      const foreignRefusal = await placeOrder(await fixture.server.signIn('order@beta'))
      expect([readStatusAndCode(foreignRefusal), foreignRefusal.json().data]).toEqual([
        [409, 'DUP_CODE'],
        { code: 'shop' },
      ])
      const existsResponse = await buyer.send({ url: '/api/query/order?code=Shop' })
      expect(existsResponse.json()).toBe(true)
    })

    test('replaces the unpaid order it names, which becomes invalid (D32, D36)', async () => {
      const first = (await placeOrder(buyer)).json()
      const second = (await placeOrder(buyer, { users: 11, replaces: first.id })).json()
      expect(await readOrder(buyer, first.id)).toMatchObject({ status: -1, due: null })
      expect((await readList()).data.map((row: { id: number }) => row.id)).toEqual([second.id])
      expect(
        readStatusAndCode(
          await placeOrder(await fixture.server.signIn('order@beta'), { code: 'mine', replaces: second.id }),
        )[0],
      ).toBe(404)
      await payOrder(fixture.server, second)
      expect(readStatusAndCode(await placeOrder(buyer, { code: 'other', replaces: second.id }))).toEqual([
        409,
        'STATE_CONFLICT',
      ])
    })

    test('does not bring back the replaced order when it is deleted (D32, D33)', async () => {
      const first = (await placeOrder(buyer)).json()
      const second = (await placeOrder(buyer, { users: 11, replaces: first.id })).json()
      expect((await remove(second.id)).statusCode).toBe(204)
      expect((await readList()).data).toEqual([])
    })

    test('is created once by twenty concurrent requests with one code (S-20)', async () => {
      const buyers = [buyer, await fixture.server.signIn('order@beta')]
      const requests = Array.from({ length: 20 }, (_, index) =>
        placeOrder(buyers[index % 2] ?? buyer, { code: 'race' }),
      )
      const responses = await Promise.all(requests)
      expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
      expect(responses.filter((response) => response.json().errorCode === 'DUP_CODE')).toHaveLength(19)
    }, 60_000)

    test('is created once by a repeated key (protocol 1)', async () => {
      const key = { 'idempotency-key': '01920000-0000-7000-8000-000000000001' }
      const [first, second] = [await placeOrder(buyer, {}, key), await placeOrder(buyer, {}, key)]
      expect(second.json()).toEqual(first.json())
      expect((await readList()).count).toBe(1)
      expect((await buyer.send({ url: '/api/sorder/~01920000-0000-7000-8000-000000000001' })).json().id).toBe(
        first.json().id,
      )
    })

    test('can be backdated only by provider staff (D39), and be of type mma only for the delete level (Z-33)', async () => {
      const backdatedFields = { sOrderCreateTime: '2026-02-10', period_start: '2026-02-10' }
      expect(readStatusAndCode(await placeOrder(buyer, backdatedFields))).toEqual([403, 'FORBIDDEN'])
      const staff = await fixture.server.signIn('second@m18')
      const response = await placeOrder(staff, backdatedFields)
      expect(response.json()).toMatchObject({
        create_time: '2026-02-10 00:00:00',
        due: '2026-03-09 23:59:59',
        status: 0,
        period_start: '2026-02-10',
      })
      expect(readFieldErrors(await placeOrder(staff, { code: 'next', sOrderCreateTime: '2026-03-03' }))).toEqual([
        'sOrderCreateTime OUT_OF_RANGE',
      ])
      expect(readStatusAndCode(await placeOrder(staff, { code: 'mine', client_type: 'mma' }))).toEqual([
        403,
        'FORBIDDEN',
      ])
    })

    test('belongs to the customer if staff place it, and the trail names both', async () => {
      const staff = await fixture.server.signIn('second@m18')
      const company_id = fixture.server.world.companies.alpha
      const response = await placeOrder(staff, { company_id })
      expect(response.json()).toMatchObject({ company_id, status: 0 })
      expect(await listCodes()).toEqual(['shop'])
      expect((await staff.send({ url: listUrl() })).json().count).toBe(1)
      expect((await readOrder(staff, response.json().id)).code).toBe('shop')
      const entry = await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
        db.selectFrom('audit_entry').selectAll().where('code', '=', 'order').executeTakeFirstOrThrow(),
      )
      expect(entry).toMatchObject({
        company_id,
        actor_company_id: fixture.server.world.companies.m18,
        exec_user_id: null,
        actor: { user_id: staff.userId },
        operation: 'create',
        info: { ServiceCode: 'shop', ActingFor: 'alpha' },
      })
      expect(
        readStatusAndCode(
          await placeOrder(buyer, { code: 'else', company_id: fixture.server.world.companies.beta }),
        )[0],
      ).toBe(404)
    })
  })

  describe('an order after its due time', () => {
    test('is payable in the last second and invalid in the next, in list, filter and detail (F-09, T1, D30)', async () => {
      const { id } = (await placeOrder(buyer)).json()
      await setClock('2026-03-09 23:59:59')
      expect(await readOrder(buyer, id)).toMatchObject({ status: 0, due: '2026-03-09 23:59:59' })
      expect([await listCodes('&status=0'), await listCodes('&status=-1')]).toEqual([['shop'], []])
      await setClock('2026-03-10 00:00:00')
      expect(await readOrder(buyer, id)).toMatchObject({ status: -1, state: 'invalid', due: null })
      expect([await listCodes('&status=0'), await listCodes('&status=-1')]).toEqual([[], ['shop']])
      expect((await buyer.send({ url: '/api/query/order?code=shop' })).json()).toBe(false)
    })

    test('is listed by its last day, as on the device', async () => {
      const { id } = (await placeOrder(buyer)).json()
      const { period_end, expired_date } = await readOrder(buyer, id)
      const [end, lastDay] = [String(period_end), String(expired_date)]
      expect(end > lastDay).toBe(true)
      expect([await listCodes(`&endUntil=${lastDay}`), await listCodes(`&endUntil=${end}`)]).toEqual([[], ['shop']])
    })

    test('releases its code to the next order (D37)', async () => {
      const { id } = (await placeOrder(buyer)).json()
      const since = String((await buyer.send({ url: listUrl() })).headers['x-change'])
      await setClock('2026-03-10 00:00:00')
      // Devices get the change although no job has run.
      expect((await buyer.send({ url: listUrl(`?since=${since}`) })).json().changed).toMatchObject([{ id, status: -1 }])
      const response = await placeOrder(await fixture.server.signIn('order@beta'), { period_start: '2026-03-10' })
      expect(response.statusCode).toBe(200)
      expect(await readOrder(buyer, id)).toMatchObject({ status: -1, row_version: 1 })
      expect((await remove(id, buyer, { 'if-match': '"1"' })).statusCode).toBe(204)
      expect(await listCodes()).toEqual([])
    })
  })

  describe('deleting an order', () => {
    test('is refused for an active order, and removes the order from the list and from devices (D33, M107)', async () => {
      const { id } = (await placeOrder(buyer)).json()
      const since = String((await buyer.send({ url: listUrl() })).headers['x-change'])
      expect((await remove(id)).statusCode).toBe(204)
      expect(readStatusAndCode(await buyer.send({ url: `/api/sorder/${id}` }))).toEqual([404, 'NOT_FOUND'])
      expect((await buyer.send({ url: listUrl(`?since=${since}`) })).json()).toMatchObject({ changed: [], gone: [id] })
      const liveOrder = await buyOrder(fixture.server, buyer)
      const refusal = await remove(liveOrder.id)
      expect([readStatusAndCode(refusal), refusal.json().data]).toEqual([
        [409, 'STATE_CONFLICT'],
        { why: 'paidAlready' },
      ])
      expect(readStatusAndCode(await remove(liveOrder.id, buyer, { 'if-match': '"1"' }))).toEqual([
        412,
        'VERSION_CONFLICT',
      ])
    })

    test('returns 404 to other companies, and 403 to staff without the order right (N-03)', async () => {
      const { id } = (await placeOrder(buyer)).json()
      for (const userName of ['order@beta', 'admin@m18']) {
        const caller = await fixture.server.signIn(userName)
        const expected = userName === 'admin@m18' ? [403, 'FORBIDDEN'] : [404, 'NOT_FOUND']
        expect(readStatusAndCode(await remove(id, caller))).toEqual(expected)
        expect(readStatusAndCode(await caller.send({ url: `/api/sorder/${id}` }))).toEqual(expected)
        expect(readStatusAndCode(await caller.send({ url: listUrl() }))).toEqual(expected)
      }
    })
  })

  describe('the list of orders', () => {
    test('has one row per service, and can be searched, filtered, sorted and paged (D35, M61)', async () => {
      await buyOrder(fixture.server, buyer, { code: 'beta1', name: 'Warehouse' })
      await placeOrder(buyer, { code: 'alpha1', name: 'Shop', users: 20 })
      await placeOrder(buyer, { code: 'gamma1', name: '商店', users: 15 })
      expect(await listCodes('&sortField=code')).toEqual(['alpha1', 'beta1', 'gamma1'])
      expect(await listCodes('&sortField=users&sortOrder=desc')).toEqual(['alpha1', 'gamma1', 'beta1'])
      expect(await listCodes('&sortField=status&sortOrder=desc')).toEqual(['beta1', 'gamma1', 'alpha1'])
      expect(await listCodes('&searchText=SHOP')).toEqual(['alpha1'])
      expect(await listCodes('&searchText=商')).toEqual(['gamma1'])
      expect(await listCodes('&status=1')).toEqual(['beta1'])
      const page = await buyer.send({ url: listUrl('?results=2&page=2&sortField=code') })
      expect(page.json()).toMatchObject({ count: 3, data: [{ code: 'gamma1' }] })
      expect(readStatusAndCode(await buyer.send({ url: listUrl('?type=mma') }))).toEqual([403, 'FORBIDDEN'])
    })

    test('shows a contract as expired from midnight after its last day, and filters by it (T3, D28)', async () => {
      const { id } = await buyOrder(fixture.server, buyer)
      await setClock('2027-03-01 23:59:59')
      expect(await readOrder(buyer, id)).toMatchObject({ status: 1, state: 'effective', expired_date: '2027-03-01' })
      expect([await listCodes('&status=1'), await listCodes('&status=2')]).toEqual([['shop'], []])
      await setClock('2027-03-02 00:00:00')
      expect(await readOrder(buyer, id)).toMatchObject({ status: 2, state: 'expired' })
      expect([await listCodes('&status=1'), await listCodes('&status=2')]).toEqual([[], ['shop']])
    })

    test('can be streamed completely', async () => {
      await placeOrder(buyer, { code: 'alpha1' })
      const response = await buyer.send({ url: listUrl('?since='), headers: { accept: 'application/x-ndjson' } })
      expect(response.body.trim().split('\n')).toHaveLength(2)
    })
  })

  test('the alert date is set by the delete level on mma orders, not in the past (M105, S-51, Z-18)', async () => {
    const deleteLevelUser = await fixture.server.signIn('delete@m18')
    const { id } = (await placeOrder(buyer)).json()
    const setAlertDate = (alert_date: string | null, caller = deleteLevelUser, order_id = id) =>
      caller.send({ method: 'POST', url: '/api/sorder/alertDate', payload: { id: order_id, alert_date } })
    expect(readStatusAndCode(await setAlertDate('2026-03-05', buyer))).toEqual([403, 'FORBIDDEN'])
    expect((await setAlertDate('2026-03-05')).json().data).toEqual({ why: 'notMma' })
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      // No price list of type mma exists in this test, so the order is changed in the database.
      db
        .updateTable('service_order')
        .set({ client_type: 'mma' } as never)
        .where('id', '=', id)
        .execute(),
    )
    expect(readFieldErrors(await setAlertDate('2026-03-01'))).toEqual(['alert_date OUT_OF_RANGE'])
    expect((await setAlertDate('2026-03-02')).json()).toMatchObject({ alert_date: '2026-03-02', row_version: 2 })
    expect((await setAlertDate(null)).json()).toMatchObject({ alert_date: null, row_version: 3 })
  })
})
