/** What is published of apps, and which of them a set of modules lacks (contracts 4, 8, D78). */
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { compareVersions } from '#domain/catalogue/apps.ts'
import { insertModule } from '#server/db/catalogue/modules.ts'
import { newestApps, type NewVersion, recordApps } from '#server/db/catalogue/apps.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { addVersionsWith } from '#tests/support/uploads/app-versions.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

describe('apps', () => {
  const the = setUpShop('embedded')
  let staff: SignedIn
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
  })

  const asSystem = <T>(work: (db: Handle) => Promise<T>) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const publish = (code: string, version: string, more: Partial<NewVersion> = {}) =>
    addVersionsWith(the.server, { code, name: `The ${code}`, ...more }, version)
  const needing = (...needs: string[]) => ({
    requires: JSON.stringify(
      needs.map((need) => {
        const [code, version] = need.split(' ')
        return { code, version }
      }),
    ),
  })
  /** A module that brings these apps, also one that is not published, as modules could before apps were checked. */
  const offer = (code: string, apps: string[], type: 'saas' | 'mma' = 'saas') =>
    asSystem((db) =>
      insertModule(db, {
        code,
        name: code,
        type,
        hidden: false,
        dependencies: '[]',
        conditions: '[]',
        any_condition: false,
        apps: JSON.stringify(apps.map((app) => ({ code: app, flag: {} }))),
        version: '',
        create_time: the.server.clock.now,
        update_time: the.server.clock.now,
      }),
    )
  const validate = (codes: string[], query = '', by = staff) =>
    by.send({ method: 'POST', url: `/api/module/validate${query}`, payload: codes })
  const fine = { apps_missing: [], apps_loop: [], apps_incompatible: [] }

  describe('of a set of modules', () => {
    test('that brings all that they need, nothing is missing', async () => {
      const answer = await validate(['core', 'fin', 'scm', 'core'])
      expect([answer.statusCode, answer.json()]).toEqual([200, fine])
      expect((await validate(['doc'])).json()).toEqual(fine)
    })

    test('fault 31h the modules that it requires bring their apps too, and need theirs', async () => {
      expect((await validate(['fin', 'scm'])).json()).toEqual(fine)
      expect((await validate(['fin'])).json()).toEqual(fine)
      expect((await validate(['stocktake'])).json()).toEqual(fine)
      // Each is ordered with the module that it depends on, which lacks an app.
      await offer('ledger', ['unheard'])
      await asSystem((db) =>
        db
          .updateTable('module')
          .set({ dependencies: JSON.stringify(['ledger']) })
          .where('code', '=', 'doc')
          .execute(),
      )
      expect((await validate(['doc'])).json()).toEqual({ ...fine, apps_missing: ['unheard'] })
    })

    test('what is missing, runs in circles or is too old is told, in the order of the codes', async () => {
      await publish('pay', '1.0', needing('tax 1.10', 'framework 2.0', 'barcode 2.1'))
      await publish('tax', '1.9', needing('pay 1.0'))
      await offer('payroll', ['unheard', 'tax', 'pay'])
      const answer = await validate(['payroll', 'core'])
      expect(answer.json()).toEqual({
        apps_missing: ['barcode', 'unheard'],
        apps_loop: [['pay', 'tax']],
        apps_incompatible: [
          {
            app_code: 'pay',
            err_data: [
              { code: 'framework', version: '2.0' },
              { code: 'tax', version: '1.10' },
            ],
          },
        ],
      })
      // The newest version is what counts, of the one that is needed and of the one that needs.
      await publish('tax', '1.10')
      await publish('pay', '1.0.1', needing('tax 1.10'))
      expect((await validate(['payroll', 'core'])).json()).toEqual({ ...fine, apps_missing: ['unheard'] })
    })

    test('with codes that are no modules of the type, nothing is tested', async () => {
      const answer = await validate(['core', 'crm', 'fin', 'pos'])
      expect(wrong(answer)).toEqual(['1 MODULE_UNKNOWN', '3 MODULE_UNKNOWN'])
      expect(answer.json().data[0].message).toContain('crm')
      expect(told(await validate([]))).toEqual([400, 'VALIDATION_ERROR'])
    })

    test('of the type mma is asked about by the delete level alone (Z-30, Z-33)', async () => {
      const top = await the.server.signIn('delete@m18')
      await offer('core', ['unheard'], 'mma')
      expect((await validate(['core'], '?type=mma', top)).json()).toEqual({ ...fine, apps_missing: ['unheard'] })
      expect((await validate(['core'], '?type=saas', top)).json()).toEqual(fine)
      expect(told(await validate(['core'], '?type=mma'))).toEqual([403, 'FORBIDDEN'])
      expect(told(await validate(['core'], '', await the.server.signIn('admin@alpha')))).toEqual([403, 'FORBIDDEN'])
    })
  })

  describe('in lists', () => {
    const ask = async (url: string) => (await staff.send({ url })).json()
    const said = (rows: { code: string; version: string }[]) => rows.map(({ code, version }) => `${code} ${version}`)

    test('each stands once, as its newest version has it', async () => {
      const { count, data } = await ask('/api/app')
      expect([count, said(data)]).toEqual([2, ['barcode 2.1', 'framework 1.10']])
      expect(data[0]).toMatchObject({
        name: 'Barcodes',
        icon: expect.any(String),
        markdown: expect.any(String),
        flag: [{ key: 'digits' }, { key: 'batches', name: 'Batch numbers', type: 'boolean', default: false }],
        create_time: '2025-03-03 10:00:00',
        update_time: '2025-10-13 10:00:00',
        row_version: 2,
      })
      expect(said((await ask('/api/app?searchText=RAME')).data)).toEqual(['framework 1.10'])
      const page = await ask('/api/app?results=1&page=2&sortField=update_time&sortOrder=asc')
      expect([page.count, said(page.data)]).toEqual([2, ['framework 1.10']])
    })

    test('every version stands in the history, the newest first', async () => {
      const { count, data } = await ask('/api/apphistory')
      expect([count, said(data)]).toEqual([4, ['framework 1.10', 'barcode 2.1', 'barcode 2.0', 'framework 1.9']])
      expect(said((await ask('/api/apphistory?searchText=barcodes')).data)).toEqual(['barcode 2.1', 'barcode 2.0'])
      const page = await ask('/api/apphistory?results=3&page=2&sortField=version&sortOrder=asc')
      expect([page.count, said(page.data)]).toEqual([4, ['barcode 2.1']])
    })

    test('a version that comes is a change of its app and one more of the history (protocol 34)', async () => {
      const before = await staff.send({ url: '/api/app' })
      const since = String(before.headers['x-change'])
      const { id } = before.json().data[1]
      await publish('framework', '1.11')
      await publish('pay', '1.0')
      const later = await ask(`/api/app?since=${since}`)
      expect([said(later.changed), later.gone]).toEqual([['framework 1.11', 'pay 1.0'], []])
      expect(later.changed[0]).toMatchObject({ id, row_version: 3, create_time: '2025-03-03 10:00:00' })
      expect(said((await ask(`/api/apphistory?since=${since}`)).changed)).toEqual(['framework 1.11', 'pay 1.0'])
      expect((await ask(`/api/app?since=${later.upto}`)).changed).toEqual([])
      expect(told(await staff.send({ url: '/api/apphistory?since=999999' }))).toEqual([410, 'GONE'])
    })

    test.each([
      ['/api/app', ['framework 1.10', 'barcode 2.1']],
      ['/api/apphistory', ['framework 1.9', 'barcode 2.0', 'barcode 2.1', 'framework 1.10']],
    ])('%s is streamed whole as well', async (url, rows) => {
      const answer = await staff.send({ url, headers: { accept: 'application/x-ndjson' } })
      const lines = answer.body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(said(lines.flatMap(({ row }) => row ?? []))).toEqual(rows)
      expect(lines.at(-1)).toMatchObject({ count: rows.length })
    })
  })

  describe('in the database', () => {
    const number = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 12 }))
    const dotted = fc
      .array(number, { minLength: 1, maxLength: 4 })
      .chain((places) => fc.constantFrom(places.join('.'), places.map((one) => `0${one}`).join('.')))

    test('the newest version is the one that our own comparing finds', async () => {
      const drawn = fc.sample(fc.uniqueArray(dotted, { minLength: 1, maxLength: 12 }), 30)
      for (const [at, all] of drawn.entries()) {
        const versions = all.filter(
          (one, place) => all.findIndex((other) => compareVersions(one, other) === 0) === place,
        )
        for (const version of versions) await publish(`app${at}`, version)
        const [highest] = versions.toSorted((one, other) => compareVersions(other, one))
        const published = await asSystem(newestApps)
        expect([versions, published.find(({ code }) => code === `app${at}`)?.version]).toEqual([versions, highest])
      }
    }, 60_000)

    test('a version is published once, however it is written, and of numbers alone', async () => {
      await publish('pay', '1.0')
      for (const again of ['1.0', '1', '1.0.0', '01'])
        await expect(publish('pay', again)).rejects.toThrow(/app_version/)
      await publish('pay', '1.0.1')
      for (const wrongly of ['', '1.', '.1', '1..2', '1.beta', 'v1', '1.0 ', '1234567890'])
        await expect(publish('pay', wrongly)).rejects.toThrow(/version_check|integer/)
      await expect(publish('pay', '2', { min_version_required: 'any' })).rejects.toThrow(/min_version_required_check/)
      await expect(publish('pay', '2', { provider: '18m' })).rejects.toThrow(/provider_check/)
      await expect(publish('pay-roll', '2')).rejects.toThrow(/code_check/)
    })

    test('what runs in a service is one published version of each app', async () => {
      const companyId = the.server.world.companies.alpha
      const times = { create_time: 1, update_time: 1 }
      const record = (apps: Record<string, string>) =>
        asSystem((db) => recordApps(db, { id, companyId }, new Map(Object.entries(apps))))
      const id = await asSystem((db) =>
        insertService(db, { code: 'runs', name: '', url: null, admin_url: null, company_id: companyId, ...times }),
      )
      await record({ framework: '1.9', barcode: '2.0' })
      await expect(record({ framework: '1.8' })).rejects.toThrow(/service_app_published/)
      await record({ framework: '1.10' })
      const rows = await asSystem((db) => db.selectFrom('service_app').select(['code', 'version']).execute())
      expect(rows).toEqual([{ code: 'framework', version: '1.10' }])
    })
  })
})
