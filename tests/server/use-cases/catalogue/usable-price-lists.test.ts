/** A price list takes effect only if customers can order by it, and the catalogue does not take that away from one in force. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { buildValidList } from '#tests/support/orders/price-cases.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

type RefusalResponse = { json: () => { data: { field: string; code: string; message: string }[] } }
const listMessages = (response: RefusalResponse) => response.json().data.map(({ message }) => message)

onConnections('usable price lists', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let ids: Record<'core' | 'fin' | 'scm' | 'hr' | 'doc' | 'base', number>
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
    const modules = (await staff.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]
    ids = Object.fromEntries(modules.map(({ id, code }) => [code, id])) as typeof ids
  })
  const charge = { hkd: '3.00', usd: '2.00', rmb: '1.00' }
  const buildModuleRow = (code: keyof typeof ids, prices: object = {}) => ({
    code,
    module_id: ids[code],
    ...charge,
    ...prices,
  })
  const send = (method: 'POST' | 'PUT', payload: object, headers: Record<string, string> = {}) =>
    staff.send({ method, url: '/api/pricelist', payload, headers })
  const createList = async (fields: object = {}) => {
    const response = await send('POST', { ...buildValidList(ids), ...fields })
    expect(response.statusCode, response.body).toBe(200)
    return response.json() as { id: number; confirmed: boolean; row_version: number }
  }
  const readList = async (id: number) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const changeModule = (code: keyof typeof ids, payload: object) =>
    staff.send({ method: 'PUT', url: `/api/module/${ids[code]}`, payload })

  describe('fault 10a: an unusable list is not confirmed', () => {
    const cases: [string, (rows: typeof buildModuleRow) => object, string[]][] = [
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
      const listFields = { ...buildValidList(ids), ...fields(buildModuleRow) }
      const confirmedCreation = await send('POST', { ...listFields, confirmed: true })
      expect([confirmedCreation.statusCode, readFieldErrors(confirmedCreation)]).toEqual([400, problems])
      for (const message of listMessages(confirmedCreation)) expect(message).toMatch(/\S \S/)
      // Unconfirmed it is saved as ever.
      const { id } = await createList(fields(buildModuleRow))
      const confirmation = await send('PUT', { id, confirmed: true })
      expect([confirmation.statusCode, readFieldErrors(confirmation)]).toEqual([400, problems])
      // Together with what makes it unusable.
      const { id: otherId } = await createList({ effective_date: '2028-03-01' })
      const changeResponse = await send('PUT', { id: otherId, ...fields(buildModuleRow), confirmed: true })
      expect([changeResponse.statusCode, readFieldErrors(changeResponse)]).toEqual([400, problems])
      expect([(await readList(id)).confirmed, (await readList(otherId)).confirmed]).toEqual([false, false])
    })

    test('fault 10b the refusal names modules by name and code, in the language of whoever asks', async () => {
      const listFields = { ...buildValidList(ids), module: [buildModuleRow('scm')], confirmed: true }
      expect(listMessages(await send('POST', listFields))).toEqual([
        'Supply chain (scm) needs these modules, which are not on this list: Finance (fin), Core (core). Add them, or remove Supply chain (scm).',
      ])
      const finListFields = { ...buildValidList(ids), module: [buildModuleRow('fin')], confirmed: true }
      expect(listMessages(await send('POST', finListFields, { 'accept-language': 'zh' }))).toEqual([
        'Finance (fin) 需要 Core (core)，但此价目表中没有。请添加，或移除 Finance (fin)。',
      ])
    })

    test('what is only a warning refuses nothing (D3)', async () => {
      const freePrices = { hkd: '0.00', usd: '0.00', rmb: '0.00' }
      const { id } = await createList({
        // Fewer than all modules, a free one, a last range below 999999, a minimum fee in one currency.
        module: [buildModuleRow('core'), buildModuleRow('doc', freePrices)],
        min_fee_usd: '0.00',
      })
      expect((await send('PUT', { id, confirmed: true })).json()).toMatchObject({ confirmed: true })
    })

    test('fault 10a an imported list is unconfirmed, and confirming it is refused alike', async () => {
      const { id } = await createList({ module: [buildModuleRow('fin')] })
      const key = (await staff.send({ method: 'POST', url: '/api/template/price/export', payload: { id } })).json()
      const bytes = (await fixture.server.send({ url: `/public/template/price/${key}` })).rawPayload
      await staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
      const { buildFileForm } = await import('#tests/support/uploads/pictures.ts')
      const upload = buildFileForm('file', { name: 'list.zip', bytes })
      const { md5 } = (await staff.send({ method: 'POST', url: '/api/template/price/upload', ...upload })).json()
      const importResponse = await staff.send({ method: 'POST', url: '/api/template/price/import', payload: { md5 } })
      expect(importResponse.json()).toMatchObject({ confirmed: false })
      expect(readFieldErrors(await send('PUT', { id: importResponse.json().id, confirmed: true }))).toEqual([
        'module.0.code NEEDS_UNLISTED',
      ])
    })

    test('fault 10a a batch of writes confirms no such list either', async () => {
      const { id } = await createList({ module: [buildModuleRow('fin')] })
      const batch = await staff.send({
        method: 'POST',
        url: '/api/batch',
        payload: [
          { method: 'PUT', path: '/api/pricelist', key: randomUUID(), body: { id, desc: 'Described' } },
          { method: 'PUT', path: '/api/pricelist', key: randomUUID(), body: { id, confirmed: true } },
        ],
      })
      expect(batch.json()).toMatchObject([{ status: 200 }, { status: 400, body: { errorCode: 'VALIDATION_ERROR' } }])
      expect((await readList(id)).confirmed).toBe(false)
    })

    test('fault 10c the catalogue counts as it is when the list is confirmed', async () => {
      const { id } = await createList()
      // Nothing confirmed for later has it, so the module may need it.
      for (const list of fixture.priceListIds.toReversed()) await markWithdrawn(list)
      expect((await changeModule('core', { dependencies: ['doc'] })).statusCode).toBe(200)
      expect(readFieldErrors(await send('PUT', { id, confirmed: true }))).toEqual([
        'module.0.code NEEDS_UNLISTED',
        'module.1.code NEEDS_UNLISTED',
      ])
    })

    test('fault 10c a confirmation and a new dependency at the same moment: one of the two is refused', async () => {
      for (const list of fixture.priceListIds) await markWithdrawn(list)
      const { id } = await createList()
      const [confirmation, dependencyChange] = await Promise.all([
        send('PUT', { id, confirmed: true }),
        changeModule('core', { dependencies: ['doc'] }),
      ])
      expect([confirmation.statusCode, dependencyChange.statusCode].toSorted()).toEqual([200, 400])
    })

    test('fault 10a of a confirmed list that is unusable since long ago the description can still be changed', async () => {
      const [listIdInForce = 0] = fixture.priceListIds
      await rewriteContent(listIdInForce, (content) => ({
        ...content,
        module: [...(content['module'] as object[]), { id: 6, code: 'gone', module_id: 999_999, ...charge }],
      }))
      const changeResponse = await send('PUT', { id: listIdInForce, desc: 'Sold in 2026' })
      expect([changeResponse.statusCode, changeResponse.json().desc]).toEqual([200, 'Sold in 2026'])
    })

    test('an order by a list that has been unusable since before is refused with what is not on it', async () => {
      const [listIdInForce = 0] = fixture.priceListIds
      await rewriteContent(listIdInForce, (content) => ({
        ...content,
        module: (content['module'] as { code: string }[]).filter(({ code }) => code !== 'core'),
      }))
      const customer = await fixture.server.signIn('order@alpha')
      const refusal = await placeOrder(customer, { modules: ['fin'] })
      expect([refusal.statusCode, readFieldErrors(refusal)]).toEqual([400, ['modules NEEDS_MODULES']])
      expect(listMessages(refusal)[0]).toContain('core')
    })
  })

  describe('fault 10d: the catalogue under a list in force', () => {
    test('fault 10d a new dependency that a list in force or to come lacks is refused with its name', async () => {
      const { id } = await createModule('journal')
      const refusal = await changeModule('fin', { dependencies: ['core', 'journal'] })
      expect([refusal.statusCode, readFieldErrors(refusal)]).toEqual([400, ['dependencies PRICE_LISTS_LACK']])
      expect(listMessages(refusal)[0]).toBe(
        'Finance (fin), Supply chain (scm) could no longer be ordered, because Journal (journal) is not on these confirmed price lists: 2026-01-01 (Price list 2026), 2027-01-01 (Price list 2027). Confirm a list that has it first, or remove the dependency.',
      )
      expect((await staff.send({ url: `/api/module/${ids.fin}` })).json().dependencies).toEqual(['core'])
      // What is on no list may need anything, and its name can be changed.
      expect((await changeModule('fin', { name: 'Finance and tax' })).statusCode).toBe(200)
      const dependencyChange = { method: 'PUT' as const, url: `/api/module/${id}`, payload: { dependencies: ['fin'] } }
      expect((await staff.send(dependencyChange)).statusCode).toBe(200)
    })

    test('a dependency that every such list has is saved, and so is one less', async () => {
      expect((await changeModule('doc', { dependencies: ['hr'] })).statusCode).toBe(200)
      expect((await changeModule('doc', { dependencies: [] })).statusCode).toBe(200)
    })

    test('fault 10d what lists lacked before, replaced and unconfirmed lists do not stand in the way', async () => {
      await createModule('journal')
      const [listIdInForce = 0, nextListId = 0] = fixture.priceListIds
      await markWithdrawn(nextListId)
      const withJournal = [
        buildModuleRow('core'),
        buildModuleRow('fin'),
        buildModuleRow('scm'),
        buildModuleRow('hr'),
        buildModuleRow('doc'),
      ]
      const journal = ((await staff.send({ url: '/api/module/info' })).json() as { id: number; code: string }[]).find(
        ({ code }) => code === 'journal',
      )
      const { id } = await createList({
        effective_date: '2026-03-01',
        module: [...withJournal, { ...charge, code: 'journal', module_id: journal?.id }],
      })
      await createList({ effective_date: '2026-03-05', module: [buildModuleRow('fin')] })
      expect((await changeModule('fin', { dependencies: ['core', 'journal'] })).statusCode).toBe(400)
      expect((await send('PUT', { id, confirmed: true })).statusCode).toBe(200)
      // `listIdInForce` is replaced now.
      expect((await readList(listIdInForce)).confirmed).toBe(true)
      expect((await changeModule('fin', { dependencies: ['core', 'journal'] })).statusCode).toBe(200)
    })

    test('a module of a list is not deleted, with the days of the lists; of withdrawn ones it is', async () => {
      const remove = () => staff.send({ method: 'DELETE', url: `/api/module/${ids.doc}` })
      expect((await remove()).json().data).toEqual({
        why: 'priced',
        effective_dates: ['2026-01-01', '2027-01-01'],
      })
      for (const list of fixture.priceListIds) await markWithdrawn(list)
      expect((await remove()).statusCode).toBe(204)
    })

    test('a listed module is neither hidden nor moved to another client type', async () => {
      expect(readFieldErrors(await changeModule('doc', { hidden: true }))).toEqual(['hidden LOCKED'])
      expect(readFieldErrors(await changeModule('doc', { type: 'mma' }))).toEqual(['type LOCKED'])
      expect(readStatusAndCode(await changeModule('doc', { name: ' ' }))).toEqual([400, 'VALIDATION_ERROR'])
    })
  })

  const createModule = async (code: string): Promise<{ id: number }> =>
    (
      await staff.send({
        method: 'POST',
        url: '/api/module',
        payload: { code, name: 'Journal', type: 'saas', hidden: false },
      })
    ).json()

  /** As one that was withdrawn. */
  const markWithdrawn = (id: number) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('price_list').set({ deleted: true }).where('id', '=', id).execute(),
    )

  /** As an older version let it be confirmed. */
  const rewriteContent = (id: number, changeContent: (content: Record<string, unknown>) => object) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      const { content } = await db
        .selectFrom('price_list')
        .select('content')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const changedContent = JSON.stringify(changeContent(content as unknown as Record<string, unknown>))
      await db.updateTable('price_list').set({ content: changedContent }).where('id', '=', id).execute()
    })
})
