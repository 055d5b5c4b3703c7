/** Names hold no character that nobody sees (decision 71). */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { wrong } from '#tests/support/server/forms.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { order, setUpShop } from '#tests/support/orders/shop-data.ts'

const zeroWidth = 'Ad\u200Ba'
const override = 'Ad\u202Ea'
const soft = 'Ad\u00ADa'
const tag = 'Ada\u{E0041}'
const names = [zeroWidth, override, soft, tag, 'A\uFEFFda', 'A\u2062da']
const refused = ['name HIDDEN_CHARACTER']

onConnections('hidden characters', (engine) => {
  const the = setUpShop(engine)
  let server: TestServer
  let admin: SignedIn
  beforeEach(async () => {
    server = the.server
    admin = await server.signIn('admin@alpha')
  })
  const userUrl = () => `/api/m18s/company-user/${server.world.users['invited@alpha']}`

  it('fault 17d are refused in names of users, companies, services and modules', async () => {
    const buyer = await server.signIn('order@alpha')
    const staff = await server.signIn('admin@m18')
    const { companies } = server.world
    for (const name of names) {
      const invited = { title: 0, name, email: 'new@alpha.example' }
      expect(wrong(await admin.send({ method: 'POST', url: '/api/m18s/user', payload: invited }))).toEqual(refused)
      expect(wrong(await admin.send({ method: 'PUT', url: userUrl(), payload: { name } }))).toEqual(refused)
      const company = { method: 'PUT', url: `/api/m18s/company/${companies.alpha}`, payload: { name } } as const
      expect(wrong(await admin.send(company))).toEqual(name === override ? ['name HIDDEN_CHARACTER'] : refused)
      expect(wrong(await order(buyer, { name, code: 'other' }))).toEqual(refused)
      const module = { code: 'fresh', name, type: 'saas' }
      expect(wrong(await staff.send({ method: 'POST', url: '/api/module', payload: module }))).toEqual(refused)
    }
    const email = 'ad\u200Ba@alpha.example'
    const twin = { title: 0, name: 'Ada', email }
    expect(wrong(await admin.send({ method: 'POST', url: '/api/m18s/user', payload: twin }))).toEqual([
      'email HIDDEN_CHARACTER',
    ])
  })

  it('fault 17d are refused in the description of a price list, and turning ones in that of a service', async () => {
    const buyer = await server.signIn('order@alpha')
    const staff = await server.signIn('admin@m18')
    const list = { type: 'saas', effective_date: '2031-05-01', desc: zeroWidth }
    expect(wrong(await staff.send({ method: 'POST', url: '/api/pricelist', payload: list }))).toEqual([
      'desc HIDDEN_CHARACTER',
    ])
    expect(wrong(await order(buyer, { desc: `two\nlines \u202E`, code: 'other' }))).toEqual(['desc HIDDEN_CHARACTER'])
    expect((await order(buyer, { desc: 'two\nlines with \u200Fa mark', code: 'other' })).statusCode).toBe(200)
  })

  it('fault 17d leave a row of before readable, and its other fields can be changed', async () => {
    await inTransaction(server.app, { role: 'portal_system' }, async (db) => {
      await sql`update portal_user set name = ${zeroWidth} where name like '%invited' and company_id = ${server.world.companies.alpha}`.execute(
        db,
      )
      await sql`update module set name = ${override} where id = 1`.execute(db)
    })
    const answer = await admin.send({ method: 'PUT', url: userUrl(), payload: { name: zeroWidth, order: true } })
    expect(answer.json()).toMatchObject({ name: zeroWidth, order: true })
    const staff = await server.signIn('admin@m18')
    const change = { method: 'PUT', url: '/api/module/1', payload: { dependencies: [] } } as const
    expect((await staff.send(change)).json()).toMatchObject({ name: override })
    const { data } = (await staff.send({ url: '/api/module?type=saas' })).json()
    expect(data.map(({ name }: { name: string }) => name)).toContain(override)
  })
})
