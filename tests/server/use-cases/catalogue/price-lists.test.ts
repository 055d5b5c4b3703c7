import { beforeEach, describe, expect, test } from 'vitest'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { lists } from '#tests/domain/fees/goldens.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buildUsableFields } from '#tests/support/orders/usable-fields.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }

onConnections('price lists', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let customer: SignedIn
  let ids: number[]
  beforeEach(async () => {
    ids = fixture.priceListIds
    staff = await fixture.server.signIn('admin@m18')
    customer = await fixture.server.signIn('order@alpha')
    usableFields = await buildUsableFields(staff)
  })

  const post = (payload: object, caller = staff) => caller.send({ method: 'POST', url: '/api/pricelist', payload })
  const put = (payload: object, headers: Record<string, string> = {}) =>
    staff.send({ method: 'PUT', url: '/api/pricelist', payload, headers })
  const remove = (id: number) => staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })
  const readList = async (id: number) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const draft = { type: 'saas', effective_date: '2026-07-01', desc: 'Summer' }
  let usableFields: Awaited<ReturnType<typeof buildUsableFields>>
  const findModuleId = async (code: string) =>
    (await staff.send({ url: '/api/module/info' })).json().find((row: { code: string }) => row.code === code).id

  test('The demo has the lists A and B of the agreed examples', async () => {
    for (const [index, id] of ids.entries()) {
      const { concurrentUser, namedUser, module, ...header } = await readList(id)
      const exampleList = lists[index === 0 ? 'A' : 'B']
      const withoutIds = (rows: Record<string, unknown>[]) => rows.map(({ id: _id, module_id: _module, ...row }) => row)
      expect(withoutIds(concurrentUser)).toEqual(exampleList.concurrentUser)
      expect(withoutIds(namedUser)).toEqual(exampleList.namedUser)
      expect(withoutIds(module)).toEqual(exampleList.module)
      for (const name of ['uat_charge', 'uat_cap_usd', 'min_fee_rmb', 'min_concurrent_user'] as const)
        expect([name, header[name]]).toEqual([name, exampleList[name]])
    }
  })

  test('The list in force is the latest confirmed list of its type that has started (D16)', async () => {
    const readListInForce = async () => (await customer.send({ url: '/api/price?type=saas' })).json()
    expect(await readListInForce()).toMatchObject({
      id: ids[0],
      effective_date: '2026-01-01',
      pdbPrice: { pdb2rds_discount: '0.00' },
    })
    await post({ ...draft, effective_date: '2026-02-01' })
    expect((await readListInForce()).id).toBe(ids[0])
    await post({ ...draft, ...usableFields, effective_date: '2026-03-02', confirmed: true })
    expect((await readListInForce()).effective_date).toBe('2026-03-02')
    // The last second of the year in Hong Kong, then the first second of the next year.
    fixture.server.clock.now = Date.parse('2026-12-31T15:59:59Z')
    customer = await fixture.server.signIn('order@alpha')
    expect((await readListInForce()).effective_date).toBe('2026-03-02')
    fixture.server.clock.now += 1000
    expect((await readListInForce()).id).toBe(ids[1])
    expect(readStatusAndCode(await customer.send({ url: '/api/price?type=mma' }))).toEqual([403, 'FORBIDDEN'])
    const deleteLevelStaff = await fixture.server.signIn('delete@m18')
    expect(readStatusAndCode(await deleteLevelStaff.send({ url: '/api/price?type=mma' }))).toEqual([404, 'NOT_FOUND'])
  })

  test('A customer cannot read a list that is not in force yet, but staff can read all lists', async () => {
    expect((await customer.send({ url: `/api/prices/${ids[0]}` })).statusCode).toBe(200)
    const nextListResponse = await customer.send({ url: `/api/prices/${ids[1]}` })
    const missingListResponse = await customer.send({ url: '/api/prices/999999' })
    expect([readStatusAndCode(nextListResponse), nextListResponse.body]).toEqual([
      [404, 'NOT_FOUND'],
      missingListResponse.body,
    ])
    expect((await staff.send({ url: `/api/prices/${ids[1]}` })).statusCode).toBe(200)
    expect(readStatusAndCode(await customer.send({ url: '/api/pricelist' }))).toEqual([403, 'FORBIDDEN'])
  })

  test('The overview has the lists without their rows, latest first', async () => {
    const { count, data } = (await staff.send({ url: '/api/pricelist?type=saas' })).json()
    expect([count, data.map((row: { desc: string }) => row.desc)]).toEqual([2, ['Price list 2027', 'Price list 2026']])
    expect(data[0]).not.toHaveProperty('module')
    const rows = (await staff.send({ url: `/api/module/price/${ids[0]}` })).json()
    expect(rows.map((row: { code: string }) => row.code)).toEqual(['core', 'fin', 'scm', 'hr', 'doc'])
  })

  test('The calls of price lists filter by type and return the fields of contracts 7 (fault 36M154a)', async () => {
    const list = await readList(ids[0] ?? 0)
    for (const field of [
      'module',
      'concurrentUser',
      'namedUser',
      'pdbPrice',
      'type',
      'effective_date',
      'desc',
      'confirmed',
    ])
      expect(list).toHaveProperty(field)
    const listInForce = (await customer.send({ url: '/api/price?type=saas' })).json()
    expect(Object.keys(listInForce).toSorted()).toEqual(Object.keys(list).toSorted())
    const deleteLevelStaff = await fixture.server.signIn('delete@m18')
    expect((await deleteLevelStaff.send({ url: '/api/pricelist?type=mma' })).json()).toMatchObject({
      count: 0,
      data: [],
    })
    const listModulePrices = async (type: string) =>
      (await deleteLevelStaff.send({ url: `/api/module/price/${ids[0]}?type=${type}` })).json()
    expect(await listModulePrices('saas')).toEqual(list.module.map((row: object) => expect.objectContaining(row)))
    expect(await listModulePrices('mma')).not.toEqual(await listModulePrices('saas'))
    const createdList = (await post(draft)).json()
    expect(createdList).toMatchObject({ type: 'saas', effective_date: '2026-07-01', confirmed: false })
    const changeResponse = await staff.send({
      method: 'PUT',
      url: `/api/pricelist/${createdList.id}`,
      payload: { desc: 'Late summer' },
    })
    expect([changeResponse.statusCode, (await readList(createdList.id)).desc]).toEqual([200, 'Late summer'])
    expect((await remove(createdList.id)).statusCode).toBe(204)
  })

  describe('saving a price list', () => {
    test('makes ranges contiguous, raises overlapping ends and drops empty ranges (T11, D82)', async () => {
      const buildRange = (from: number, to: number) => ({ from, to, ...charge })
      const response = await post({
        ...draft,
        concurrentUser: [buildRange(1, 10), buildRange(3, 5), buildRange(0, 0), buildRange(7, 20)],
      })
      expect(response.json().concurrentUser.map(({ from, to }: { from: number; to: number }) => [from, to])).toEqual([
        [1, 10],
        [11, 11],
        [12, 20],
      ])
    })

    test('keeps the order of module rows, and rejects a duplicate row with the specified message (M148)', async () => {
      const buildModuleRow = async (code: string) => ({ code, module_id: await findModuleId(code), ...charge })
      const createResponse = await post({
        ...draft,
        module: [await buildModuleRow('hr'), await buildModuleRow('core')],
      })
      expect(createResponse.json().module).toMatchObject([
        { id: 1, code: 'hr' },
        { id: 2, code: 'core' },
      ])
      const duplicateResponse = await post({
        ...draft,
        effective_date: '2026-08-01',
        module: [await buildModuleRow('hr'), await buildModuleRow('hr')],
      })
      expect(duplicateResponse.json().data).toMatchObject([{ field: 'module.1.code', message: 'Duplicated module!' }])
      const hiddenModuleResponse = await post({
        ...draft,
        effective_date: '2026-08-01',
        module: [await buildModuleRow('base')],
      })
      expect(readFieldErrors(hiddenModuleResponse)).toEqual(['module.0.code MODULE_UNKNOWN'])
    })

    test.each([
      [{ uat_charge: '999.99' }, null],
      [{ uat_charge: '1000.00' }, 'uat_charge OUT_OF_RANGE'],
      [{ uat_charge: '-1.00' }, 'uat_charge OUT_OF_RANGE'],
      [{ uat_charge: '1.5' }, 'uat_charge INVALID_FORMAT'],
      [{ min_fee_usd: '-0.01' }, 'min_fee_usd OUT_OF_RANGE'],
      [{ min_named_user: -1 }, 'min_named_user OUT_OF_RANGE'],
      [{ min_named_user: 1.5 }, 'min_named_user INVALID_FORMAT'],
      [{ desc: '  ' }, 'desc REQUIRED'],
      [{ effective_date: '2026-02-30' }, 'effective_date INVALID_FORMAT'],
      [{ effective_date: '2026-01-01' }, 'effective_date DUPLICATE'],
      [{ concurrentUser: [{ from: 1, to: 1_000_000, ...charge }] }, 'concurrentUser.0.to OUT_OF_RANGE'],
      [{ namedUser: [{ from: 1, to: 9, ...charge, usd: '-1.00' }] }, 'namedUser.0.usd OUT_OF_RANGE'],
    ])('validates %j', async (fields, problem) => {
      const response = await post({ ...draft, ...fields })
      expect(response.statusCode === 200 ? null : readFieldErrors(response)[0]).toBe(problem)
    })

    test.each([
      ['pdb2s3_discount', '100.00', null],
      ['pdb2s3_discount', '100.01', 'OUT_OF_RANGE'],
      ['pdb2rds_discount', '7.50', 'OUT_OF_RANGE'],
      ['pdb2s3_traffic', '0.50', 'OUT_OF_RANGE'],
      ['pdb2s3_up_rmb', '-1.00', 'OUT_OF_RANGE'],
    ])('validates the backup block: %s %s', async (field, value, code) => {
      const { pdbPrice } = await readList(ids[0] ?? 0)
      const response = await post({ ...draft, pdbPrice: { ...pdbPrice, [field]: value } })
      expect(response.statusCode === 200 ? null : readFieldErrors(response)[0]).toBe(
        code && `pdbPrice.${field} ${code}`,
      )
    })

    test('rejects a second list for one day, also concurrently (U-12)', async () => {
      const responses = await Promise.all(Array.from({ length: 8 }, () => post(draft)))
      expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
      const refusal = responses.find(({ statusCode }) => statusCode !== 200)
      expect(refusal?.json().data).toMatchObject([
        { field: 'effective_date', code: 'DUPLICATE', message: '"2026-07-01" is occupied.' },
      ])
    })

    test('is limited to staff, and for mma to the delete level (Z-32, Z-33)', async () => {
      expect(readStatusAndCode(await post(draft, customer))).toEqual([403, 'FORBIDDEN'])
      expect(readStatusAndCode(await post({ ...draft, type: 'mma' }))).toEqual([403, 'FORBIDDEN'])
      const deleteLevelStaff = await fixture.server.signIn('delete@m18')
      const createResponse = await post({ ...draft, effective_date: '2026-01-01', type: 'mma' }, deleteLevelStaff)
      expect(createResponse.json()).toMatchObject({ type: 'mma', confirmed: false })
      expect(readStatusAndCode(await staff.send({ url: `/api/prices/${createResponse.json().id}` }))).toEqual([
        404,
        'NOT_FOUND',
      ])
    })
  })

  test('An unconfirmed list can be changed, but a confirmed list only in its description (D81)', async () => {
    const { id } = (await post({ ...draft, ...usableFields })).json()
    const changeResponse = await put({ id, min_fee_hkd: '5.00', effective_date: '2026-07-02' })
    expect(changeResponse.json()).toMatchObject({ min_fee_hkd: '5.00', effective_date: '2026-07-02', row_version: 2 })
    expect((await put({ id, confirmed: true })).json()).toMatchObject({ confirmed: true, min_fee_hkd: '5.00' })
    expect(readFieldErrors(await put({ id, min_fee_hkd: '6.00' }))).toEqual(['content LOCKED'])
    expect(readFieldErrors(await put({ id, confirmed: false, effective_date: '2026-07-03' }))).toEqual([
      'effective_date LOCKED',
      'confirmed LOCKED',
    ])
    const descriptionResponse = await put({ id, desc: 'Summer sale', min_fee_hkd: '5.00' })
    expect(descriptionResponse.json()).toMatchObject({
      desc: 'Summer sale',
      update_user_name: expect.stringContaining('admin'),
    })
    expect(readStatusAndCode(await put({ id, desc: 'Late' }, { 'if-match': '"1"' }))).toEqual([412, 'VERSION_CONFLICT'])
  })

  describe('deleting or withdrawing a list (D81)', () => {
    const createConfirmedList = async (effective_date: string): Promise<number> =>
      (await post({ ...draft, ...usableFields, effective_date, confirmed: true })).json().id
    const removeAndReadRefusal = async (id: number) => {
      const response = await remove(id)
      return response.statusCode === 204 ? null : [...readStatusAndCode(response), response.json().data]
    }
    const inForceRefusal = [409, 'STATE_CONFLICT', { why: 'inForce' }]

    test('is refused for the list in force, and withdraws a list that was replaced', async () => {
      const [listIdInForce = 0] = ids
      expect(await removeAndReadRefusal(listIdInForce)).toEqual(inForceRefusal)
      await createConfirmedList('2026-03-01')
      expect(await removeAndReadRefusal(listIdInForce)).toBeNull()
      expect((await staff.send({ url: '/api/pricelist' })).json().count).toBe(2)
      expect((await post({ ...draft, effective_date: '2026-01-01' })).statusCode).toBe(200)
    })

    test('treats a list as replaced only once a later list has started', async () => {
      const [listIdInForce = 0] = ids
      const tomorrowListId = await createConfirmedList('2026-03-03')
      expect(await removeAndReadRefusal(listIdInForce)).toEqual(inForceRefusal)
      expect(await removeAndReadRefusal(tomorrowListId)).toBeNull()
      const todayListId = await createConfirmedList('2026-03-02')
      expect(await removeAndReadRefusal(todayListId)).toEqual(inForceRefusal)
      expect(await removeAndReadRefusal(listIdInForce)).toBeNull()
    })

    test('deletes an unconfirmed list at any time, and does not treat it as a replacement', async () => {
      const [listIdInForce = 0] = ids
      const { id } = (await post({ ...draft, effective_date: '2026-03-01' })).json()
      expect(await removeAndReadRefusal(listIdInForce)).toEqual(inForceRefusal)
      expect(await removeAndReadRefusal(id)).toBeNull()
    })

    test('withdraws a used list once, and keeps it readable', async () => {
      const [listIdInForce = 0] = ids
      await buyOrder(fixture.server, customer)
      await createConfirmedList('2026-03-01')
      expect(await removeAndReadRefusal(listIdInForce)).toBeNull()
      expect((await customer.send({ url: `/api/prices/${listIdInForce}` })).statusCode).toBe(200)
      expect((await staff.send({ url: `/api/prices/${listIdInForce}` })).json()).toMatchObject({ withdrawn: true })
      expect(await removeAndReadRefusal(listIdInForce)).toEqual([409, 'STATE_CONFLICT', { why: 'withdrawn' }])
    })

    test('decides by the stored list, not by the withdraw parameter', async () => {
      const withdraw = (id: number, withdrawFlag: string) =>
        staff.send({ method: 'DELETE', url: `/api/pricelist/${id}?withdraw=${withdrawFlag}` })
      expect(readStatusAndCode(await withdraw(ids[0] ?? 0, 'true'))).toEqual([409, 'STATE_CONFLICT'])
      expect(readFieldErrors(await withdraw(ids[1] ?? 0, 'perhaps'))).toEqual(['withdraw INVALID_FORMAT'])
      expect((await withdraw(ids[1] ?? 0, 'false')).statusCode).toBe(204)
      expect((await readTrail()).at(-1)).toMatchObject({ operation: 'withdraw', status: 0 })
    })

    test('is limited to the delete level for the other client type (Z-33)', async () => {
      const deleteLevelStaff = await fixture.server.signIn('delete@m18')
      const { id } = (await post({ ...draft, type: 'mma' }, deleteLevelStaff)).json()
      expect(readStatusAndCode(await remove(id))).toEqual([403, 'FORBIDDEN'])
      expect((await deleteLevelStaff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })).statusCode).toBe(204)
    })
  })

  const readTrail = () =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
      const rows = await db.selectFrom('audit_entry').select('leaf').where('code', '=', 'price').orderBy('id').execute()
      return rows.map(({ leaf }) => readLeaf(leaf))
    })

  describe('the audit entries of price lists (D86)', () => {
    test('distinguish create, update, confirm, delete and withdraw', async () => {
      const { id } = (await post({ ...draft, ...usableFields })).json()
      await put({ id, min_fee_hkd: '5.00' })
      await put({ id, confirmed: true })
      await put({ id, desc: 'Summer sale' })
      await remove(id)
      const otherListId = (await post({ ...draft, ...usableFields, confirmed: true })).json().id
      await remove(otherListId)
      await remove((await post(draft)).json().id)
      expect((await readTrail()).map(({ operation }) => operation)).toEqual([
        'create',
        'update',
        'confirm',
        'update',
        'withdraw',
        'create',
        'confirm',
        'withdraw',
        'create',
        'delete',
      ])
    })

    test('name the list and the values before a change', async () => {
      const { id } = (await post({ ...draft, ...usableFields })).json()
      await put({ id, min_fee_hkd: '5.00', effective_date: '2026-07-02', confirmed: true })
      const [, entry] = await readTrail()
      expect(entry?.info).toEqual({ PriceEffDate: '2026-07-02', PriceDesc: 'Summer', ChangeCount: 3 })
      expect(entry?.changes).toEqual([
        { field: 'effective_date', before: '2026-07-01', after: '2026-07-02' },
        { field: 'confirmed', before: 'false', after: 'true' },
        { field: 'min_fee_hkd', before: '0.00', after: '5.00' },
      ])
    })

    test('contain at most twenty changes and 100 characters per value, and the number of all changes', async () => {
      const { id } = (await post(draft)).json()
      const rows = Array.from({ length: 10 }, (_, index) => ({ from: index + 1, to: index + 1, ...charge }))
      await put({ id, desc: `${'x'.repeat(99)}😀${'x'.repeat(300)}`, concurrentUser: rows })
      const entry = (await readTrail())[1]
      expect([entry?.changes.length, entry?.info['ChangeCount']]).toEqual([20, 31])
      expect(entry?.changes[0]?.after).toBe(`${'x'.repeat(99)}😀…`)
      await put({ id })
      expect((await readTrail())[2]).toMatchObject({ changes: [], info: { ChangeCount: 0 } })
    })

    test('record a refused change (S-90), and a later conflict still names the author', async () => {
      await remove(ids[0] ?? 0)
      expect(await readTrail()).toMatchObject([{ operation: 'withdraw', status: -1 }])
      const { id } = (await post({ ...draft, ...usableFields })).json()
      await put({ id, confirmed: true })
      const lateResponse = await put({ id, desc: 'Late' }, { 'if-match': '"1"' })
      expect(lateResponse.json().data.changed_by).toMatchObject({ id: staff.userId })
    })
  })
})
