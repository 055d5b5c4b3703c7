import { beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('the catalogue of modules', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let customer: SignedIn
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
    customer = await fixture.server.signIn('order@alpha')
  })

  const post = (payload: object, caller = staff, headers: Record<string, string> = {}) =>
    caller.send({ method: 'POST', url: '/api/module', payload, headers })
  const put = (id: number, payload: object, caller = staff, headers: Record<string, string> = {}) =>
    caller.send({ method: 'PUT', url: `/api/module/${id}`, payload, headers })
  const listModules = async (query = '', caller = staff) =>
    (await caller.send({ url: `/api/module?results=50${query}` })).json()
  const findModuleId = async (code: string): Promise<number> =>
    (await listModules()).data.find((row: { code: string }) => row.code === code).id

  test('The list is filtered by type and hidden flag, sorted and paged (M136)', async () => {
    const { count, data } = await listModules('&hidden=false&sortField=code')
    expect(count).toBe(5)
    expect(data.map((row: { code: string }) => row.code)).toEqual(['core', 'doc', 'fin', 'hr', 'scm'])
    expect((await listModules('&hidden=true')).data.map((row: { code: string }) => row.code)).toEqual([
      'base',
      'stocktake',
    ])
    expect((await listModules('&searchText=FIN')).data.map((row: { code: string }) => row.code)).toEqual(['fin'])
    const page = await staff.send({ url: '/api/module?results=2&page=2&sortField=name&sortOrder=desc' })
    expect(page.json()).toMatchObject({ count: 7, data: [{ name: 'Platform' }, { name: 'Human resources' }] })
  })

  test('The list reports changed and deleted modules since a number, to every company (protocol 34)', async () => {
    const since = String((await customer.send({ url: '/api/module' })).headers['x-change'])
    const createdModule = (await post({ code: 'crm', name: 'CRM' })).json()
    const docModuleId = await findModuleId('doc')
    const lists = (await staff.send({ url: '/api/pricelist' })).json().data
    expect(lists).toHaveLength(2)
    const changesResponse = await customer.send({ url: `/api/module?since=${since}` })
    expect(changesResponse.json()).toMatchObject({ changed: [{ id: createdModule.id, code: 'crm' }], gone: [] })
    expect((await staff.send({ method: 'DELETE', url: `/api/module/${createdModule.id}` })).statusCode).toBe(204)
    const lastChanges = await customer.send({ url: `/api/module?since=${changesResponse.json().upto}` })
    expect(lastChanges.json()).toMatchObject({ changed: [], gone: [createdModule.id] })
    expect(readStatusAndCode(await customer.send({ url: '/api/module?since=999999' }))).toEqual([410, 'GONE'])
    expect(docModuleId).toBeGreaterThan(0)
  })

  test('Customers see the modules they can choose, with their dependencies', async () => {
    const { body, statusCode } = await customer.send({ url: '/api/module/info?type=saas' })
    expect(statusCode).toBe(200)
    expect(JSON.parse(body)).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'scm', hidden: false, dependencies: ['fin'] })]),
    )
  })

  test('Customers see hidden modules without conditions and apps, but with the fields of a quote (fault 17g)', async () => {
    const { code } = (
      await post({
        name: 'Join',
        hidden: true,
        conditions: ['fin'],
        dependencies: ['scm'],
        apps: [{ code: 'barcode', flag: {} }],
      })
    ).json()
    expect(code).toMatch(/^auto_/)
    interface ListedModule {
      code: string
    }
    const findModule = async (url: string, caller: typeof customer) => {
      const body = (await caller.send({ url })).json() as ListedModule[] | { data: ListedModule[] }
      return (Array.isArray(body) ? body : body.data).find((row) => row.code === code)
    }
    const hiddenFields = { dependencies: [], conditions: [], apps: [] }
    expect(await findModule('/api/module?type=saas&hidden=true', customer)).toMatchObject(hiddenFields)
    expect(await findModule('/api/module?type=saas&hidden=true', staff)).toMatchObject({ conditions: ['fin'] })
    expect(await findModule('/api/module/info', customer)).toMatchObject({ dependencies: [], conditions: ['fin'] })
    expect(await findModule('/api/module/info', staff)).toMatchObject({ dependencies: ['scm'], conditions: ['fin'] })
  })

  test('Modules are written by provider staff only, and mma by the delete level only (Z-30, Z-33)', async () => {
    expect(readStatusAndCode(await post({ code: 'crm', name: 'CRM' }, customer))).toEqual([403, 'FORBIDDEN'])
    expect(readStatusAndCode(await post({ code: 'crm', name: 'CRM', type: 'mma' }))).toEqual([403, 'FORBIDDEN'])
    const deleteLevelStaff = await fixture.server.signIn('delete@m18')
    const createdModule = (await post({ code: 'crm', name: 'CRM', type: 'mma' }, deleteLevelStaff)).json()
    expect(createdModule.type).toBe('mma')
    expect((await listModules()).data.map((row: { type: string }) => row.type)).not.toContain('mma')
    expect(readStatusAndCode(await staff.send({ url: `/api/module/${createdModule.id}` }))).toEqual([404, 'NOT_FOUND'])
    expect(readStatusAndCode(await put(createdModule.id, { name: 'X' }))).toEqual([403, 'FORBIDDEN'])
    expect(readStatusAndCode(await staff.send({ url: '/api/module?type=mma' }))).toEqual([403, 'FORBIDDEN'])
    expect((await listModules('', deleteLevelStaff)).data.map((row: { type: string }) => row.type)).toContain('mma')
  })

  describe('creating a module', () => {
    test('requires a name, and a code unless it is hidden (M137)', async () => {
      expect(readFieldErrors(await post({ name: 'CRM' }))).toEqual(['code REQUIRED'])
      expect(readFieldErrors(await post({ code: 'crm', name: '  ' }))).toEqual(['name REQUIRED'])
      expect(readFieldErrors(await post({ code: 'c-rm', name: 'CRM' }))).toEqual(['code INVALID_FORMAT'])
      const createResponse = await post({
        name: 'Hidden',
        hidden: true,
        conditions: ['hr'],
        apps: [{ code: 'barcode', flag: {} }],
      })
      expect(createResponse.json().code).toMatch(/^auto_\w+$/)
    })

    test('rejects a reserved or used code with the specified message', async () => {
      const reservedResponse = await post({ code: 'Select', name: 'X' })
      expect(reservedResponse.json().data[0]).toMatchObject({
        code: 'RESERVED',
        message: '"Select" is reserved by system',
      })
      const duplicateResponse = await post({ code: 'CORE', name: 'X' })
      expect(duplicateResponse.json().data[0]).toMatchObject({ code: 'DUPLICATE', message: '"CORE" is occupied.' })
      const chineseResponse = await post({ code: 'core', name: 'X' }, staff, { 'accept-language': 'zh' })
      expect(chineseResponse.json().data[0].message).toMatch(/\p{Script=Han}/u)
    })

    test('requires conditions and at least one app for a hidden module (M138)', async () => {
      const response = await post({ name: 'Hidden', hidden: true })
      expect(readFieldErrors(response)).toEqual(['conditions REQUIRED', 'apps NO_APP'])
      expect(response.json().data[1].message).toBe('No app is selected')
    })

    test('accepts only published apps of its type, with settings that the app declares (M139)', async () => {
      const withApps = (...apps: object[]) => post({ code: 'crm', name: 'CRM', apps })
      expect(readFieldErrors(await withApps({ code: 'barcode', flag: { digits: true } }))).toEqual(['apps FLAG_TYPE'])
      expect(readFieldErrors(await withApps({ code: 'barcode', flag: { batches: 1, digits: 12 } }))).toEqual([
        'apps FLAG_TYPE',
      ])
      expect(readFieldErrors(await withApps({ code: 'barcode', flag: { colour: true } }))).toEqual([
        'apps FLAG_UNKNOWN',
      ])
      const unknownResponse = await withApps({ code: 'nothing', flag: { digits: 3 } })
      expect(readFieldErrors(unknownResponse)).toEqual(['apps APP_UNKNOWN'])
      expect(unknownResponse.json().data[0].message).toBe('There is no published app with this code: nothing.')
      const app = { code: 'barcode', flag: {} }
      expect(readFieldErrors(await withApps(app, app))).toEqual(['apps APP_TWICE'])
      // `toString` is inherited by every object, but it is not a setting of the app.
      expect(readFieldErrors(await withApps({ code: 'barcode', flag: { toString: true } }))).toEqual([
        'apps FLAG_UNKNOWN',
      ])
      const createdModule = (await withApps({ code: 'barcode', flag: { digits: -1, batches: true } })).json()
      expect(createdModule.apps).toEqual([{ code: 'barcode', flag: { digits: -1, batches: true } }])
      expect(
        readFieldErrors(await put(createdModule.id, { apps: [{ code: 'barcode', flag: { digits: false } }] })),
      ).toEqual(['apps FLAG_TYPE'])
    })

    test('rejects unknown and circular dependencies', async () => {
      expect(readFieldErrors(await post({ code: 'crm', name: 'X', dependencies: ['nothing'] }))).toEqual([
        'dependencies MODULE_UNKNOWN',
      ])
      expect(readFieldErrors(await post({ code: 'crm', name: 'X', dependencies: ['crm'] }))).toEqual([
        'dependencies MODULE_LOOP',
      ])
      const loopResponse = await put(await findModuleId('core'), { dependencies: ['scm'] })
      expect(readFieldErrors(loopResponse)).toEqual(['dependencies MODULE_LOOP'])
      expect(loopResponse.json().data[0].message).toContain('core')
    })

    test('creates one module from twenty concurrent requests with one code (S-20)', async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => post({ code: 'crm', name: 'CRM' })))
      expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
      expect(responses.filter((response) => response.statusCode === 400)).toHaveLength(19)
    }, 30_000)
  })

  test('A change raises the version, keeps code and type, and is refused for an older version', async () => {
    const id = await findModuleId('fin')
    expect((await put(id, { name: 'Finances', dependencies: ['core', 'core'] })).json()).toMatchObject({
      name: 'Finances',
      dependencies: ['core'],
      row_version: 2,
    })
    expect(readFieldErrors(await put(id, { code: 'finance', hidden: true }))).toEqual(['code LOCKED', 'hidden LOCKED'])
    const outdatedResponse = await put(id, { name: 'Late' }, staff, { 'if-match': '"1"' })
    expect(readStatusAndCode(outdatedResponse)).toEqual([412, 'VERSION_CONFLICT'])
    expect(outdatedResponse.json().data).toMatchObject({
      current: { name: 'Finances' },
      changed_by: { id: staff.userId },
    })
  })

  test('A module that is required or priced cannot be deleted, and the reason is returned (M149)', async () => {
    const relation = (await staff.send({ url: '/api/module/relation?code=core&type=saas' })).json()
    expect(relation).toMatchObject({ hidden: [{ code: 'base' }], visible: [{ code: 'fin' }, { code: 'hr' }] })
    const neededResponse = await staff.send({ method: 'DELETE', url: `/api/module/${await findModuleId('core')}` })
    expect(readStatusAndCode(neededResponse)).toEqual([409, 'STATE_CONFLICT'])
    expect(neededResponse.json().data).toMatchObject({ why: 'dependents', hidden: [{ code: 'base' }] })
    const pricedResponse = await staff.send({ method: 'DELETE', url: `/api/module/${await findModuleId('doc')}` })
    expect(pricedResponse.json().data).toEqual({ why: 'priced', effective_dates: ['2026-01-01', '2027-01-01'] })
  })

  describe('the contracts that an automodule joins', () => {
    const readJoinedContracts = async (query: string, caller = staff) =>
      await caller.send({ url: `/api/module/contracts?${query}` })

    test('are the active contracts of all companies with all or any of its conditions', async () => {
      await buyOrder(fixture.server, customer)
      await buyOrder(fixture.server, await fixture.server.signIn('order@beta'), { code: 'desk', modules: ['core'] })
      const matchingAll = (await readJoinedContracts('conditions=core,fin')).json()
      expect(matchingAll).toMatchObject({ count: 1, data: [{ service_code: 'shop' }] })
      expect(matchingAll.data[0].code).toMatch(/^C\d{12}$/)
      expect((await readJoinedContracts('conditions=fin,core&any=true')).json().data).toMatchObject([
        { service_code: 'shop' },
        { service_code: 'desk' },
      ])
      expect((await readJoinedContracts('conditions=hr')).json()).toEqual({ count: 0, data: [] })
    })

    test('exclude ended contracts, and are visible to staff only', async () => {
      await buyOrder(fixture.server, customer)
      fixture.server.clock.now += 366 * 24 * 3_600_000
      const lateStaff = await fixture.server.signIn('admin@m18')
      expect((await readJoinedContracts('conditions=core', lateStaff)).json()).toEqual({ count: 0, data: [] })
      const buyer = await fixture.server.signIn('order@alpha')
      expect(readStatusAndCode(await readJoinedContracts('conditions=core', buyer))).toEqual([403, 'FORBIDDEN'])
      expect(readStatusAndCode(await readJoinedContracts('conditions=core&type=mma', lateStaff))).toEqual([
        403,
        'FORBIDDEN',
      ])
      expect(
        readStatusAndCode(await readJoinedContracts(`conditions=${encodeURIComponent("core');--")}`, lateStaff)),
      ).toEqual([400, 'VALIDATION_ERROR'])
    })
  })

  test('Each change of a module is recorded under its menu (D86)', async () => {
    await post({ code: 'crm', name: 'CRM' })
    await post({
      name: 'Hidden',
      hidden: true,
      conditions: ['crm'],
      apps: [{ code: 'barcode', flag: { batches: true } }],
    })
    const rows = await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db
        .selectFrom('audit_entry')
        .select(['code', 'operation', 'info'])
        .where('code', '!=', 'user')
        .orderBy('id')
        .execute(),
    )
    expect(rows).toMatchObject([
      { code: 'module', operation: 'create', info: { ModuleCode: 'crm' } },
      { code: 'automodule', operation: 'create' },
    ])
  })
})
