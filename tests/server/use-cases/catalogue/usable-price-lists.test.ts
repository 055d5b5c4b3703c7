/**
 * Tests that a price list can be confirmed only if customers can order by it, and that a catalogue change does not make a confirmed list
 * unusable.
 */
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

  describe('confirming an unusable list (fault 10a)', () => {
    const cases: [string, (rows: typeof buildModuleRow) => object, string[]][] = [
      ['a required module is missing', (r) => ({ module: [r('fin')] }), ['module.0.code NEEDS_UNLISTED']],
      [
        'an indirectly required module is missing',
        (r) => ({ module: [r('doc'), r('scm'), r('core')] }),
        ['module.1.code NEEDS_UNLISTED'],
      ],
      [
        'several required modules are missing',
        (r) => ({ module: [r('scm')] }),
        ['module.0.code NEEDS_UNLISTED_MODULES'],
      ],
      ['it has no module', () => ({ module: [] }), ['module NO_MODULES_LISTED']],
      ['it has no range of concurrent users', () => ({ concurrentUser: [] }), ['concurrentUser NO_RANGES']],
      ['it has no range of named users', () => ({ namedUser: [] }), ['namedUser NO_RANGES']],
      [
        'its minimum number of users is above its last range',
        () => ({ min_named_user: 101 }),
        ['min_named_user MINIMUM_ABOVE_RANGES'],
      ],
      [
        'a module has no price in one currency',
        (r) => ({ module: [r('core', { usd: '0.00' })] }),
        ['module.0.usd MODULE_PRICE_MISSING'],
      ],
      [
        'a range has no price in two currencies',
        () => ({ namedUser: [{ from: 1, to: 999_999, hkd: '0.00', usd: '1.00', rmb: '0.00' }] }),
        ['namedUser.0.hkd RANGE_PRICE_MISSING'],
      ],
    ]

    test.each(cases)('is rejected at creation and later: %s (fault 10a)', async (_, fields, problems) => {
      const listFields = { ...buildValidList(ids), ...fields(buildModuleRow) }
      const confirmedCreation = await send('POST', { ...listFields, confirmed: true })
      expect([confirmedCreation.statusCode, readFieldErrors(confirmedCreation)]).toEqual([400, problems])
      for (const message of listMessages(confirmedCreation)) expect(message).toMatch(/\S \S/)
      // It can still be saved unconfirmed.
      const { id } = await createList(fields(buildModuleRow))
      const confirmation = await send('PUT', { id, confirmed: true })
      expect([confirmation.statusCode, readFieldErrors(confirmation)]).toEqual([400, problems])
      // It is also rejected if the same request makes the list unusable and confirms it.
      const { id: otherId } = await createList({ effective_date: '2028-03-01' })
      const changeResponse = await send('PUT', { id: otherId, ...fields(buildModuleRow), confirmed: true })
      expect([changeResponse.statusCode, readFieldErrors(changeResponse)]).toEqual([400, problems])
      expect([(await readList(id)).confirmed, (await readList(otherId)).confirmed]).toEqual([false, false])
    })

    test('names the modules with name and code in the language of the caller (fault 10b)', async () => {
      const listFields = { ...buildValidList(ids), module: [buildModuleRow('scm')], confirmed: true }
      expect(listMessages(await send('POST', listFields))).toEqual([
        'Supply chain (scm) needs these modules, which are not on this list: Finance (fin), Core (core). Add them, or remove Supply chain (scm).',
      ])
      const finListFields = { ...buildValidList(ids), module: [buildModuleRow('fin')], confirmed: true }
      expect(listMessages(await send('POST', finListFields, { 'accept-language': 'zh' }))).toEqual([
        'Finance (fin) 需要 Core (core)，但此价目表中没有。请添加，或移除 Finance (fin)。',
      ])
    })

    test('is not rejected for a mere warning (D3)', async () => {
      const freePrices = { hkd: '0.00', usd: '0.00', rmb: '0.00' }
      const { id } = await createList({
        // This list lacks some modules, and has a free module, a last range below 999999, and no minimum fee in one currency.
        module: [buildModuleRow('core'), buildModuleRow('doc', freePrices)],
        min_fee_usd: '0.00',
      })
      expect((await send('PUT', { id, confirmed: true })).json()).toMatchObject({ confirmed: true })
    })

    test('is rejected for an imported list too (fault 10a)', async () => {
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

    test('is rejected in a batch of writes too (fault 10a)', async () => {
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

    test('is decided by the catalogue at the time of the confirmation (fault 10c)', async () => {
      const { id } = await createList()
      // No confirmed list is left, so the dependency is accepted.
      for (const list of fixture.priceListIds.toReversed()) await markWithdrawn(list)
      expect((await changeModule('core', { dependencies: ['doc'] })).statusCode).toBe(200)
      expect(readFieldErrors(await send('PUT', { id, confirmed: true }))).toEqual([
        'module.0.code NEEDS_UNLISTED',
        'module.1.code NEEDS_UNLISTED',
      ])
    })

    test('cannot succeed together with a concurrent new dependency (fault 10c)', async () => {
      for (const list of fixture.priceListIds) await markWithdrawn(list)
      const { id } = await createList()
      const [confirmation, dependencyChange] = await Promise.all([
        send('PUT', { id, confirmed: true }),
        changeModule('core', { dependencies: ['doc'] }),
      ])
      expect([confirmation.statusCode, dependencyChange.statusCode].toSorted()).toEqual([200, 400])
    })

    test('A list that was confirmed earlier can change its description although it is unusable (fault 10a)', async () => {
      const [listIdInForce = 0] = fixture.priceListIds
      await rewriteContent(listIdInForce, (content) => ({
        ...content,
        module: [...(content['module'] as object[]), { id: 6, code: 'gone', module_id: 999_999, ...charge }],
      }))
      const changeResponse = await send('PUT', { id: listIdInForce, desc: 'Sold in 2026' })
      expect([changeResponse.statusCode, changeResponse.json().desc]).toEqual([200, 'Sold in 2026'])
    })

    test('An order by an older unusable list is rejected, with the names of the missing modules', async () => {
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

  describe('the catalogue under a list in force (fault 10d)', () => {
    test('rejects a new dependency that a current or future list lacks, and names it (fault 10d)', async () => {
      const { id } = await createModule('journal')
      const refusal = await changeModule('fin', { dependencies: ['core', 'journal'] })
      expect([refusal.statusCode, readFieldErrors(refusal)]).toEqual([400, ['dependencies PRICE_LISTS_LACK']])
      expect(listMessages(refusal)[0]).toBe(
        'Finance (fin), Supply chain (scm) could no longer be ordered, because Journal (journal) is not on these confirmed price lists: 2026-01-01 (Price list 2026), 2027-01-01 (Price list 2027). Confirm a list that has it first, or remove the dependency.',
      )
      expect((await staff.send({ url: `/api/module/${ids.fin}` })).json().dependencies).toEqual(['core'])
      // A module that is on no list may have any dependency, and a listed module can be renamed.
      expect((await changeModule('fin', { name: 'Finance and tax' })).statusCode).toBe(200)
      const dependencyChange = { method: 'PUT' as const, url: `/api/module/${id}`, payload: { dependencies: ['fin'] } }
      expect((await staff.send(dependencyChange)).statusCode).toBe(200)
    })

    test('accepts a new dependency on a module that all lists have, and its removal', async () => {
      expect((await changeModule('doc', { dependencies: ['hr'] })).statusCode).toBe(200)
      expect((await changeModule('doc', { dependencies: [] })).statusCode).toBe(200)
    })

    test('ignores modules that lists lacked before, and replaced or unconfirmed lists (fault 10d)', async () => {
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
      expect((await readList(listIdInForce)).confirmed).toBe(true)
      expect((await changeModule('fin', { dependencies: ['core', 'journal'] })).statusCode).toBe(200)
    })

    test('rejects deleting a module of a list that is not withdrawn, and returns the dates of these lists', async () => {
      const remove = () => staff.send({ method: 'DELETE', url: `/api/module/${ids.doc}` })
      expect((await remove()).json().data).toEqual({
        why: 'priced',
        effective_dates: ['2026-01-01', '2027-01-01'],
      })
      for (const list of fixture.priceListIds) await markWithdrawn(list)
      expect((await remove()).statusCode).toBe(204)
    })

    test('rejects hiding a listed module or moving it to another client type', async () => {
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

  const markWithdrawn = (id: number) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('price_list').set({ deleted: true }).where('id', '=', id).execute(),
    )

  /** Simulates a list that an older version confirmed without this check. */
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
