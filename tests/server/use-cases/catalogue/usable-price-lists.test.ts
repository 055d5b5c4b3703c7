/** A price list takes effect only if customers can order by it, and the catalogue does not take that away from one in force. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import { soundList } from '#tests/support/orders/price-cases.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { order, setUpShop } from '#tests/support/orders/shop-data.ts'

type Refusal = { json: () => { data: { field: string; code: string; message: string }[] } }
const messages = (answer: Refusal) => answer.json().data.map(({ message }) => message)

onConnections('usable price lists', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  let ids: Record<'core' | 'fin' | 'scm' | 'hr' | 'doc' | 'base', number>
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
    const all = (await staff.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
    ids = Object.fromEntries(all.map(({ id, code }) => [code, id])) as typeof ids
  })
  const charge = { hkd: '3.00', usd: '2.00', rmb: '1.00' }
  const row = (code: keyof typeof ids, prices: object = {}) => ({ code, module_id: ids[code], ...charge, ...prices })
  const send = (method: 'POST' | 'PUT', payload: object, headers: Record<string, string> = {}) =>
    staff.send({ method, url: '/api/pricelist', payload, headers })
  const made = async (fields: object = {}) => {
    const answer = await send('POST', { ...soundList(ids), ...fields })
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json() as { id: number; confirmed: boolean; row_version: number }
  }
  const read = async (id: number) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const change = (code: keyof typeof ids, payload: object) =>
    staff.send({ method: 'PUT', url: `/api/module/${ids[code]}`, payload })

  describe('fault 10a: an unusable list is not confirmed', () => {
    const cases: [string, (rows: typeof row) => object, string[]][] = [
      ['lacks what a module needs', (r) => ({ module: [r('fin')] }), ['module.0.code NEEDS_UNLISTED']],
      [
        'lacks what a module needs by another one',
        (r) => ({ module: [r('doc'), r('scm'), r('core')] }),
        ['module.1.code NEEDS_UNLISTED'],
      ],
      ['lacks several modules', (r) => ({ module: [r('scm')] }), ['module.0.code NEEDS_UNLISTED_MODULES']],
      ['has no module', () => ({ module: [] }), ['module NO_MODULES_LISTED']],
      ['has no range of concurrent users', () => ({ concurrentUser: [] }), ['concurrentUser NO_RANGES']],
      ['has no range of named users', () => ({ namedUser: [] }), ['namedUser NO_RANGES']],
      [
        'asks for more users than its last range has',
        () => ({ min_named_user: 101 }),
        ['min_named_user MINIMUM_ABOVE_RANGES'],
      ],
      [
        'has a module without a price in one currency',
        (r) => ({ module: [r('core', { usd: '0.00' })] }),
        ['module.0.usd MODULE_PRICE_MISSING'],
      ],
      [
        'has a range without a price in two currencies',
        () => ({ namedUser: [{ from: 1, to: 999_999, hkd: '0.00', usd: '1.00', rmb: '0.00' }] }),
        ['namedUser.0.hkd RANGE_PRICE_MISSING'],
      ],
    ]

    test.each(cases)('fault 10a %s: neither made confirmed nor confirmed later', async (_, fields, problems) => {
      const list = { ...soundList(ids), ...fields(row) }
      const both = await send('POST', { ...list, confirmed: true })
      expect([both.statusCode, wrong(both)]).toEqual([400, problems])
      for (const message of messages(both)) expect(message).toMatch(/\S \S/)
      // Unconfirmed it is saved as ever.
      const { id } = await made(fields(row))
      const confirmed = await send('PUT', { id, confirmed: true })
      expect([confirmed.statusCode, wrong(confirmed)]).toEqual([400, problems])
      // Together with what makes it unusable.
      const { id: other } = await made({ effective_date: '2028-03-01' })
      const changed = await send('PUT', { id: other, ...fields(row), confirmed: true })
      expect([changed.statusCode, wrong(changed)]).toEqual([400, problems])
      expect([(await read(id)).confirmed, (await read(other)).confirmed]).toEqual([false, false])
    })

    test('fault 10b the refusal names modules by name and code, in the language of whoever asks', async () => {
      const list = { ...soundList(ids), module: [row('scm')], confirmed: true }
      expect(messages(await send('POST', list))).toEqual([
        'Supply chain (scm) needs these modules, which are not on this list: Finance (fin), Core (core). Add them, or remove Supply chain (scm).',
      ])
      const one = { ...soundList(ids), module: [row('fin')], confirmed: true }
      expect(messages(await send('POST', one, { 'accept-language': 'zh' }))).toEqual([
        'Finance (fin) 需要 Core (core)，但此价目表中没有。请添加，或移除 Finance (fin)。',
      ])
    })

    test('what is only a warning refuses nothing (D3)', async () => {
      const free = { hkd: '0.00', usd: '0.00', rmb: '0.00' }
      const { id } = await made({
        // Fewer than all modules, a free one, a last range below 999999, a minimum fee in one currency.
        module: [row('core'), row('doc', free)],
        min_fee_usd: '0.00',
      })
      expect((await send('PUT', { id, confirmed: true })).json()).toMatchObject({ confirmed: true })
    })

    test('fault 10a an imported list is unconfirmed, and confirming it is refused alike', async () => {
      const { id } = await made({ module: [row('fin')] })
      const key = (await staff.send({ method: 'POST', url: '/api/template/price/export', payload: { id } })).json()
      const bytes = (await the.server.send({ url: `/public/template/price/${key}` })).rawPayload
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
      const { formWith } = await import('#tests/support/uploads/pictures.ts')
      const upload = formWith('file', { name: 'list.zip', bytes })
      const { md5 } = (await staff.send({ method: 'POST', url: '/api/template/price/upload', ...upload })).json()
      const taken = await staff.send({ method: 'POST', url: '/api/template/price/import', payload: { md5 } })
      expect(taken.json()).toMatchObject({ confirmed: false })
      expect(wrong(await send('PUT', { id: taken.json().id, confirmed: true }))).toEqual([
        'module.0.code NEEDS_UNLISTED',
      ])
    })

    test('fault 10a a batch of writes confirms no such list either', async () => {
      const { id } = await made({ module: [row('fin')] })
      const batch = await staff.send({
        method: 'POST',
        url: '/api/batch',
        payload: [
          { method: 'PUT', path: '/api/pricelist', key: randomUUID(), body: { id, desc: 'Described' } },
          { method: 'PUT', path: '/api/pricelist', key: randomUUID(), body: { id, confirmed: true } },
        ],
      })
      expect(batch.json()).toMatchObject([{ status: 200 }, { status: 400, body: { errorCode: 'VALIDATION_ERROR' } }])
      expect((await read(id)).confirmed).toBe(false)
    })

    test('fault 10c the catalogue counts as it is when the list is confirmed', async () => {
      const { id } = await made()
      // Nothing confirmed for later has it, so the module may need it.
      for (const list of the.lists.toReversed()) await retire(list)
      expect((await change('core', { dependencies: ['doc'] })).statusCode).toBe(200)
      expect(wrong(await send('PUT', { id, confirmed: true }))).toEqual([
        'module.0.code NEEDS_UNLISTED',
        'module.1.code NEEDS_UNLISTED',
      ])
    })

    test('fault 10c a confirmation and a new dependency at the same moment: one of the two is refused', async () => {
      for (const list of the.lists) await retire(list)
      const { id } = await made()
      const [confirmed, needing] = await Promise.all([
        send('PUT', { id, confirmed: true }),
        change('core', { dependencies: ['doc'] }),
      ])
      expect([confirmed.statusCode, needing.statusCode].toSorted()).toEqual([200, 400])
    })

    test('fault 10a of a confirmed list that is unusable since long ago the description can still be changed', async () => {
      const [present = 0] = the.lists
      await spoil(present, (content) => ({
        ...content,
        module: [...(content['module'] as object[]), { id: 6, code: 'gone', module_id: 999_999, ...charge }],
      }))
      const answer = await send('PUT', { id: present, desc: 'Sold in 2026' })
      expect([answer.statusCode, answer.json().desc]).toEqual([200, 'Sold in 2026'])
    })

    test('an order by a list that has been unusable since before is refused with what is not on it', async () => {
      const [present = 0] = the.lists
      await spoil(present, (content) => ({
        ...content,
        module: (content['module'] as { code: string }[]).filter(({ code }) => code !== 'core'),
      }))
      const customer = await the.server.signIn('order@alpha')
      const refused = await order(customer, { modules: ['fin'] })
      expect([refused.statusCode, wrong(refused)]).toEqual([400, ['modules NEEDS_MODULES']])
      expect(messages(refused)[0]).toContain('core')
    })
  })

  describe('fault 10d: the catalogue under a list in force', () => {
    test('fault 10d a new dependency that a list in force or to come lacks is refused with its name', async () => {
      const { id } = await newModule('ledger')
      const refused = await change('fin', { dependencies: ['core', 'ledger'] })
      expect([refused.statusCode, wrong(refused)]).toEqual([400, ['dependencies PRICE_LISTS_LACK']])
      expect(messages(refused)[0]).toBe(
        'Finance (fin), Supply chain (scm) could no longer be ordered, because Ledger (ledger) is not on these confirmed price lists: 2026-01-01 (Price list 2026), 2027-01-01 (Price list 2027). Confirm a list that has it first, or remove the dependency.',
      )
      expect((await staff.send({ url: `/api/module/${ids.fin}` })).json().dependencies).toEqual(['core'])
      // What is on no list may need anything, and its name can be changed.
      expect((await change('fin', { name: 'Finance and tax' })).statusCode).toBe(200)
      const own = { method: 'PUT' as const, url: `/api/module/${id}`, payload: { dependencies: ['fin'] } }
      expect((await staff.send(own)).statusCode).toBe(200)
    })

    test('a dependency that every such list has is saved, and so is one less', async () => {
      expect((await change('doc', { dependencies: ['hr'] })).statusCode).toBe(200)
      expect((await change('doc', { dependencies: [] })).statusCode).toBe(200)
    })

    test('fault 10d what lists lacked before, replaced and unconfirmed lists do not stand in the way', async () => {
      await newModule('ledger')
      const [present = 0, next = 0] = the.lists
      await retire(next)
      const withLedger = [row('core'), row('fin'), row('scm'), row('hr'), row('doc')]
      const ledger = ((await staff.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]).find(
        ({ code }) => code === 'ledger',
      )
      const { id } = await made({
        effective_date: '2026-03-01',
        module: [...withLedger, { ...charge, code: 'ledger', module_id: ledger?.id }],
      })
      await made({ effective_date: '2026-03-05', module: [row('fin')] })
      expect((await change('fin', { dependencies: ['core', 'ledger'] })).statusCode).toBe(400)
      expect((await send('PUT', { id, confirmed: true })).statusCode).toBe(200)
      // `present` is replaced now.
      expect((await read(present)).confirmed).toBe(true)
      expect((await change('fin', { dependencies: ['core', 'ledger'] })).statusCode).toBe(200)
    })

    test('a module of a list is not deleted, with the days of the lists; of withdrawn ones it is', async () => {
      const remove = () => staff.send({ method: 'DELETE', url: `/api/module/${ids.doc}` })
      expect((await remove()).json().data).toEqual({
        why: 'priced',
        effective_dates: ['2026-01-01', '2027-01-01'],
      })
      for (const list of the.lists) await retire(list)
      expect((await remove()).statusCode).toBe(204)
    })

    test('a listed module is neither hidden nor moved to another client type', async () => {
      expect(wrong(await change('doc', { hidden: true }))).toEqual(['hidden LOCKED'])
      expect(wrong(await change('doc', { type: 'mma' }))).toEqual(['type LOCKED'])
      expect(told(await change('doc', { name: ' ' }))).toEqual([400, 'VALIDATION_ERROR'])
    })
  })

  const newModule = async (code: string): Promise<{ id: number }> =>
    (
      await staff.send({
        method: 'POST',
        url: '/api/module',
        payload: { code, name: 'Ledger', type: 'saas', hidden: false },
      })
    ).json()

  /** As one that was withdrawn. */
  const retire = (id: number) =>
    inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('price_list').set({ deleted: true }).where('id', '=', id).execute(),
    )

  /** As an older version let it be confirmed. */
  const spoil = (id: number, change: (content: Record<string, unknown>) => object) =>
    inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
      const { content } = await db
        .selectFrom('price_list')
        .select('content')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const changed = JSON.stringify(change(content as unknown as Record<string, unknown>))
      await db.updateTable('price_list').set({ content: changed }).where('id', '=', id).execute()
    })
})
