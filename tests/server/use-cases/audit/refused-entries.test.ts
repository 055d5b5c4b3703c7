/** Tests the audit entries of refused writes, and of created and deleted price lists (D86, decision 71). */
import { beforeEach, describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { onConnections } from '#tests/support/server/database.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import { canaries } from '#tests/support/server/world.ts'

onConnections('refused writes in the trail', (engine) => {
  const fixture = setUpShop(engine)
  let server: TestServer
  beforeEach(() => {
    server = fixture.server
  })
  const readEntries = () =>
    runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const rows = await db.selectFrom('audit_entry').select('leaf').orderBy('id').execute()
      return rows.map(({ leaf }) => readLeaf(leaf)).filter(({ operation }) => operation !== 'login')
    })
  const readFailures = async () => (await readEntries()).filter(({ status }) => status === -1)
  const write = (caller: SignedIn, method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    caller.send({ method, url, headers: { [headers.key]: crypto.randomUUID() }, ...(payload ? { payload } : {}) })
  const sendRefused = async (caller: SignedIn, method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const response = await write(caller, method, url, payload)
    expect(response.statusCode).toBeGreaterThanOrEqual(400)
    return (await readFailures()).at(-1)
  }
  const getUserId = (userName: string) => server.world.users[userName] ?? 0
  const expectUserNamed = (role: string) => ({
    UserName: expect.stringContaining(role),
    UserId: getUserId(`${role}@alpha`),
  })

  it('The entry names the user it is about, also if the caller had no right (fault 17i)', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    expect(await sendRefused(admin, 'POST', `/api/users/disable/${getUserId('deleted@alpha')}`)).toMatchObject({
      code: 'user',
      operation: 'disable',
      info: expectUserNamed('deleted'),
    })
    expect(await sendRefused(user, 'DELETE', `/api/m18s/user/${getUserId('order@alpha')}`)).toMatchObject({
      operation: 'delete',
      info: { ...expectUserNamed('order'), CompanyName: expect.stringContaining(canaries.alpha), problem: 'FORBIDDEN' },
    })
    expect(
      await sendRefused(admin, 'POST', '/api/m18s/user', { title: 0, name: 'Twice', email: 'user@alpha.example' }),
    ).toMatchObject({ operation: 'create', info: { UserName: 'Twice', UserEmail: 'user@alpha.example' } })
  })

  it('The entry reveals nothing that the caller may not know (fault 17i)', async () => {
    const admin = await server.signIn('admin@alpha')
    const foreignEntry = await sendRefused(admin, 'DELETE', `/api/m18s/user/${getUserId('user@beta')}`)
    expect(Object.keys(foreignEntry?.info ?? {}).toSorted()).toEqual(['path', 'problem'])
    const listEntry = await sendRefused(admin, 'DELETE', `/api/pricelist/${fixture.priceListIds[0]}`)
    expect(Object.keys(listEntry?.info ?? {}).toSorted()).toEqual(['path', 'problem'])
  })

  it('The entry names the order, contract and service it is about (fault 17i)', async () => {
    const buyer = await server.signIn('order@alpha')
    const shop = await buyOrder(server, buyer, { code: 'alpha1' })
    expect(await sendRefused(buyer, 'DELETE', `/api/sorder/${shop.id}`)).toMatchObject({
      operation: 'delete',
      info: { ServiceCode: 'alpha1', OrderId: shop.id },
    })
    const { id } = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('service').select('id').where('code', '=', 'alpha1').executeTakeFirstOrThrow(),
    )
    const staff = await server.signIn('delete@m18')
    expect(await sendRefused(staff, 'POST', `/api/aws/reboot/${id}`)).toMatchObject({
      code: 'service',
      operation: 'reboot',
      info: { ServiceCode: 'alpha1' },
    })
    const restore = { backup_id: 1, service_id: id }
    expect(await sendRefused(buyer, 'POST', '/api/pdb/restore', restore)).toMatchObject({
      code: 'backup',
      operation: 'restore',
      info: { ServiceCode: 'alpha1' },
    })
    const contract = { contract_id: shop.contract_id, type: 'change', users: 30, amount: '1.00' }
    expect(await sendRefused(buyer, 'POST', '/api/contract', contract)).toMatchObject({
      operation: 'update',
      info: { ServiceCode: 'alpha1', ContractCode: shop['contract'] },
    })
  })

  describe('entries of price lists and modules', () => {
    let staff: SignedIn
    beforeEach(async () => {
      staff = await server.signIn('delete@m18')
    })
    const draft = {
      type: 'saas',
      effective_date: '2027-05-01',
      desc: 'May',
      min_fee_hkd: '7.00',
      concurrentUser: [{ from: 1, to: 9, hkd: '3.00', usd: '2.00', rmb: '1.00' }],
    }

    it('name the list, and use the operation withdraw if the list was confirmed (fault 17i)', async () => {
      const listInForce = (await staff.send({ url: '/api/price?type=saas' })).json()
      expect(await sendRefused(staff, 'DELETE', `/api/pricelist/${listInForce.id}`)).toMatchObject({
        code: 'price',
        operation: 'withdraw',
        info: { PriceEffDate: listInForce.effective_date, PriceDesc: listInForce.desc },
      })
      const payload = { ...draft, effective_date: listInForce.effective_date }
      expect(await sendRefused(staff, 'POST', '/api/pricelist', payload)).toMatchObject({
        operation: 'create',
        info: { PriceEffDate: listInForce.effective_date, PriceDesc: 'May' },
      })
    })

    it('contain all fields of a created and of a deleted list (fault 17i)', async () => {
      const { id } = (await write(staff, 'POST', '/api/pricelist', draft)).json()
      expect((await write(staff, 'DELETE', `/api/pricelist/${id}`)).statusCode).toBe(204)
      const [createdEntry, deletedEntry] = (await readEntries()).filter(({ code }) => code === 'price')
      const content = { desc: 'May', min_fee_hkd: '7.00', 'concurrentUser.1-9.usd': '2.00' }
      for (const [field, value] of Object.entries(content)) {
        expect(createdEntry?.changes).toContainEqual({ field, before: null, after: value })
        expect(deletedEntry?.changes).toContainEqual({ field, before: value, after: null })
      }
    })

    it('are not written for calls that only validate, rehearse or calculate (fault 17i)', async () => {
      const module = { type: 'saas', code: 'x', name: 'X', hidden: false, dependencies: ['nowhere'] }
      const calls = [
        ['/api/pricelist/rehearse', { id: 99_999 }],
        ['/api/module/validate', module],
        ['/api/calculate', { currency: 'HKD', user_mode: 'concurrent', users: 1, modules: ['nowhere'], period: 1 }],
      ] as const
      for (const [url, payload] of calls) await write(staff, 'POST', url, payload)
      expect(await readFailures()).toEqual([])
    })
  })
})
