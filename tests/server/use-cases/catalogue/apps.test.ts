/** Tests published apps and their versions, and the apps that a set of modules lacks (contracts 4, 8, D78). */
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { compareVersions } from '#domain/catalogue/apps.ts'
import { insertModule } from '#server/db/catalogue/modules.ts'
import { listLatestApps, type NewAppVersion, replaceServiceApps } from '#server/db/catalogue/apps.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { addVersionsWith } from '#tests/support/uploads/app-versions.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

describe('apps', () => {
  const fixture = setUpShop('embedded')
  let staff: SignedIn
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
  })

  const runAsSystem = <T>(work: (db: DatabaseHandle) => Promise<T>) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const publish = (code: string, version: string, overrides: Partial<NewAppVersion> = {}) =>
    addVersionsWith(fixture.server, { code, name: `The ${code}`, ...overrides }, version)
  const buildRequirements = (...requirements: string[]) => ({
    requires: JSON.stringify(
      requirements.map((requirement) => {
        const [code, version] = requirement.split(' ')
        return { code, version }
      }),
    ),
  })
  /** Inserts a module with these apps, published or not. Earlier versions accepted modules with unpublished apps. */
  const insertModuleWithApps = (code: string, apps: string[], type: 'saas' | 'mma' = 'saas') =>
    runAsSystem((db) =>
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
        create_time: fixture.server.clock.now,
        update_time: fixture.server.clock.now,
      }),
    )
  const validate = (codes: string[], query = '', caller = staff) =>
    caller.send({ method: 'POST', url: `/api/module/validate${query}`, payload: codes })
  const emptyResult = { apps_missing: [], apps_loop: [], apps_incompatible: [] }

  describe('the check of a set of modules', () => {
    test('finds nothing missing if the modules bring all required apps', async () => {
      const response = await validate(['core', 'fin', 'scm', 'core'])
      expect([response.statusCode, response.json()]).toEqual([200, emptyResult])
      expect((await validate(['doc'])).json()).toEqual(emptyResult)
    })

    test('includes the apps of required modules and the requirements of these apps (fault 31h)', async () => {
      expect((await validate(['fin', 'scm'])).json()).toEqual(emptyResult)
      expect((await validate(['fin'])).json()).toEqual(emptyResult)
      expect((await validate(['stocktake'])).json()).toEqual(emptyResult)
      // The ordered module depends on `ledger`, which lacks an app.
      await insertModuleWithApps('ledger', ['unheard'])
      await runAsSystem((db) =>
        db
          .updateTable('module')
          .set({ dependencies: JSON.stringify(['ledger']) })
          .where('code', '=', 'doc')
          .execute(),
      )
      expect((await validate(['doc'])).json()).toEqual({ ...emptyResult, apps_missing: ['unheard'] })
    })

    test('returns missing, circular and outdated apps, sorted by code', async () => {
      await publish('pay', '1.0', buildRequirements('tax 1.10', 'framework 2.0', 'barcode 2.1'))
      await publish('tax', '1.9', buildRequirements('pay 1.0'))
      await insertModuleWithApps('payroll', ['unheard', 'tax', 'pay'])
      const response = await validate(['payroll', 'core'])
      expect(response.json()).toEqual({
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
      // The check uses the latest version of both apps: the required app and the app that requires it.
      await publish('tax', '1.10')
      await publish('pay', '1.0.1', buildRequirements('tax 1.10'))
      expect((await validate(['payroll', 'core'])).json()).toEqual({ ...emptyResult, apps_missing: ['unheard'] })
    })

    test('rejects the request if a code is not a module of the type', async () => {
      const response = await validate(['core', 'crm', 'fin', 'pos'])
      expect(readFieldErrors(response)).toEqual(['1 MODULE_UNKNOWN', '3 MODULE_UNKNOWN'])
      expect(response.json().data[0].message).toContain('crm')
      expect(readStatusAndCode(await validate([]))).toEqual([400, 'VALIDATION_ERROR'])
    })

    test('is limited to the delete level for the type mma (Z-30, Z-33)', async () => {
      const deleteLevelStaff = await fixture.server.signIn('delete@m18')
      await insertModuleWithApps('core', ['unheard'], 'mma')
      expect((await validate(['core'], '?type=mma', deleteLevelStaff)).json()).toEqual({
        ...emptyResult,
        apps_missing: ['unheard'],
      })
      expect((await validate(['core'], '?type=saas', deleteLevelStaff)).json()).toEqual(emptyResult)
      expect(readStatusAndCode(await validate(['core'], '?type=mma'))).toEqual([403, 'FORBIDDEN'])
      expect(readStatusAndCode(await validate(['core'], '', await fixture.server.signIn('admin@alpha')))).toEqual([
        403,
        'FORBIDDEN',
      ])
    })
  })

  describe('lists of apps', () => {
    const read = async (url: string) => (await staff.send({ url })).json()
    const formatVersions = (rows: { code: string; version: string }[]) =>
      rows.map(({ code, version }) => `${code} ${version}`)

    test('return each app once, with its latest version', async () => {
      const { count, data } = await read('/api/app')
      expect([count, formatVersions(data)]).toEqual([2, ['barcode 2.1', 'framework 1.10']])
      expect(data[0]).toMatchObject({
        name: 'Barcodes',
        icon: expect.any(String),
        markdown: expect.any(String),
        flag: [{ key: 'digits' }, { key: 'batches', name: 'Batch numbers', type: 'boolean', default: false }],
        create_time: '2025-03-03 10:00:00',
        update_time: '2025-10-13 10:00:00',
        row_version: 2,
      })
      expect(formatVersions((await read('/api/app?searchText=RAME')).data)).toEqual(['framework 1.10'])
      const page = await read('/api/app?results=1&page=2&sortField=update_time&sortOrder=asc')
      expect([page.count, formatVersions(page.data)]).toEqual([2, ['framework 1.10']])
    })

    test('return every version in the history, latest first', async () => {
      const { count, data } = await read('/api/apphistory')
      expect([count, formatVersions(data)]).toEqual([
        4,
        ['framework 1.10', 'barcode 2.1', 'barcode 2.0', 'framework 1.9'],
      ])
      expect(formatVersions((await read('/api/apphistory?searchText=barcodes')).data)).toEqual([
        'barcode 2.1',
        'barcode 2.0',
      ])
      const page = await read('/api/apphistory?results=3&page=2&sortField=version&sortOrder=asc')
      expect([page.count, formatVersions(page.data)]).toEqual([4, ['barcode 2.1']])
    })

    test('report a new version as a change of its app and a new row of the history (protocol 34)', async () => {
      const firstResponse = await staff.send({ url: '/api/app' })
      const since = String(firstResponse.headers['x-change'])
      const { id } = firstResponse.json().data[1]
      await publish('framework', '1.11')
      await publish('pay', '1.0')
      const changesResponse = await read(`/api/app?since=${since}`)
      expect([formatVersions(changesResponse.changed), changesResponse.gone]).toEqual([
        ['framework 1.11', 'pay 1.0'],
        [],
      ])
      expect(changesResponse.changed[0]).toMatchObject({ id, row_version: 3, create_time: '2025-03-03 10:00:00' })
      expect(formatVersions((await read(`/api/apphistory?since=${since}`)).changed)).toEqual([
        'framework 1.11',
        'pay 1.0',
      ])
      expect((await read(`/api/app?since=${changesResponse.upto}`)).changed).toEqual([])
      expect(readStatusAndCode(await staff.send({ url: '/api/apphistory?since=999999' }))).toEqual([410, 'GONE'])
    })

    test.each([
      ['/api/app', ['framework 1.10', 'barcode 2.1']],
      ['/api/apphistory', ['framework 1.9', 'barcode 2.0', 'barcode 2.1', 'framework 1.10']],
    ])('stream %s completely', async (url, rows) => {
      const response = await staff.send({ url, headers: { accept: 'application/x-ndjson' } })
      const lines = response.body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(formatVersions(lines.flatMap(({ row }) => row ?? []))).toEqual(rows)
      expect(lines.at(-1)).toMatchObject({ count: rows.length })
    })
  })

  describe('the database', () => {
    const versionNumber = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 12 }))
    const dottedVersion = fc
      .array(versionNumber, { minLength: 1, maxLength: 4 })
      .chain((versionParts) =>
        fc.constantFrom(versionParts.join('.'), versionParts.map((part) => `0${part}`).join('.')),
      )

    test('finds the same latest version as compareVersions', async () => {
      const versionSamples = fc.sample(fc.uniqueArray(dottedVersion, { minLength: 1, maxLength: 12 }), 30)
      for (const [index, sample] of versionSamples.entries()) {
        const versions = sample.filter(
          (version, position) =>
            sample.findIndex((candidate) => compareVersions(version, candidate) === 0) === position,
        )
        for (const version of versions) await publish(`app${index}`, version)
        const [highest] = versions.toSorted((first, second) => compareVersions(second, first))
        const latestApps = await runAsSystem(listLatestApps)
        expect([versions, latestApps.find(({ code }) => code === `app${index}`)?.version]).toEqual([versions, highest])
      }
    }, 60_000)

    test('accepts a version once in any spelling, and only numbers', async () => {
      await publish('pay', '1.0')
      for (const repeatedVersion of ['1.0', '1', '1.0.0', '01'])
        await expect(publish('pay', repeatedVersion)).rejects.toThrow(/app_version/)
      await publish('pay', '1.0.1')
      for (const malformedVersion of ['', '1.', '.1', '1..2', '1.beta', 'v1', '1.0 ', '1234567890'])
        await expect(publish('pay', malformedVersion)).rejects.toThrow(/version_check|integer/)
      await expect(publish('pay', '2', { min_version_required: 'any' })).rejects.toThrow(/min_version_required_check/)
      await expect(publish('pay', '2', { provider: '18m' })).rejects.toThrow(/provider_check/)
      await expect(publish('pay-roll', '2')).rejects.toThrow(/code_check/)
    })

    test('stores one published version per app of a service', async () => {
      const companyId = fixture.server.world.companies.alpha
      const times = { create_time: 1, update_time: 1 }
      const recordServiceApps = (apps: Record<string, string>) =>
        runAsSystem((db) => replaceServiceApps(db, { id, companyId }, new Map(Object.entries(apps))))
      const id = await runAsSystem((db) =>
        insertService(db, { code: 'runs', name: '', url: null, admin_url: null, company_id: companyId, ...times }),
      )
      await recordServiceApps({ framework: '1.9', barcode: '2.0' })
      await expect(recordServiceApps({ framework: '1.8' })).rejects.toThrow(/service_app_published/)
      await recordServiceApps({ framework: '1.10' })
      const rows = await runAsSystem((db) => db.selectFrom('service_app').select(['code', 'version']).execute())
      expect(rows).toEqual([{ code: 'framework', version: '1.10' }])
    })
  })
})
