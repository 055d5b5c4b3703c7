/**
 * Tests the export of a price list from one portal and its import into another: complete, once, and by provider staff only (Z-32, D64,
 * D78).
 */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { findPriceDifferences } from '#domain/catalogue/price-differences.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { packPriceList, unpackPriceList } from '#server/use-cases/catalogue/price-archive.ts'
import { buildNewContent } from '#server/use-cases/catalogue/price-content.ts'
import { suiteSeed } from '#tests/support/runner/random.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode, readFieldErrors } from '#tests/support/server/forms.ts'
import { createFileCalls, packChangedList, toComparedPrices } from '#tests/support/orders/price-files.ts'
import { buildFileForm } from '#tests/support/uploads/pictures.ts'
import { randomContent, randomHeader } from '#tests/support/orders/random-prices.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }

onConnections('price lists as files', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
  })
  const { requestExportKey, open, exportFile, upload, importFile } = createFileCalls(
    () => fixture.server,
    () => staff,
  )
  const readList = async (id: number | undefined) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const remove = (id: number | undefined) => staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })

  test('A list is the same after export and import, but unconfirmed and with ids of this portal', async () => {
    const listBefore = await readList(fixture.priceListIds[1])
    const bytes = (await open((await requestExportKey(listBefore.id)).json())).rawPayload
    expect((await remove(listBefore.id)).statusCode).toBe(204)
    const preview = (await upload(bytes)).json()
    expect(preview).toEqual({
      md5: createHash('md5').update(bytes).digest('hex'),
      type: 'saas',
      effective_date: listBefore.effective_date,
      desc: listBefore.desc,
      module: listBefore.module.map(({ code }: { code: string }) => code),
      unknown: [],
      list: toComparedPrices(listBefore),
    })
    expect(findPriceDifferences(toComparedPrices(listBefore), preview.list)).toEqual([])
    const response = await importFile(preview.md5)
    expect(response.statusCode).toBe(200)
    const { id: _i, confirmed: _c, row_version: _r, update_time: _t, update_user_name: _u, ...sameFields } = listBefore
    const importedList = response.json()
    expect(importedList).toMatchObject({ ...sameFields, confirmed: false })
    expect(importedList.id).not.toBe(listBefore.id)
    const trail = await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select('operation').where('code', '=', 'price').orderBy('id').execute(),
    )
    expect(trail.at(-1)).toEqual({ operation: 'import' })
  })

  describe('the address of an export', () => {
    test('can be opened once, and returns a file named after the list (H-09, M55)', async () => {
      const exportKey = (await requestExportKey(fixture.priceListIds[0])).json()
      expect(exportKey).toMatch(/^[\w-]{43}$/)
      const response = await open(exportKey)
      expect(response.statusCode).toBe(200)
      expect(response.headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="price-saas-2026-01-01.zip"',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      expect((await open(exportKey)).statusCode).toBe(404)
    })

    test('can be opened by only one of many concurrent requests', async () => {
      const key = (await requestExportKey(fixture.priceListIds[0])).json()
      const responses = await Promise.all(Array.from({ length: 10 }, () => open(key)))
      expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(9).fill(404)])
    })

    test('is valid for five minutes and is deleted later', async () => {
      const key = (await requestExportKey(fixture.priceListIds[0])).json()
      fixture.server.clock.now += 5 * 60_000
      expect((await open(key)).statusCode).toBe(404)
      fixture.server.clock.now += 2 * 86_400_000
      expect((await deleteExpiredData(fixture.server.app))['tickets']).toBeGreaterThan(0)
    })

    test('is empty if the list does not exist (D64)', async () => {
      expect((await requestExportKey(987_654)).json()).toBe('')
    })

    test('is given to the provider only and recorded in the trail', async () => {
      const customer = await fixture.server.signIn('order@alpha')
      expect((await requestExportKey(fixture.priceListIds[0], customer)).statusCode).toBe(403)
      await requestExportKey(fixture.priceListIds[0])
      const trail = await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
        db.selectFrom('audit_entry').select('info').where('operation', '=', 'export').execute(),
      )
      expect(trail).toEqual([{ info: expect.objectContaining({ PriceEffDate: '2026-01-01' }) }])
    })
  })

  describe('the validation of an import', () => {
    test('rejects a date that already has a list and names the field (U-12)', async () => {
      const { md5 } = (await upload(await exportFile(fixture.priceListIds[0]))).json()
      expect(readFieldErrors(await importFile(md5))).toEqual(['effective_date DUPLICATE'])
    })

    test('names an unknown or hidden module in the preview, and rejects the import', async () => {
      const bytes = await exportFile(fixture.priceListIds[0])
      await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('module').set({ deleted: true }).where('code', '=', 'fin').execute(),
      )
      const preview = (await upload(bytes)).json()
      expect([preview.unknown, preview.module]).toEqual([['fin'], ['core', 'fin', 'scm', 'hr', 'doc']])
      expect(preview.list.module.map(({ code }: { code: string }) => code)).toEqual(preview.module)
      const packListWithModules = (codes: string[]) =>
        packChangedList((content) => (content['module'] = codes.map((code) => ({ code, ...charge }))))
      expect((await upload(await packListWithModules(['core', 'base', 'zzz']))).json().unknown).toEqual(['base', 'zzz'])
      const { md5 } = (await upload(await packListWithModules(['core', 'fin', 'base']))).json()
      expect(readFieldErrors(await importFile(md5))).toEqual([
        'module.1.code MODULE_UNKNOWN',
        'module.2.code MODULE_UNKNOWN',
      ])
    })

    test('rejects a file that the same user has not previewed, or whose preview was deleted (N-05, U-13)', async () => {
      expect(readStatusAndCode(await importFile('0'.repeat(32)))).toEqual([404, 'NOT_FOUND'])
      const { md5 } = (await upload(await exportFile(fixture.priceListIds[0]))).json()
      const otherStaff = await fixture.server.signIn('delete@m18')
      expect(readStatusAndCode(await importFile(md5, otherStaff))).toEqual([404, 'NOT_FOUND'])
      fixture.server.clock.now += 2 * 86_400_000
      await deleteExpiredData(fixture.server.app)
      staff = await fixture.server.signIn('admin@m18')
      expect(readStatusAndCode(await importFile(md5))).toEqual([404, 'NOT_FOUND'])
    })

    test('rejects the other client type without the delete level (U-12)', async () => {
      expect(readStatusAndCode(await upload(await packChangedList((list) => (list['type'] = 'mma'))))).toEqual([
        403,
        'FORBIDDEN',
      ])
      const deleteLevelStaff = await fixture.server.signIn('delete@m18')
      expect((await upload(await packChangedList((list) => (list['type'] = 'mma')), deleteLevelStaff)).statusCode).toBe(
        200,
      )
    })

    test('rejects a missing file, and customers', async () => {
      const emptyFileResponse = staff.send({
        method: 'POST',
        url: '/api/template/price/upload',
        ...buildFileForm('file', { bytes: Buffer.alloc(0) }),
      })
      expect(readFieldErrors(await emptyFileResponse)).toEqual(['file REQUIRED'])
      const customer = await fixture.server.signIn('order@alpha')
      expect(readStatusAndCode(await upload(await exportFile(fixture.priceListIds[0]), customer))).toEqual([
        403,
        'FORBIDDEN',
      ])
    })
  })

  describe('with generated lists', () => {
    const codes = ['core', 'fin', 'scm', 'hr', 'doc']

    test('unpacks the same fields that were packed', async () => {
      await fc.assert(
        fc.asyncProperty(randomContent(codes), randomHeader, async (content, { effective_date, desc }) => {
          const record = { type: 'saas' as const, effective_date, description: desc, content }
          const { list } = await unpackPriceList(await packPriceList(record))
          expect(list).toEqual(toComparedPrices({ type: 'saas', effective_date, desc, ...content }))
        }),
        { numRuns: 200, seed: suiteSeed },
      )
    })

    test('stores the same list after export, preview and import', async () => {
      const modules = (await staff.send({ url: '/api/module/info' })).json() as { code: string; id: number }[]
      const moduleIds = new Map(modules.map(({ code, id }) => [code, id]))
      await fc.assert(
        fc.asyncProperty(randomContent(codes), randomHeader, async ({ module, ...content }, header) => {
          const rows = module.map((row) => ({ ...row, module_id: moduleIds.get(row.code) }))
          const payload = { type: 'saas', ...header, ...content, module: rows }
          const createResponse = await staff.send({ method: 'POST', url: '/api/pricelist', payload })
          expect(createResponse.statusCode, createResponse.body).toBe(200)
          const createdList = createResponse.json()
          const bytes = (await open((await requestExportKey(createdList.id)).json())).rawPayload
          await remove(createdList.id)
          const preview = (await upload(bytes)).json()
          const importedList = (await importFile(preview.md5)).json()
          await remove(importedList.id)
          expect(toComparedPrices(importedList)).toEqual(toComparedPrices(createdList))
          expect(findPriceDifferences(toComparedPrices(createdList), preview.list)).toEqual([])
        }),
        { numRuns: 25, seed: suiteSeed },
      )
    })

    test('exports and imports the longest possible list, although it compresses well', async () => {
      const rows = Array.from({ length: 1000 }, (_, index) => ({
        ...charge,
        id: index + 1,
        from: index + 1,
        to: index + 1,
      }))
      const module = rows.map(({ id }) => ({ ...charge, id, module_id: id, code: `module_${id}` }))
      const content = { ...buildNewContent({}), concurrentUser: rows, namedUser: rows, module }
      const record = { type: 'saas' as const, effective_date: '2031-01-01', description: 'x', content }
      const bytes = await packPriceList(record)
      expect((await unpackPriceList(bytes)).list.module).toHaveLength(1000)
      expect((await upload(bytes)).json().unknown).toHaveLength(1000)
    })
  })
})
