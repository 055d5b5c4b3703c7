/** A change that discards money is confirmed with its sum, and undone until the end of its day (contracts 9, D14). */
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { told } from '#tests/support/server/forms.ts'
import { bought, type Ordered, paid, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngineByNight('a change that discards money', (engine) => {
  const the = setUpShop(engine)
  let buyer: SignedIn
  let before: Ordered
  const at = async (moment: string) => {
    the.server.clock.now = Date.parse(`${moment}+08:00`)
    buyer = await the.server.signIn('order@alpha')
  }
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
    before = await bought(the.server, buyer, { users: 25, uat: 1 })
    await at('2026-09-14T12:00:00')
  })

  const post = (url: string, payload: object = {}, by = buyer, headers: Record<string, string> = {}) =>
    by.send({ method: 'POST', url, payload, headers })
  const down = (over: object = {}) => ({ type: 'change', contract_id: before.contract_id, users: 10, uat: 0, ...over })
  const quote = async (over: object = {}) => (await post('/api/calculate', down(over))).json()
  const historyOf = async ({ contract_id: id }: Ordered) =>
    (await buyer.send({ url: `/api/contract/${id}/history` })).json() as (Ordered & { segments: object[] })[]
  const undo = (contract: number, by = buyer, headers: Record<string, string> = {}) =>
    post(`/api/contract/${contract}/undo`, {}, by, headers)
  const why = (answer: Awaited<ReturnType<typeof undo>>) => [answer.statusCode, answer.json().data?.why]

  async function reduced(over: object = {}): Promise<Ordered> {
    const { discarded_amount: confirm_discard } = await quote(over)
    const answer = await post('/api/contract', down({ confirm_discard, ...over }))
    expect(answer.statusCode).toBe(200)
    return answer.json()
  }

  test('fault 4a a quote says the sum that is not refunded, and 0.00 where nothing is lost', async () => {
    // 25 users with UAT cost 68,400.00 a year, 10 without 42,000.00; 169 days are left.
    const { amount, residual_amount, contract_amount, discarded_amount } = await quote()
    expect({ amount, residual_amount, contract_amount, discarded_amount }).toEqual({
      amount: '0.00',
      residual_amount: '31670.14',
      contract_amount: '19446.58',
      discarded_amount: '12223.56',
    })
    for (const over of [{ users: 60 }, { users: 25, uat: 1 }, { type: 'extend', users: 25, uat: 1, period: 1 }])
      expect(await quote(over)).toMatchObject({ discarded_amount: '0.00' })
  })

  test.each([
    ['fewer users', { users: 10, uat: 1 }],
    ['a module less', { users: 25, uat: 1, modules: ['core'] }],
    ['no UAT system', { users: 25, uat: 0 }],
  ])('fault 4a %s are refused with the sum until the order carries it', async (_, over) => {
    const { discarded_amount: sum, quote_id } = await quote(over)
    expect(Number(sum)).toBeGreaterThan(0)
    for (const wrong of [{}, { confirm_discard: '0.00' }, { confirm_discard: '1.00' }]) {
      const refused = await post('/api/contract', down({ ...over, quote_id, ...wrong }))
      expect(told(refused)).toEqual([409, 'DISCARD_CONFIRM'])
      expect(refused.json().data).toEqual({ discarded_amount: sum, currency: 'HKD' })
    }
    expect(await readOrder(buyer, before.id)).toMatchObject({ state: 'effective', pending: null })
    const made = await post('/api/contract', down({ ...over, quote_id, confirm_discard: sum }))
    expect(made.json()).toMatchObject({ state: 'effective', amount: '0.00' })
  })

  test('fault 4a a change that discards nothing needs no confirmation', async () => {
    expect((await quote({ users: 60, uat: 1 })).discarded_amount).toBe('0.00')
    const made = await post('/api/contract', down({ users: 60, uat: 1 }))
    expect([made.statusCode, made.json().state]).toEqual([200, 'unpaid'])
  })

  test('fault 4b is undone by an order over 0.00 that restores the contract exactly', async () => {
    const [former] = await historyOf(before)
    const made = await reduced({ modules: ['core'] })
    expect(made.undo_until).toBe('2026-09-14 23:59:59')
    const restored = (await undo(made.contract_id)).json() as Ordered
    expect(restored).toMatchObject({ type: 'change', state: 'effective', amount: '0.00', pay_amount: '0.00' })
    expect(await readOrder(buyer, made.id)).toMatchObject({ state: 'overwritten', undo_until: null })
    const [now, undone] = await historyOf(restored)
    const same = ['segments', 'users', 'user_mode', 'modules', 'uat', 'price_id', 'currency', 'client_type'] as const
    for (const field of [...same, 'period', 'period_start', 'period_end', 'expired_date'])
      expect([field, now?.[field]]).toEqual([field, former?.[field]])
    expect(now).toMatchObject({ amount: '0.00', state: 'effective', restores: former?.['code'] })
    expect(undone).toMatchObject({ id: made.contract_id, state: 'overwritten', restores: null })
    // A year costs what it did: more years of it, and a change that changes nothing.
    const again = { contract_id: restored.contract_id }
    const extended = await post('/api/calculate', { ...again, type: 'extend', period: 1 })
    expect(extended.json().amount).toBe('68400.00')
    const unchanged = await post('/api/calculate', { ...again, type: 'change' })
    expect(unchanged.json()).toMatchObject({ amount: '0.00', discarded_amount: '0.00', residual_amount: '31670.14' })
  })

  test('fault 4b an undo stands in the trail and in print, and no invoice is written', async () => {
    const made = await reduced()
    const restored = (await undo(made.contract_id)).json() as Ordered & { contract: string }
    const admin = await the.server.signIn('admin@alpha')
    const [entry] = (await admin.send({ url: '/api/systrail?code=order&results=10' })).json().data
    expect(entry).toMatchObject({
      operation: 'update',
      status: 0,
      info: { ContractCode: restored.contract, Undoes: made['contract'], Restores: before['contract'] },
    })
    const print = await post('/api/print', { kind: 'contract', id: restored.contract_id })
    const { body } = await buyer.send({ url: new URL(print.json().url, 'http://x').pathname })
    expect(body).toContain(restored.contract)
    expect(body).toContain('31,670.14')
    const invoices = await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('invoice').select('order_id').execute(),
    )
    expect(invoices).toEqual([{ order_id: before.id }])
  })

  test('fault 4b is possible in the last second of its day in the business time zone, and not after', async () => {
    const made = await reduced()
    await at('2026-09-15T00:00:00')
    expect(why(await undo(made.contract_id))).toEqual([409, 'tooLate'])
    expect(await readOrder(buyer, made.id)).toMatchObject({ undo_until: null })
    await at('2026-09-14T23:59:59')
    expect(await readOrder(buyer, made.id)).toMatchObject({ undo_until: '2026-09-14 23:59:59' })
    expect((await undo(made.contract_id)).statusCode).toBe(200)
  })

  test('fault 4b is refused once another order followed: unpaid, paid, or another change', async () => {
    const made = await reduced()
    const extension = await post('/api/contract', { type: 'extend', contract_id: made.contract_id, period: 1 })
    expect(why(await undo(made.contract_id))).toEqual([409, 'anotherOrderFollowed'])
    expect(await readOrder(buyer, made.id)).toMatchObject({ undo_until: null })
    // It is deleted, so nothing followed.
    await buyer.send({ method: 'DELETE', url: `/api/contract/${extension.json().id}` })
    expect(await readOrder(buyer, made.id)).toMatchObject({ undo_until: '2026-09-14 23:59:59' })
    const more = await post('/api/contract', { type: 'change', contract_id: made.contract_id, users: 30 })
    await paid(the.server, more.json())
    expect(why(await undo(made.contract_id))).toEqual([409, 'anotherOrderFollowed'])
  })

  test('fault 4b is undone once, and the undo itself cannot be undone', async () => {
    const made = await reduced()
    const both = await Promise.all([undo(made.contract_id), undo(made.contract_id)])
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409])
    const restored = both.find(({ statusCode }) => statusCode === 200)?.json() as Ordered
    expect(restored['undo_until']).toBeNull()
    expect(why(await undo(restored.contract_id))).toEqual([409, 'notUndoable'])
  })

  test('fault 4b the same call again gets the same answer', async () => {
    const made = await reduced()
    const key = { 'idempotency-key': '01920000-0000-7000-8000-0000000000aa' }
    const first = await undo(made.contract_id, buyer, key)
    const second = await undo(made.contract_id, buyer, key)
    expect([second.statusCode, second.json()]).toEqual([200, first.json()])
    expect(await historyOf(first.json())).toHaveLength(3)
  })

  test('fault 4b nothing else is undoable: a purchase, a paid change, a change that loses nothing', async () => {
    expect(why(await undo(before.contract_id))).toEqual([409, 'notUndoable'])
    const more = (await post('/api/contract', down({ users: 60, uat: 1 }))).json() as Ordered
    await paid(the.server, more)
    const now = await readOrder(buyer, more.id)
    expect([now['undo_until'], ...why(await undo(now.contract_id))]).toEqual([null, 409, 'notUndoable'])
    const same = (await post('/api/contract', { type: 'change', contract_id: now.contract_id })).json() as Ordered
    expect([same.amount, same['undo_until']]).toEqual(['0.00', null])
    expect(why(await undo(same.contract_id))).toEqual([409, 'notUndoable'])
  })

  test('fault 4b belongs to who may order for that company', async () => {
    const made = await reduced()
    expect(told(await undo(made.contract_id, await the.server.signIn('order@beta')))).toEqual([404, 'NOT_FOUND'])
    expect(told(await undo(made.contract_id, await the.server.signIn('user@alpha')))).toEqual([403, 'FORBIDDEN'])
    const staff = await undo(made.contract_id, await the.server.signIn('second@m18'))
    expect(staff.json()).toMatchObject({ company_id: the.server.world.companies['alpha'], users: 25 })
  })

  test('fault 4b restores what was sold although the price list of today has no price for it', async () => {
    const made = await reduced({ modules: ['core'] })
    await inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      await db.updateTable('price_list').set({ deleted: true }).execute()
      await db.updateTable('module').set({ deleted: true }).where('code', '=', 'fin').execute()
    })
    expect(told(await post('/api/calculate', { type: 'change', contract_id: made.contract_id }))[1]).toBe(
      'STATE_CONFLICT',
    )
    expect((await undo(made.contract_id)).json()).toMatchObject({ users: 25, modules: ['core', 'fin'] })
  })

  describe('of a service that runs', () => {
    beforeEach(() =>
      inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('service').set({ system_status: 2 }).where('code', '=', 'shop').execute(),
      ),
    )

    test('fault 4b asks about apps that the undo brings back, and restores them with the key', async () => {
      const over = { modules: ['doc'] }
      const { discarded_amount: confirm_discard } = await quote(over)
      const asked = await post('/api/contract', down({ ...over, confirm_discard }))
      const { confirm_key: confirmKey } = asked.json().data
      const made = (await post('/api/contract', down({ ...over, confirm_discard, confirmKey }))).json() as Ordered
      const question = await undo(made.contract_id)
      expect(told(question)).toEqual([409, 'APP_CONFIRM'])
      expect(question.json().data.confirm_info).toEqual([{ code: 'framework', change: 'enter' }])
      const key = { confirmKey: question.json().data.confirm_key }
      const restored = await post(`/api/contract/${made.contract_id}/undo`, key)
      expect(restored.json()).toMatchObject({ state: 'effective', modules: ['core', 'fin'] })
    })
  })
})
