/** A price list out of one house and into another: whole, once, and only by the provider's staff (Z-32, D64, D78). */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { priceDifferences } from '#domain/catalogue/prices.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { packPriceList, unpackPriceList } from '#server/use-cases/catalogue/price-archive.ts'
import { contentOfNew } from '#server/use-cases/catalogue/price-content.ts'
import { suiteSeed } from '#tests/support/runner/chance.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { told, wrong } from '#tests/support/server/forms.ts'
import { fileCalls, packedWith, saidIn } from '#tests/support/orders/price-files.ts'
import { formWith } from '#tests/support/uploads/pictures.ts'
import { randomContent, randomHeader } from '#tests/support/orders/random-prices.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

const charge = { hkd: '1.00', usd: '1.00', rmb: '1.00' }

onConnections('price lists as files', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
  })
  const { keyOf, open, exported, upload, take } = fileCalls(
    () => the.server,
    () => staff,
  )
  const whole = async (id: number | undefined) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const remove = (id: number | undefined) => staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })

  test('one that is exported and imported says the same, unconfirmed, and under the ids of this house', async () => {
    const before = await whole(the.lists[1])
    const bytes = (await open((await keyOf(before.id)).json())).rawPayload
    expect((await remove(before.id)).statusCode).toBe(204)
    const looked = (await upload(bytes)).json()
    expect(looked).toEqual({
      md5: createHash('md5').update(bytes).digest('hex'),
      type: 'saas',
      effective_date: before.effective_date,
      desc: before.desc,
      module: before.module.map(({ code }: { code: string }) => code),
      unknown: [],
      list: saidIn(before),
    })
    expect(priceDifferences(saidIn(before), looked.list)).toEqual([])
    const answer = await take(looked.md5)
    expect(answer.statusCode).toBe(200)
    const { id: _i, confirmed: _c, row_version: _r, update_time: _t, update_user_name: _u, ...same } = before
    const after = answer.json()
    expect(after).toMatchObject({ ...same, confirmed: false })
    expect(after.id).not.toBe(before.id)
    const trail = await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select('operation').where('code', '=', 'price').orderBy('id').execute(),
    )
    expect(trail.at(-1)).toEqual({ operation: 'import' })
  })

  describe('the address of an export', () => {
    test('opens once, as a file with the name of the list (H-09, M55)', async () => {
      const key = (await keyOf(the.lists[0])).json()
      expect(key).toMatch(/^[\w-]{43}$/)
      const answer = await open(key)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="price-saas-2026-01-01.zip"',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      expect((await open(key)).statusCode).toBe(404)
    })

    test('opens for one of many who come at once', async () => {
      const key = (await keyOf(the.lists[0])).json()
      const answers = await Promise.all(Array.from({ length: 10 }, () => open(key)))
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(9).fill(404)])
    })

    test('is good for five minutes, and swept after that', async () => {
      const key = (await keyOf(the.lists[0])).json()
      the.server.clock.now += 5 * 60_000
      expect((await open(key)).statusCode).toBe(404)
      the.server.clock.now += 2 * 86_400_000
      expect((await sweep(the.server.app))['tickets']).toBeGreaterThan(0)
    })

    test('is none where there is nothing to export (D64)', async () => {
      expect((await keyOf(987_654)).json()).toBe('')
    })

    test('is given to the provider alone, and written into the trail', async () => {
      const customer = await the.server.signIn('order@alpha')
      expect((await keyOf(the.lists[0], customer)).statusCode).toBe(403)
      await keyOf(the.lists[0])
      const trail = await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
        db.selectFrom('audit_entry').select('info').where('operation', '=', 'export').execute(),
      )
      expect(trail).toEqual([{ info: expect.objectContaining({ PriceEffDate: '2026-01-01' }) }])
    })
  })

  describe('what is refused', () => {
    test('a date that has a list already, with the field that is wrong (U-12)', async () => {
      const { md5 } = (await upload(await exported(the.lists[0]))).json()
      expect(wrong(await take(md5))).toEqual(['effective_date DUPLICATE'])
    })

    test('a module that this house does not know, or has hidden: the look names it, the import refuses it', async () => {
      const bytes = await exported(the.lists[0])
      await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('module').set({ deleted: true }).where('code', '=', 'fin').execute(),
      )
      const looked = (await upload(bytes)).json()
      expect([looked.unknown, looked.module]).toEqual([['fin'], ['core', 'fin', 'scm', 'hr', 'doc']])
      expect(looked.list.module.map(({ code }: { code: string }) => code)).toEqual(looked.module)
      const list = (codes: string[]) =>
        packedWith((one) => (one['module'] = codes.map((code) => ({ code, ...charge }))))
      expect((await upload(await list(['core', 'base', 'zzz']))).json().unknown).toEqual(['base', 'zzz'])
      const { md5 } = (await upload(await list(['core', 'fin', 'base']))).json()
      expect(wrong(await take(md5))).toEqual(['module.1.code MODULE_UNKNOWN', 'module.2.code MODULE_UNKNOWN'])
    })

    test('a file that nobody looked into, that somebody else did, or that was swept (N-05, U-13)', async () => {
      expect(told(await take('0'.repeat(32)))).toEqual([404, 'NOT_FOUND'])
      const { md5 } = (await upload(await exported(the.lists[0]))).json()
      const other = await the.server.signIn('delete@m18')
      expect(told(await take(md5, other))).toEqual([404, 'NOT_FOUND'])
      the.server.clock.now += 2 * 86_400_000
      await sweep(the.server.app)
      staff = await the.server.signIn('admin@m18')
      expect(told(await take(md5))).toEqual([404, 'NOT_FOUND'])
    })

    test('the other client type, without the delete level (U-12)', async () => {
      expect(told(await upload(await packedWith((list) => (list['type'] = 'mma'))))).toEqual([403, 'FORBIDDEN'])
      const level = await the.server.signIn('delete@m18')
      expect((await upload(await packedWith((list) => (list['type'] = 'mma')), level)).statusCode).toBe(200)
    })

    test('no file, and customers', async () => {
      const nothing = staff.send({
        method: 'POST',
        url: '/api/template/price/upload',
        ...formWith('file', { bytes: Buffer.alloc(0) }),
      })
      expect(wrong(await nothing)).toEqual(['file REQUIRED'])
      const customer = await the.server.signIn('order@alpha')
      expect(told(await upload(await exported(the.lists[0]), customer))).toEqual([403, 'FORBIDDEN'])
    })
  })

  describe('whatever the list', () => {
    const codes = ['core', 'fin', 'scm', 'hr', 'doc']

    test('what is packed is unpacked the same, field by field', async () => {
      await fc.assert(
        fc.asyncProperty(randomContent(codes), randomHeader, async (content, { effective_date, desc }) => {
          const record = { type: 'saas' as const, effective_date, description: desc, content }
          const { list } = await unpackPriceList(await packPriceList(record))
          expect(list).toEqual(saidIn({ type: 'saas', effective_date, desc, ...content }))
        }),
        { numRuns: 200, seed: suiteSeed },
      )
    })

    test('what is kept, exported, looked into and imported is kept the same', async () => {
      const info = (await staff.send({ url: '/api/module/info' })).json() as { code: string; id: number }[]
      const idOf = new Map(info.map(({ code, id }) => [code, id]))
      await fc.assert(
        fc.asyncProperty(randomContent(codes), randomHeader, async ({ module, ...content }, header) => {
          const rows = module.map((row) => ({ ...row, module_id: idOf.get(row.code) }))
          const payload = { type: 'saas', ...header, ...content, module: rows }
          const made = await staff.send({ method: 'POST', url: '/api/pricelist', payload })
          expect(made.statusCode, made.body).toBe(200)
          const before = made.json()
          const bytes = (await open((await keyOf(before.id)).json())).rawPayload
          await remove(before.id)
          const looked = (await upload(bytes)).json()
          const after = (await take(looked.md5)).json()
          await remove(after.id)
          expect(saidIn(after)).toEqual(saidIn(before))
          expect(priceDifferences(saidIn(before), looked.list)).toEqual([])
        }),
        { numRuns: 25, seed: suiteSeed },
      )
    })

    test('the longest there can be goes out and in, although it packs well', async () => {
      const rows = Array.from({ length: 1000 }, (_, at) => ({ ...charge, id: at + 1, from: at + 1, to: at + 1 }))
      const module = rows.map(({ id }) => ({ ...charge, id, module_id: id, code: `module_${id}` }))
      const content = { ...contentOfNew({}), concurrentUser: rows, namedUser: rows, module }
      const record = { type: 'saas' as const, effective_date: '2031-01-01', description: 'x', content }
      const bytes = await packPriceList(record)
      expect((await unpackPriceList(bytes)).list.module).toHaveLength(1000)
      expect((await upload(bytes)).json().unknown).toHaveLength(1000)
    })
  })
})
