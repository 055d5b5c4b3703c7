/** A withdrawn price list stays readable, says what was sold by it, and can count again (D81). */
import { beforeEach, expect, inject, test } from 'vitest'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought, order, setUpShop } from '#tests/support/orders/shop-data.ts'
import { usableFields } from '#tests/support/orders/usable-fields.ts'

interface Row {
  id: number
  withdrawn: boolean
  row_version: number
  [field: string]: unknown
}

eachEngineByNight('withdrawn price lists', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  let customer: SignedIn
  let usable: Awaited<ReturnType<typeof usableFields>>
  let present: number
  let next: number
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
    customer = await the.server.signIn('order@alpha')
    usable = await usableFields(staff)
    ;[present = 0, next = 0] = the.lists
  })
  const post = async (effective_date: string, fields: object = {}): Promise<number> => {
    const payload = { type: 'saas', effective_date, desc: `List ${effective_date}`, ...usable, ...fields }
    const answer = await staff.send({ method: 'POST', url: '/api/pricelist', payload })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().id
  }
  const confirmed = (day: string, fields: object = {}) => post(day, { confirmed: true, ...fields })
  const remove = (id: number) => staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
  const withdraw = async (id: number) => expect((await remove(id)).statusCode).toBe(204)
  const reinstate = (id: number, headers: Record<string, string> = {}, by = staff) =>
    by.send({ method: 'POST', url: `/api/pricelist/${id}/reinstate`, headers })
  const read = (id: number, by = staff) => by.send({ url: `/api/prices/${id}` })
  const listed = async (query = '') => {
    const { count, data } = (await staff.send({ url: `/api/pricelist?type=saas${query}` })).json()
    return [count, (data as Row[]).map(({ id }) => id)]
  }
  const trail = () =>
    inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      const rows = await db.selectFrom('audit_entry').select('leaf').where('code', '=', 'price').orderBy('id').execute()
      return rows.map(({ leaf }) => readLeaf(leaf))
    })
  const inForce = async () => (await customer.send({ url: '/api/price?type=saas' })).json().id
  /** Lists are replaced by a list of that day, and the first one is withdrawn. */
  async function replaced(day = '2026-03-01'): Promise<number> {
    const later = await confirmed(day)
    await withdraw(present)
    return later
  }

  test('fault 11a the list of price lists has withdrawn ones under a filter, and with all', async () => {
    const later = await replaced()
    expect(await listed()).toEqual([2, [next, later]])
    expect(await listed('&withdrawn=false')).toEqual([2, [next, later]])
    expect(await listed('&withdrawn=true')).toEqual([1, [present]])
    expect(await listed('&includedWithdrawn=true')).toEqual([3, [next, later, present]])
    const { data } = (await staff.send({ url: '/api/pricelist?withdrawn=true' })).json()
    expect(data).toMatchObject([{ confirmed: true, withdrawn: true, effective_date: '2026-01-01' }])
    // When and by whom.
    expect(data[0]).toMatchObject({
      update_time: '2026-03-02 10:00:00',
      update_user_name: expect.stringMatching('admin'),
    })
  })

  test('fault 11c how many contracts and orders each list has is told, over all companies', async () => {
    const uses = async () => (await staff.send({ url: '/api/pricelist/uses?type=saas' })).json()
    expect(await uses()).toEqual([])
    const other = await the.server.signIn('order@beta')
    await bought(the.server, customer, { code: 'alphashop' })
    await bought(the.server, other, { code: 'betashop' })
    expect((await order(customer, { code: 'unpaid' })).statusCode).toBe(200)
    expect(await uses()).toEqual([{ id: present, contracts: 2, orders: 1, backups: 0 }])
    const later = await replaced()
    expect((await order(other, { code: 'newshop', modules: ['core'] })).statusCode).toBe(200)
    expect(await uses()).toEqual([
      { id: present, contracts: 2, orders: 1, backups: 0 },
      { id: later, contracts: 0, orders: 1, backups: 0 },
    ])
    expect(told(await customer.send({ url: '/api/pricelist/uses?type=saas' }))).toEqual([403, 'FORBIDDEN'])
    expect(told(await staff.send({ url: '/api/pricelist/uses?type=mma' }))).toEqual([403, 'FORBIDDEN'])
  })

  test('fault 11f devices keep a withdrawn list and forget a deleted one', async () => {
    const { upto } = (await staff.send({ url: '/api/pricelist?since=' })).json()
    const draft = await post('2026-04-01')
    await remove(draft)
    await withdraw(next)
    const news = (await staff.send({ url: `/api/pricelist?since=${upto}` })).json()
    expect([news.changed.map(({ id, withdrawn }: Row) => [id, withdrawn]), news.gone]).toEqual([
      [[next, true]],
      [draft],
    ])
    const all = (await staff.send({ url: '/api/pricelist?since=' })).json()
    expect(all.changed.map(({ id }: Row) => id).toSorted()).toEqual([present, next].toSorted())
  })

  // These would find the same on the other engine.
  if (engine === 'embedded' && (inject('postgresUrl') ?? null) !== null) return

  test('fault 11a its page, its modules, its export and a rehearsal against it are there', async () => {
    await replaced()
    expect((await read(present)).json()).toMatchObject({ withdrawn: true, module: [{ code: 'core' }, {}, {}, {}, {}] })
    expect((await staff.send({ url: `/api/module/price/${present}` })).json()).toHaveLength(5)
    const key = await staff.send({ method: 'POST', url: '/api/template/price/export', payload: { id: present } })
    expect(key.json()).not.toBe('')
    const file = await the.server.send({ url: `/public/template/price/${key.json()}` })
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'application/zip'])
    const rehearsed = await staff.send({ method: 'POST', url: '/api/pricelist/rehearse', payload: { id: present } })
    expect(rehearsed.statusCode).toBe(202)
  })

  test('fault 11b whoever bought by it reads it, and nobody else does', async () => {
    await bought(the.server, customer)
    await replaced()
    const other = await the.server.signIn('order@beta')
    expect((await read(present, customer)).json()).toMatchObject({ id: present, withdrawn: true })
    expect(told(await read(present, other))).toEqual([404, 'NOT_FOUND'])
  })

  test('fault 11b also after the order was deleted and the contract replaced', async () => {
    const made = await bought(the.server, customer)
    await replaced()
    await inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      await db.updateTable('service_order').set({ deleted: true }).where('id', '=', made.id).execute()
      await db.updateTable('contract').set({ overwritten: true }).where('id', '=', made.contract_id).execute()
    })
    expect((await read(present, customer)).statusCode).toBe(200)
  })

  test('fault 11d a reinstated list counts again, and the trail says so', async () => {
    const today = await confirmed('2026-03-02')
    await withdraw(next)
    const { row_version: version } = (await read(next)).json() as Row
    const answer = await reinstate(next, { 'if-match': `"${version}"` })
    expect(answer.json()).toMatchObject({ id: next, withdrawn: false, confirmed: true, row_version: version + 1 })
    expect(await listed('&withdrawn=true')).toEqual([0, []])
    expect((await trail()).at(-1)).toMatchObject({
      operation: 'restore',
      status: 0,
      info: { PriceEffDate: '2027-01-01', PriceDesc: 'Price list 2027' },
    })
    expect(await inForce()).toBe(today)
    the.server.clock.now = Date.parse('2027-01-01T02:00:00Z')
    customer = await the.server.signIn('order@alpha')
    expect(await inForce()).toBe(next)
  })

  test('fault 11d one that has begun meanwhile is in force at once', async () => {
    await withdraw(next)
    the.server.clock.now = Date.parse('2027-02-01T02:00:00Z')
    ;[staff, customer] = [await the.server.signIn('admin@m18'), await the.server.signIn('order@alpha')]
    expect(await inForce()).toBe(present)
    expect((await reinstate(next)).statusCode).toBe(200)
    expect(await inForce()).toBe(next)
  })

  test('fault 11e is refused while a later list is in force, and says which', async () => {
    await replaced()
    const refused = await reinstate(present)
    expect([...told(refused), refused.json().data]).toEqual([
      409,
      'STATE_CONFLICT',
      { why: 'laterInForce', effective_date: '2026-03-01', desc: 'List 2026-03-01' },
    ])
    expect((await read(present)).json()).toMatchObject({ withdrawn: true })
    expect((await trail()).at(-1)).toMatchObject({ operation: 'restore', status: -1 })
  })

  test('fault 11e a later list that has not begun does not stand in the way', async () => {
    const soon = await confirmed('2026-03-10')
    await withdraw(soon)
    expect((await reinstate(soon)).statusCode).toBe(200)
  })

  test('fault 11e is refused on a day that another list has taken', async () => {
    await withdraw(next)
    await post('2027-01-01')
    const refused = await reinstate(next)
    expect([wrong(refused), refused.json().data[0].message]).toEqual([
      ['effective_date DUPLICATE'],
      '"2027-01-01" is occupied.',
    ])
  })

  test('fault 11e is refused for a list by which customers could not order any more', async () => {
    // The list that is kept has core alone.
    const soon = await confirmed('2026-03-10')
    await withdraw(soon)
    const all = (await staff.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
    const core = all.find(({ code }) => code === 'core')
    const changed = await staff.send({
      method: 'PUT',
      url: `/api/module/${core?.id}`,
      payload: { dependencies: ['doc'] },
    })
    expect(changed.statusCode).toBe(200)
    expect(wrong(await reinstate(soon))).toEqual(['module.0.code NEEDS_UNLISTED'])
    expect((await staff.send({ url: `/api/pricelist?withdrawn=true` })).json().count).toBe(1)
  })

  test('fault 11e an older version of it, a list that is not withdrawn and a deleted one are refused', async () => {
    const draft = await post('2026-04-01')
    expect((await reinstate(present)).json().data).toEqual({ why: 'notWithdrawn' })
    expect((await reinstate(draft)).json().data).toEqual({ why: 'notWithdrawn' })
    expect((await remove(draft)).statusCode).toBe(204)
    // It was never sold: it stays deleted.
    expect([told(await reinstate(draft)), told(await read(draft))]).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ])
    expect(await listed('&includedWithdrawn=true')).toEqual([2, [next, present]])
    await withdraw(next)
    expect(told(await reinstate(next, { 'if-match': '"1"' }))).toEqual([412, 'VERSION_CONFLICT'])
    expect(told(await reinstate(next, {}, customer))).toEqual([403, 'FORBIDDEN'])
  })

  test('fault 11e the same request twice is done once', async () => {
    await withdraw(next)
    const key = { 'idempotency-key': '01920000-0000-7000-8000-000000000011' }
    const [first, second] = [await reinstate(next, key), await reinstate(next, key)]
    expect([first.statusCode, second.statusCode, second.body]).toEqual([200, 200, first.body])
    expect((await trail()).filter(({ operation }) => operation === 'restore')).toHaveLength(1)
  })

  test('fault 11a a withdrawn list is neither changed nor withdrawn again', async () => {
    await withdraw(next)
    const payload = { id: next, desc: 'Other' }
    const changed = await staff.send({ method: 'PUT', url: '/api/pricelist', payload })
    expect([told(changed), changed.json().data]).toEqual([[409, 'STATE_CONFLICT'], { why: 'withdrawn' }])
    expect((await remove(next)).json().data).toEqual({ why: 'withdrawn' })
  })
})
