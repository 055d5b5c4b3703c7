/** Tests that a withdrawn price list stays readable, lists its uses, and can be reinstated (D81). */
import { beforeEach, expect, inject, test } from 'vitest'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder, placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { buildUsableFields } from '#tests/support/orders/usable-fields.ts'

interface PriceListRow {
  id: number
  withdrawn: boolean
  row_version: number
  [field: string]: unknown
}

eachEngineByNight('withdrawn price lists', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let customer: SignedIn
  let usableFields: Awaited<ReturnType<typeof buildUsableFields>>
  let listIdInForce: number
  let nextListId: number
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
    customer = await fixture.server.signIn('order@alpha')
    usableFields = await buildUsableFields(staff)
    ;[listIdInForce = 0, nextListId = 0] = fixture.priceListIds
  })
  const createList = async (effective_date: string, fields: object = {}): Promise<number> => {
    const payload = { type: 'saas', effective_date, desc: `List ${effective_date}`, ...usableFields, ...fields }
    const response = await staff.send({ method: 'POST', url: '/api/pricelist', payload })
    expect(response.statusCode, response.body).toBe(200)
    return response.json().id
  }
  const createConfirmedList = (day: string, fields: object = {}) => createList(day, { confirmed: true, ...fields })
  const remove = (id: number) => staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
  const withdraw = async (id: number) => expect((await remove(id)).statusCode).toBe(204)
  const reinstate = (id: number, headers: Record<string, string> = {}, caller = staff) =>
    caller.send({ method: 'POST', url: `/api/pricelist/${id}/reinstate`, headers })
  const readList = (id: number, caller = staff) => caller.send({ url: `/api/prices/${id}` })
  const listPriceLists = async (query = '') => {
    const { count, data } = (await staff.send({ url: `/api/pricelist?type=saas${query}` })).json()
    return [count, (data as PriceListRow[]).map(({ id }) => id)]
  }
  const readTrail = () =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      const rows = await db.selectFrom('audit_entry').select('leaf').where('code', '=', 'price').orderBy('id').execute()
      return rows.map(({ leaf }) => readLeaf(leaf))
    })
  const readIdInForce = async () => (await customer.send({ url: '/api/price?type=saas' })).json().id
  /** Confirms a list for this day and withdraws the list in force. Returns the id of the new list. */
  async function replaceListInForce(effectiveDate = '2026-03-01'): Promise<number> {
    const laterListId = await createConfirmedList(effectiveDate)
    await withdraw(listIdInForce)
    return laterListId
  }

  test('The overview returns withdrawn lists with a filter or with all lists (fault 11a)', async () => {
    const laterListId = await replaceListInForce()
    expect(await listPriceLists()).toEqual([2, [nextListId, laterListId]])
    expect(await listPriceLists('&withdrawn=false')).toEqual([2, [nextListId, laterListId]])
    expect(await listPriceLists('&withdrawn=true')).toEqual([1, [listIdInForce]])
    expect(await listPriceLists('&includedWithdrawn=true')).toEqual([3, [nextListId, laterListId, listIdInForce]])
    const { data } = (await staff.send({ url: '/api/pricelist?withdrawn=true' })).json()
    expect(data).toMatchObject([{ confirmed: true, withdrawn: true, effective_date: '2026-01-01' }])
    // These are the time and the user of the withdrawal.
    expect(data[0]).toMatchObject({
      update_time: '2026-03-02 10:00:00',
      update_user_name: expect.stringMatching('admin'),
    })
  })

  test('Staff see how many contracts and orders of all companies use each list (fault 11c)', async () => {
    const listUses = async () => (await staff.send({ url: '/api/pricelist/uses?type=saas' })).json()
    expect(await listUses()).toEqual([])
    const otherCustomer = await fixture.server.signIn('order@beta')
    await buyOrder(fixture.server, customer, { code: 'alphashop' })
    await buyOrder(fixture.server, otherCustomer, { code: 'betashop' })
    expect((await placeOrder(customer, { code: 'unpaid' })).statusCode).toBe(200)
    expect(await listUses()).toEqual([{ id: listIdInForce, contracts: 2, orders: 1, backups: 0 }])
    const laterListId = await replaceListInForce()
    expect((await placeOrder(otherCustomer, { code: 'newshop', modules: ['core'] })).statusCode).toBe(200)
    expect(await listUses()).toEqual([
      { id: listIdInForce, contracts: 2, orders: 1, backups: 0 },
      { id: laterListId, contracts: 0, orders: 1, backups: 0 },
    ])
    expect(readStatusAndCode(await customer.send({ url: '/api/pricelist/uses?type=saas' }))).toEqual([403, 'FORBIDDEN'])
    expect(readStatusAndCode(await staff.send({ url: '/api/pricelist/uses?type=mma' }))).toEqual([403, 'FORBIDDEN'])
  })

  test('Devices keep a withdrawn list and remove a deleted list (fault 11f)', async () => {
    const { upto: cursor } = (await staff.send({ url: '/api/pricelist?since=' })).json()
    const draftListId = await createList('2026-04-01')
    await remove(draftListId)
    await withdraw(nextListId)
    const changes = (await staff.send({ url: `/api/pricelist?since=${cursor}` })).json()
    expect([changes.changed.map(({ id, withdrawn }: PriceListRow) => [id, withdrawn]), changes.gone]).toEqual([
      [[nextListId, true]],
      [draftListId],
    ])
    const allRows = (await staff.send({ url: '/api/pricelist?since=' })).json()
    expect(allRows.changed.map(({ id }: PriceListRow) => id).toSorted()).toEqual([listIdInForce, nextListId].toSorted())
  })

  // The following tests do not depend on the engine, so they run only on PostgreSQL if it is available.
  if (engine === 'embedded' && (inject('postgresUrl') ?? null) !== null) return

  test('A withdrawn list still has its page, modules, export and rehearsal (fault 11a)', async () => {
    await replaceListInForce()
    expect((await readList(listIdInForce)).json()).toMatchObject({
      withdrawn: true,
      module: [{ code: 'core' }, {}, {}, {}, {}],
    })
    expect((await staff.send({ url: `/api/module/price/${listIdInForce}` })).json()).toHaveLength(5)
    const key = await staff.send({ method: 'POST', url: '/api/template/price/export', payload: { id: listIdInForce } })
    expect(key.json()).not.toBe('')
    const file = await fixture.server.send({ url: `/public/template/price/${key.json()}` })
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/zip'])
    const rehearsal = await staff.send({
      method: 'POST',
      url: '/api/pricelist/rehearse',
      payload: { id: listIdInForce },
    })
    expect(rehearsal.statusCode).toBe(202)
  })

  test('A withdrawn list is readable only for customers who bought by it (fault 11b)', async () => {
    await buyOrder(fixture.server, customer)
    await replaceListInForce()
    const otherCustomer = await fixture.server.signIn('order@beta')
    expect((await readList(listIdInForce, customer)).json()).toMatchObject({ id: listIdInForce, withdrawn: true })
    expect(readStatusAndCode(await readList(listIdInForce, otherCustomer))).toEqual([404, 'NOT_FOUND'])
  })

  test('A withdrawn list stays readable after the order was deleted and the contract replaced (fault 11b)', async () => {
    const order = await buyOrder(fixture.server, customer)
    await replaceListInForce()
    await runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      await db.updateTable('service_order').set({ deleted: true }).where('id', '=', order.id).execute()
      await db.updateTable('contract').set({ overwritten: true }).where('id', '=', order.contract_id).execute()
    })
    expect((await readList(listIdInForce, customer)).statusCode).toBe(200)
  })

  test('A reinstated list is active again, and the trail records it (fault 11d)', async () => {
    const todayListId = await createConfirmedList('2026-03-02')
    await withdraw(nextListId)
    const { row_version: version } = (await readList(nextListId)).json() as PriceListRow
    const response = await reinstate(nextListId, { 'if-match': `"${version}"` })
    expect(response.json()).toMatchObject({
      id: nextListId,
      withdrawn: false,
      confirmed: true,
      row_version: version + 1,
    })
    expect(await listPriceLists('&withdrawn=true')).toEqual([0, []])
    expect((await readTrail()).at(-1)).toMatchObject({
      operation: 'restore',
      status: 0,
      info: { PriceEffDate: '2027-01-01', PriceDesc: 'Price list 2027' },
    })
    expect(await readIdInForce()).toBe(todayListId)
    fixture.server.clock.now = Date.parse('2027-01-01T02:00:00Z')
    customer = await fixture.server.signIn('order@alpha')
    expect(await readIdInForce()).toBe(nextListId)
  })

  test('A reinstated list that has started meanwhile is in force immediately (fault 11d)', async () => {
    await withdraw(nextListId)
    fixture.server.clock.now = Date.parse('2027-02-01T02:00:00Z')
    ;[staff, customer] = [await fixture.server.signIn('admin@m18'), await fixture.server.signIn('order@alpha')]
    expect(await readIdInForce()).toBe(listIdInForce)
    expect((await reinstate(nextListId)).statusCode).toBe(200)
    expect(await readIdInForce()).toBe(nextListId)
  })

  test('Reinstating is refused while a later list is in force, with the name of that list (fault 11e)', async () => {
    await replaceListInForce()
    const refusal = await reinstate(listIdInForce)
    expect([...readStatusAndCode(refusal), refusal.json().data]).toEqual([
      409,
      'STATE_CONFLICT',
      { why: 'laterInForce', effective_date: '2026-03-01', desc: 'List 2026-03-01' },
    ])
    expect((await readList(listIdInForce)).json()).toMatchObject({ withdrawn: true })
    expect((await readTrail()).at(-1)).toMatchObject({ operation: 'restore', status: -1 })
  })

  test('Reinstating is not refused because of a later list that has not started (fault 11e)', async () => {
    const upcomingListId = await createConfirmedList('2026-03-10')
    await withdraw(upcomingListId)
    expect((await reinstate(upcomingListId)).statusCode).toBe(200)
  })

  test('Reinstating is refused if another list has the same date (fault 11e)', async () => {
    await withdraw(nextListId)
    await createList('2027-01-01')
    const refusal = await reinstate(nextListId)
    expect([readFieldErrors(refusal), refusal.json().data[0].message]).toEqual([
      ['effective_date DUPLICATE'],
      '"2027-01-01" is occupied.',
    ])
  })

  test('Reinstating is refused if customers could no longer order by the list (fault 11e)', async () => {
    // The confirmed list contains only the module `core`.
    const upcomingListId = await createConfirmedList('2026-03-10')
    await withdraw(upcomingListId)
    const modules = (await staff.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
    const core = modules.find(({ code }) => code === 'core')
    const changeResponse = await staff.send({
      method: 'PUT',
      url: `/api/module/${core?.id}`,
      payload: { dependencies: ['doc'] },
    })
    expect(changeResponse.statusCode).toBe(200)
    expect(readFieldErrors(await reinstate(upcomingListId))).toEqual(['module.0.code NEEDS_UNLISTED'])
    expect((await staff.send({ url: `/api/pricelist?withdrawn=true` })).json().count).toBe(1)
  })

  test('Reinstating is refused for an older version, an active or a deleted list (fault 11e)', async () => {
    const draftListId = await createList('2026-04-01')
    expect((await reinstate(listIdInForce)).json().data).toEqual({ why: 'notWithdrawn' })
    expect((await reinstate(draftListId)).json().data).toEqual({ why: 'notWithdrawn' })
    expect((await remove(draftListId)).statusCode).toBe(204)
    // It was never sold, so it stays deleted.
    expect([readStatusAndCode(await reinstate(draftListId)), readStatusAndCode(await readList(draftListId))]).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ])
    expect(await listPriceLists('&includedWithdrawn=true')).toEqual([2, [nextListId, listIdInForce]])
    await withdraw(nextListId)
    expect(readStatusAndCode(await reinstate(nextListId, { 'if-match': '"1"' }))).toEqual([412, 'VERSION_CONFLICT'])
    expect(readStatusAndCode(await reinstate(nextListId, {}, customer))).toEqual([403, 'FORBIDDEN'])
  })

  test('A repeated request reinstates the list once (fault 11e)', async () => {
    await withdraw(nextListId)
    const keyHeader = { 'idempotency-key': '01920000-0000-7000-8000-000000000011' }
    const [first, second] = [await reinstate(nextListId, keyHeader), await reinstate(nextListId, keyHeader)]
    expect([first.statusCode, second.statusCode, second.body]).toEqual([200, 200, first.body])
    expect((await readTrail()).filter(({ operation }) => operation === 'restore')).toHaveLength(1)
  })

  test('A withdrawn list can be neither changed nor withdrawn again (fault 11a)', async () => {
    await withdraw(nextListId)
    const payload = { id: nextListId, desc: 'Other' }
    const changeResponse = await staff.send({ method: 'PUT', url: '/api/pricelist', payload })
    expect([readStatusAndCode(changeResponse), changeResponse.json().data]).toEqual([
      [409, 'STATE_CONFLICT'],
      { why: 'withdrawn' },
    ])
    expect((await remove(nextListId)).json().data).toEqual({ why: 'withdrawn' })
  })
})
