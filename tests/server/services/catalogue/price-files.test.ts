/** A price list out of one house and into another: whole, once, and only by the provider's staff (Z-32, D64, D78). */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { onConnections } from '#tests/support/database.ts'
import { told, wrong } from '#tests/support/forms.ts'
import { setUpShop } from '#tests/support/shop-data.ts'
import type { SignedIn } from '#tests/support/server.ts'
import { formWith } from '#tests/support/pictures.ts'
import { zipped } from '#tests/support/zip.ts'

onConnections('price lists as files', (engine) => {
  const the = setUpShop(engine)
  let staff: SignedIn
  beforeEach(async () => {
    staff = await the.server.signIn('admin@m18')
  })

  const keyOf = async (id: number | undefined, by = staff) =>
    by.send({ method: 'POST', url: '/api/template/price/export', payload: { id } })
  const open = (key: string) => the.server.send({ url: `/public/template/price/${key}` })
  const exported = async () => (await open((await keyOf(the.lists[0])).json())).rawPayload
  const upload = (bytes: Buffer, by = staff) =>
    by.send({ method: 'POST', url: '/api/template/price/upload', ...formWith('file', { bytes }) })
  const take = (md5: string, by = staff) =>
    by.send({ method: 'POST', url: '/api/template/price/import', payload: { md5 } })
  const whole = async (id: number | undefined) => (await staff.send({ url: `/api/prices/${id}` })).json()
  const remove = (id: number | undefined) => staff.send({ method: 'DELETE', url: `/api/pricelist/${id}` })

  test('one that is exported and imported says the same, unconfirmed, and under the ids of this house', async () => {
    const [, , draft] = the.lists
    const before = await whole(draft ?? the.lists[1])
    const bytes = (await open((await keyOf(before.id)).json())).rawPayload
    expect((await remove(before.id)).statusCode).toBe(204)
    const looked = (await upload(bytes)).json()
    expect(looked).toEqual({
      md5: createHash('md5').update(bytes).digest('hex'),
      type: 'saas',
      effective_date: before.effective_date,
      desc: before.desc,
      module: before.module.map(({ code }: { code: string }) => code),
    })
    const answer = await take(looked.md5)
    expect(answer.statusCode).toBe(200)
    const { id: _i, confirmed: _c, row_version: _r, update_time: _t, update_user_name: _u, ...same } = before
    const after = answer.json()
    expect(after).toMatchObject({ ...same, confirmed: false })
    expect(after.id).not.toBe(before.id)
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
        db.selectFrom('trail').select('info').where('operation', '=', 'export').execute(),
      )
      expect(trail).toEqual([{ info: expect.objectContaining({ PriceEffDate: '2026-01-01' }) }])
    })
  })

  describe('what is refused', () => {
    test('a date that has a list already, with the field that is wrong (U-12)', async () => {
      const { md5 } = (await upload(await exported())).json()
      expect(wrong(await take(md5))).toEqual(['effective_date DUPLICATE'])
    })

    test('a module that this house does not know', async () => {
      const bytes = await exported()
      const { md5 } = (await upload(bytes)).json()
      await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
        db.updateTable('module').set({ deleted: true }).where('code', '=', 'fin').execute(),
      )
      expect(wrong(await take(md5))).toEqual([expect.stringMatching(/^module\.\d\.code MODULE_UNKNOWN$/)])
    })

    test('a file that nobody looked into, that somebody else did, or that was swept (N-05, U-13)', async () => {
      expect(told(await take('0'.repeat(32)))).toEqual([404, 'NOT_FOUND'])
      const { md5 } = (await upload(await exported())).json()
      const other = await the.server.signIn('delete@m18')
      expect(told(await take(md5, other))).toEqual([404, 'NOT_FOUND'])
      the.server.clock.now += 2 * 86_400_000
      await sweep(the.server.app)
      staff = await the.server.signIn('admin@m18')
      expect(told(await take(md5))).toEqual([404, 'NOT_FOUND'])
    })

    const parts = async (change: (list: Record<string, unknown>) => void, sum?: string) => {
      const list: Record<string, unknown> = {
        type: 'saas',
        effective_date: '2031-01-01',
        desc: 'x',
        module: [],
        concurrentUser: [],
      }
      change(list)
      const text = JSON.stringify(list)
      const sha256 = sum ?? createHash('sha256').update(text).digest('hex')
      return zipped([
        { name: 'price.json', bytes: text },
        { name: 'manifest.json', bytes: JSON.stringify({ format: 'portal-price-list', version: 1, sha256 }) },
      ])
    }

    test.each([
      ['no zip', async () => Buffer.from('PK? no')],
      ['a zip of something else', () => zipped([{ name: 'a.txt', bytes: 'x' }])],
      ['another sum', () => parts(() => {}, '0'.repeat(64))],
      ['an amount that is none', () => parts((list) => (list['min_fee_hkd'] = '1e3'))],
      ['no date', () => parts((list) => delete list['effective_date'])],
      ['a client type of nobody', () => parts((list) => (list['type'] = 'xyz'))],
    ])('%s', async (_, make) => {
      expect(wrong(await upload(await make()))).toEqual(['file BAD_ARCHIVE'])
    })

    test('the other client type, without the delete level (U-12)', async () => {
      expect(told(await upload(await parts((list) => (list['type'] = 'mma'))))).toEqual([403, 'FORBIDDEN'])
      const level = await the.server.signIn('delete@m18')
      expect((await upload(await parts((list) => (list['type'] = 'mma')), level)).statusCode).toBe(200)
    })

    test('no file, and customers', async () => {
      const nothing = staff.send({
        method: 'POST',
        url: '/api/template/price/upload',
        ...formWith('file', { bytes: Buffer.alloc(0) }),
      })
      expect(wrong(await nothing)).toEqual(['file REQUIRED'])
      const customer = await the.server.signIn('order@alpha')
      expect(told(await upload(await exported(), customer))).toEqual([403, 'FORBIDDEN'])
    })
  })
})
