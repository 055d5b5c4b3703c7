/** Tests the notes of the provider's staff about customers: who reads and changes them, and that customers never see them (decision 107). */
import { beforeEach, expect, test } from 'vitest'
import { eachEngine } from '#tests/support/server/database.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

eachEngine('notes about customers', (engine) => {
  const fixture = setUpShop(engine)
  let seller: SignedIn
  let admin: SignedIn
  let url: string
  beforeEach(async () => {
    seller = await fixture.server.signIn('order@m18')
    admin = await fixture.server.signIn('admin@m18')
    url = `/api/customer/${fixture.server.world.companies.alpha}/note`
  })

  const add = (caller: SignedIn, text: unknown) => caller.send({ method: 'POST', url, payload: { text } })
  const change = (caller: SignedIn, id: number, payload: object) =>
    caller.send({ method: 'PUT', url: `${url}/${id}`, payload })
  const remove = (caller: SignedIn, id: number, version = 1) =>
    caller.send({ method: 'DELETE', url: `${url}/${id}?row_version=${version}` })
  const list = async () => (await seller.send({ url })).json()

  test('Staff add, edit and delete their own notes; provider admins any', async () => {
    const first = (await add(seller, '  Pays late.\nCall Amelia first. ')).json()
    expect(first).toMatchObject({ text: 'Pays late.\nCall Amelia first.', edit_time: null, row_version: 1 })
    const second = (await add(admin, 'Second')).json()
    expect((await list()).map(({ text }: { text: string }) => text)).toEqual(['Second', first.text])

    fixture.server.clock.now += 60_000
    const edited = await change(seller, first.id, { text: 'Pays on time.', row_version: 1 })
    expect(edited.json()).toMatchObject({ text: 'Pays on time.', edit_time: '2026-03-02 10:01:00', row_version: 2 })
    const outdated = await change(seller, first.id, { text: 'Lost', row_version: 1 })
    expect([outdated.statusCode, outdated.json().errorCode]).toEqual([412, 'VERSION_CONFLICT'])

    expect((await change(seller, second.id, { text: 'x', row_version: 1 })).statusCode).toBe(403)
    expect((await remove(seller, second.id)).statusCode).toBe(403)
    expect((await change(admin, first.id, { text: 'By an admin', row_version: 2 })).statusCode).toBe(200)
    const outdatedRemoval = await remove(admin, first.id, 2)
    expect([outdatedRemoval.statusCode, outdatedRemoval.json().data.current.text]).toEqual([412, 'By an admin'])
    expect((await remove(admin, first.id, 3)).statusCode).toBe(204)
    expect((await list()).map(({ text }: { text: string }) => text)).toEqual(['Second'])
  })

  test('Customers neither read nor write notes, and their trail has nothing about them', async () => {
    const { id } = (await add(seller, 'Secret-7731')).json()
    const customer = await fixture.server.signIn('second@alpha')
    for (const response of [
      await customer.send({ url }),
      await add(customer, 'x'),
      await change(customer, id, { text: 'x', row_version: 1 }),
      await remove(customer, id),
    ])
      expect(response.statusCode).toBe(403)
    expect((await (await fixture.server.signIn('user@m18')).send({ url })).statusCode).toBe(403)
    const trail = await customer.send({ url: '/api/systrail?results=50' })
    expect(trail.body).not.toMatch(/Note/)
    // The provider's own trail says who added a note about whom, without the text.
    const ownTrail = await admin.send({ url: '/api/systrail?results=50&code=company' })
    expect(ownTrail.body).toContain('NoteId')
    expect(ownTrail.body).not.toContain('Secret-7731')
  })

  test('Refuses texts and ids that cannot be notes', async () => {
    for (const text of ['', ' \n ', 'x'.repeat(4001), null, 7, 'right\u202Eto left'])
      expect([400, 422]).toContain((await add(seller, text)).statusCode)
    expect((await add(seller, 'x'.repeat(4000))).statusCode).toBe(200)
    // U+0958 becomes two characters in NFC.
    const { statusCode, json } = await add(seller, '\u0958'.repeat(2500))
    expect([statusCode, json().data]).toMatchObject([400, [{ field: 'text', code: 'TOO_LONG', limit: 4000 }]])
    expect((await add(seller, '<script>alert(1)</script> \u{1F600}')).json().text).toContain('<script>')
    const { companies } = fixture.server.world
    for (const id of [companies.m18, 2_000_000_000])
      expect((await seller.send({ url: `/api/customer/${id}/note` })).statusCode).toBe(404)
    const { id } = (await add(seller, 'Of alpha')).json()
    const otherUrl = `/api/customer/${companies.beta}/note/${id}?row_version=1`
    expect((await seller.send({ method: 'DELETE', url: otherUrl })).statusCode).toBe(404)
  })
})
