/** Tests that names with invisible characters are rejected (decision 71). */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readFieldErrors } from '#tests/support/server/forms.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

const zeroWidthName = 'Ad\u200Ba'
const overrideName = 'Ad\u202Ea'
const softHyphenName = 'Ad\u00ADa'
const tagName = 'Ada\u{E0041}'
const names = [zeroWidthName, overrideName, softHyphenName, tagName, 'A\uFEFFda', 'A\u2062da']
const hiddenCharacterError = ['name HIDDEN_CHARACTER']

onConnections('hidden characters', (engine) => {
  const fixture = setUpShop(engine)
  let server: TestServer
  let admin: SignedIn
  beforeEach(async () => {
    server = fixture.server
    admin = await server.signIn('admin@alpha')
  })
  const buildUserUrl = () => `/api/m18s/company-user/${server.world.users['invited@alpha']}`

  it('Hidden characters are rejected in names of users, companies, services and modules (fault 17d)', async () => {
    const buyer = await server.signIn('order@alpha')
    const staff = await server.signIn('admin@m18')
    const { companies } = server.world
    for (const name of names) {
      const invitedUser = { title: 0, name, email: 'new@alpha.example' }
      expect(
        readFieldErrors(await admin.send({ method: 'POST', url: '/api/m18s/user', payload: invitedUser })),
      ).toEqual(hiddenCharacterError)
      expect(readFieldErrors(await admin.send({ method: 'PUT', url: buildUserUrl(), payload: { name } }))).toEqual(
        hiddenCharacterError,
      )
      const company = { method: 'PUT', url: `/api/m18s/company/${companies.alpha}`, payload: { name } } as const
      expect(readFieldErrors(await admin.send(company))).toEqual(
        name === overrideName ? ['name HIDDEN_CHARACTER'] : hiddenCharacterError,
      )
      expect(readFieldErrors(await placeOrder(buyer, { name, code: 'other' }))).toEqual(hiddenCharacterError)
      const module = { code: 'fresh', name, type: 'saas' }
      expect(readFieldErrors(await staff.send({ method: 'POST', url: '/api/module', payload: module }))).toEqual(
        hiddenCharacterError,
      )
    }
    const email = 'ad\u200Ba@alpha.example'
    const secondUser = { title: 0, name: 'Ada', email }
    expect(readFieldErrors(await admin.send({ method: 'POST', url: '/api/m18s/user', payload: secondUser }))).toEqual([
      'email HIDDEN_CHARACTER',
    ])
  })

  it('Price list descriptions reject hidden characters, service descriptions only bidi controls (fault 17d)', async () => {
    const buyer = await server.signIn('order@alpha')
    const staff = await server.signIn('admin@m18')
    const list = { type: 'saas', effective_date: '2031-05-01', desc: zeroWidthName }
    expect(readFieldErrors(await staff.send({ method: 'POST', url: '/api/pricelist', payload: list }))).toEqual([
      'desc HIDDEN_CHARACTER',
    ])
    expect(readFieldErrors(await placeOrder(buyer, { desc: `two\nlines \u202E`, code: 'other' }))).toEqual([
      'desc HIDDEN_CHARACTER',
    ])
    expect((await placeOrder(buyer, { desc: 'two\nlines with \u200Fa mark', code: 'other' })).statusCode).toBe(200)
  })

  it('An older row with hidden characters stays readable, and its other fields can be changed (fault 17d)', async () => {
    await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      await sql`update portal_user set name = ${zeroWidthName} where name like '%invited' and company_id = ${server.world.companies.alpha}`.execute(
        db,
      )
      await sql`update module set name = ${overrideName} where id = 1`.execute(db)
    })
    const response = await admin.send({
      method: 'PUT',
      url: buildUserUrl(),
      payload: { name: zeroWidthName, order: true },
    })
    expect(response.json()).toMatchObject({ name: zeroWidthName, order: true })
    const staff = await server.signIn('admin@m18')
    const moduleChange = { method: 'PUT', url: '/api/module/1', payload: { dependencies: [] } } as const
    expect((await staff.send(moduleChange)).json()).toMatchObject({ name: overrideName })
    const { data } = (await staff.send({ url: '/api/module?type=saas' })).json()
    expect(data.map(({ name }: { name: string }) => name)).toContain(overrideName)
  })
})
