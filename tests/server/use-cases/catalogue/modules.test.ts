import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('the catalogue of modules', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  let customer: SignedIn
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
    customer = await the.server.signIn('order@alpha')
  })

  const post = (payload: object, by = staff, headers: Record<string, string> = {}) =>
    by.send({ method: 'POST', url: '/api/module', payload, headers })
  const put = (id: number, payload: object, by = staff, headers: Record<string, string> = {}) =>
    by.send({ method: 'PUT', url: `/api/module/${id}`, payload, headers })
  const all = async (query = '', by = staff) => (await by.send({ url: `/api/module?results=50${query}` })).json()
  const idOf = async (code: string): Promise<number> =>
    (await all()).data.find((row: { code: string }) => row.code === code).id

  test('is listed by type and hidden flag, sorted and paged (M136)', async () => {
    const { count, data } = await all('&hidden=false&sortField=code')
    expect(count).toBe(5)
    expect(data.map((row: { code: string }) => row.code)).toEqual(['core', 'doc', 'fin', 'hr', 'scm'])
    expect((await all('&hidden=true')).data.map((row: { code: string }) => row.code)).toEqual(['base', 'stocktake'])
    expect((await all('&searchText=FIN')).data.map((row: { code: string }) => row.code)).toEqual(['fin'])
    const page = await staff.send({ url: '/api/module?results=2&page=2&sortField=name&sortOrder=desc' })
    expect(page.json()).toMatchObject({ count: 7, data: [{ name: 'Platform' }, { name: 'Human resources' }] })
  })

  test('tells what has changed and what is gone since a number, to every company (protocol 34)', async () => {
    const since = String((await customer.send({ url: '/api/module' })).headers['x-change'])
    const made = (await post({ code: 'crm', name: 'CRM' })).json()
    const gone = await idOf('doc')
    const lists = (await staff.send({ url: '/api/pricelist' })).json().data
    expect(lists).toHaveLength(2)
    const later = await customer.send({ url: `/api/module?since=${since}` })
    expect(later.json()).toMatchObject({ changed: [{ id: made.id, code: 'crm' }], gone: [] })
    expect((await staff.send({ method: 'DELETE', url: `/api/module/${made.id}` })).statusCode).toBe(204)
    const last = await customer.send({ url: `/api/module?since=${later.json().upto}` })
    expect(last.json()).toMatchObject({ changed: [], gone: [made.id] })
    expect(told(await customer.send({ url: '/api/module?since=999999' }))).toEqual([410, 'GONE'])
    expect(gone).toBeGreaterThan(0)
  })

  test('is what customers choose from, with what each needs', async () => {
    const { body, statusCode } = await customer.send({ url: '/api/module/info?type=saas' })
    expect(statusCode).toBe(200)
    expect(JSON.parse(body)).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'scm', hidden: false, dependencies: ['fin'] })]),
    )
  })

  test('fault 17g if hidden, is listed to customers without what it joins by and holds; what a quote needs stays', async () => {
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
    interface Listed {
      code: string
    }
    const one = async (url: string, by: typeof customer) => {
      const body = (await by.send({ url })).json() as Listed[] | { data: Listed[] }
      return (Array.isArray(body) ? body : body.data).find((row) => row.code === code)
    }
    const bare = { dependencies: [], conditions: [], apps: [] }
    expect(await one('/api/module?type=saas&hidden=true', customer)).toMatchObject(bare)
    expect(await one('/api/module?type=saas&hidden=true', staff)).toMatchObject({ conditions: ['fin'] })
    expect(await one('/api/module/info', customer)).toMatchObject({ dependencies: [], conditions: ['fin'] })
    expect(await one('/api/module/info', staff)).toMatchObject({ dependencies: ['scm'], conditions: ['fin'] })
  })

  test('is written by the provider’s staff alone, and mma by the delete level alone (Z-30, Z-33)', async () => {
    expect(told(await post({ code: 'crm', name: 'CRM' }, customer))).toEqual([403, 'FORBIDDEN'])
    expect(told(await post({ code: 'crm', name: 'CRM', type: 'mma' }))).toEqual([403, 'FORBIDDEN'])
    const top = await the.server.signIn('delete@m18')
    const made = (await post({ code: 'crm', name: 'CRM', type: 'mma' }, top)).json()
    expect(made.type).toBe('mma')
    expect((await all()).data.map((row: { type: string }) => row.type)).not.toContain('mma')
    expect(told(await staff.send({ url: `/api/module/${made.id}` }))).toEqual([404, 'NOT_FOUND'])
    expect(told(await put(made.id, { name: 'X' }))).toEqual([403, 'FORBIDDEN'])
    expect(told(await staff.send({ url: '/api/module?type=mma' }))).toEqual([403, 'FORBIDDEN'])
    expect((await all('', top)).data.map((row: { type: string }) => row.type)).toContain('mma')
  })

  describe('making one', () => {
    test('needs a name, and a code unless it is hidden (M137)', async () => {
      expect(wrong(await post({ name: 'CRM' }))).toEqual(['code REQUIRED'])
      expect(wrong(await post({ code: 'crm', name: '  ' }))).toEqual(['name REQUIRED'])
      expect(wrong(await post({ code: 'c-rm', name: 'CRM' }))).toEqual(['code INVALID_FORMAT'])
      const made = await post({
        name: 'Hidden',
        hidden: true,
        conditions: ['hr'],
        apps: [{ code: 'barcode', flag: {} }],
      })
      expect(made.json().code).toMatch(/^auto_\w+$/)
    })

    test('refuses a reserved code and one that is taken, in the specification’s words', async () => {
      const reserved = await post({ code: 'Select', name: 'X' })
      expect(reserved.json().data[0]).toMatchObject({ code: 'RESERVED', message: '"Select" is reserved by system' })
      const taken = await post({ code: 'CORE', name: 'X' })
      expect(taken.json().data[0]).toMatchObject({ code: 'DUPLICATE', message: '"CORE" is occupied.' })
      const zh = await post({ code: 'core', name: 'X' }, staff, { 'accept-language': 'zh' })
      expect(zh.json().data[0].message).toMatch(/\p{Script=Han}/u)
    })

    test('of the hidden kind needs conditions and at least one app (M138)', async () => {
      const answer = await post({ name: 'Hidden', hidden: true })
      expect(wrong(answer)).toEqual(['conditions REQUIRED', 'apps NO_APP'])
      expect(answer.json().data[1].message).toBe('No app is selected')
    })

    test('takes published apps alone, with settings that they know, of their type (M139)', async () => {
      const withApps = (...apps: object[]) => post({ code: 'crm', name: 'CRM', apps })
      expect(wrong(await withApps({ code: 'barcode', flag: { digits: true } }))).toEqual(['apps FLAG_TYPE'])
      expect(wrong(await withApps({ code: 'barcode', flag: { batches: 1, digits: 12 } }))).toEqual(['apps FLAG_TYPE'])
      expect(wrong(await withApps({ code: 'barcode', flag: { colour: true } }))).toEqual(['apps FLAG_UNKNOWN'])
      const unknown = await withApps({ code: 'nothing', flag: { digits: 3 } })
      expect(wrong(unknown)).toEqual(['apps APP_UNKNOWN'])
      expect(unknown.json().data[0].message).toBe('There is no published app of this code: nothing.')
      const app = { code: 'barcode', flag: {} }
      expect(wrong(await withApps(app, app))).toEqual(['apps APP_TWICE'])
      // Not a setting of anybody, whatever an object has by birth.
      expect(wrong(await withApps({ code: 'barcode', flag: { toString: true } }))).toEqual(['apps FLAG_UNKNOWN'])
      const made = (await withApps({ code: 'barcode', flag: { digits: -1, batches: true } })).json()
      expect(made.apps).toEqual([{ code: 'barcode', flag: { digits: -1, batches: true } }])
      expect(wrong(await put(made.id, { apps: [{ code: 'barcode', flag: { digits: false } }] }))).toEqual([
        'apps FLAG_TYPE',
      ])
    })

    test('names modules that there are, and never in a circle', async () => {
      expect(wrong(await post({ code: 'crm', name: 'X', dependencies: ['nothing'] }))).toEqual([
        'dependencies MODULE_UNKNOWN',
      ])
      expect(wrong(await post({ code: 'crm', name: 'X', dependencies: ['crm'] }))).toEqual(['dependencies MODULE_LOOP'])
      const loop = await put(await idOf('core'), { dependencies: ['scm'] })
      expect(wrong(loop)).toEqual(['dependencies MODULE_LOOP'])
      expect(loop.json().data[0].message).toContain('core')
    })

    test('twenty at once with one code are one module (S-20)', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => post({ code: 'crm', name: 'CRM' })))
      expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
      expect(answers.filter((answer) => answer.statusCode === 400)).toHaveLength(19)
    }, 30_000)
  })

  test('a change counts the version up, keeps code and type, and is refused on an older version', async () => {
    const id = await idOf('fin')
    expect((await put(id, { name: 'Finances', dependencies: ['core', 'core'] })).json()).toMatchObject({
      name: 'Finances',
      dependencies: ['core'],
      row_version: 2,
    })
    expect(wrong(await put(id, { code: 'finance', hidden: true }))).toEqual(['code LOCKED', 'hidden LOCKED'])
    const old = await put(id, { name: 'Late' }, staff, { 'if-match': '"1"' })
    expect(told(old)).toEqual([412, 'VERSION_CONFLICT'])
    expect(old.json().data).toMatchObject({ current: { name: 'Finances' }, changed_by: { id: staff.userId } })
  })

  test('one that others depend on, or that is priced, is not deleted; the relation is told (M149)', async () => {
    const relation = (await staff.send({ url: '/api/module/relation?code=core&type=saas' })).json()
    expect(relation).toMatchObject({ hidden: [{ code: 'base' }], visible: [{ code: 'fin' }, { code: 'hr' }] })
    const needed = await staff.send({ method: 'DELETE', url: `/api/module/${await idOf('core')}` })
    expect(told(needed)).toEqual([409, 'STATE_CONFLICT'])
    expect(needed.json().data).toMatchObject({ why: 'dependents', hidden: [{ code: 'base' }] })
    const priced = await staff.send({ method: 'DELETE', url: `/api/module/${await idOf('doc')}` })
    expect(priced.json().data).toEqual({ why: 'priced', effective_dates: ['2026-01-01', '2027-01-01'] })
  })

  describe('the contracts that an automodule joins', () => {
    const joined = async (query: string, by = staff) => await by.send({ url: `/api/module/contracts?${query}` })

    test('are those in effect that hold all of its conditions, or any, of every company', async () => {
      await bought(the.server, customer)
      await bought(the.server, await the.server.signIn('order@beta'), { code: 'desk', modules: ['core'] })
      const both = (await joined('conditions=core,fin')).json()
      expect(both).toMatchObject({ count: 1, data: [{ service_code: 'shop' }] })
      expect(both.data[0].code).toMatch(/^C\d{12}$/)
      expect((await joined('conditions=fin,core&any=true')).json().data).toMatchObject([
        { service_code: 'shop' },
        { service_code: 'desk' },
      ])
      expect((await joined('conditions=hr')).json()).toEqual({ count: 0, data: [] })
    })

    test('are not those that are over, and their list is nobody’s but the staff’s', async () => {
      await bought(the.server, customer)
      the.server.clock.now += 366 * 24 * 3_600_000
      const late = await the.server.signIn('admin@m18')
      expect((await joined('conditions=core', late)).json()).toEqual({ count: 0, data: [] })
      const buyer = await the.server.signIn('order@alpha')
      expect(told(await joined('conditions=core', buyer))).toEqual([403, 'FORBIDDEN'])
      expect(told(await joined('conditions=core&type=mma', late))).toEqual([403, 'FORBIDDEN'])
      expect(told(await joined(`conditions=${encodeURIComponent("core');--")}`, late))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
    })
  })

  test('each change stands in the trail under its menu (D86)', async () => {
    await post({ code: 'crm', name: 'CRM' })
    await post({
      name: 'Hidden',
      hidden: true,
      conditions: ['crm'],
      apps: [{ code: 'barcode', flag: { batches: true } }],
    })
    const rows = await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
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
