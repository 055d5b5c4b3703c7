/** Tests the limits on the shared resources that one company or one user can use (fault 16, decision 70). */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertAsset } from '#server/db/accounts/assets.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { quotas } from '#server/use-cases/quotas.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { newPassword, type Form, postForm } from '#tests/support/server/forms.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { buildFileForm, png } from '#tests/support/uploads/pictures.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { placeOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

const dayMs = 86_400_000

onConnections('unpaid orders', (engine) => {
  const fixture = setUpShop(engine)

  test('are limited to 20 per company, also for concurrent requests (fault 16b)', async () => {
    const buyer = await fixture.server.signIn('order@alpha')
    const placeNumbered = (orderNumber: number, overrides: object = {}) =>
      placeOrder(buyer, { code: `quota${orderNumber}`, ...overrides })
    const responses = await Promise.all(Array.from({ length: 24 }, (_, index) => placeNumbered(index)))
    const refusedResponses = responses.filter(({ statusCode }) => statusCode !== 200)
    expect(refusedResponses.map((response) => response.json())).toEqual(
      Array(4).fill(expect.objectContaining({ errorCode: 'TOO_MANY_UNPAID', data: { most: 20 } })),
    )
    // A refused order does not reserve its code.
    const otherBuyer = await fixture.server.signIn('order@beta')
    const freeNumber = responses.findIndex(({ statusCode }) => statusCode !== 200)
    expect((await placeOrder(otherBuyer, { code: `quota${freeNumber}` })).statusCode).toBe(200)
    // An order that is replaced, deleted or no longer payable is not counted any longer.
    const placedOrders = responses.filter(({ statusCode }) => statusCode === 200).map((response) => response.json())
    expect((await placeNumbered(30, { replaces: placedOrders[0].id })).statusCode).toBe(200)
    expect((await placeNumbered(31)).statusCode).toBe(409)
    expect((await buyer.send({ method: 'DELETE', url: `/api/sorder/${placedOrders[1].id}` })).statusCode).toBe(204)
    expect((await placeNumbered(31)).statusCode).toBe(200)
    fixture.server.clock.now += 60 * dayMs
    const laterBuyer = await fixture.server.signIn('order@alpha')
    expect((await placeOrder(laterBuyer, { code: 'quota32', period_start: '2026-05-02' })).statusCode).toBe(200)
  })
})

onConnections('a sign-up without activation', (engine) => {
  let server: TestServer
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const signUpForm = {
    code: 'Nova_1',
    name: 'Nova Ltd',
    country: 'HK',
    tel: '+852-12345678',
    user_title: '1',
    user_name: 'Ana Chan',
    user_email: 'ana@nova.example',
    user_password: newPassword,
    confirmPwd: newPassword,
  }
  const register = (form: Form = {}) => postForm(server.send, '/public/company', { ...signUpForm, ...form })
  const isCodeTaken = async () =>
    (await register({ name: 'Another Ltd', user_name: 'Bo Ip', user_email: 'bo@other.example' })).statusCode === 409
  const runAsSystem = <T>(callback: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(server.app, { role: 'portal_system' }, callback)
  const readLinkKey = async () => readKey((await mailBox.fetch()).at(-1) ?? { text: '' })
  const activate = async (otk: string) => (await postForm(server.send, '/public/users/activate', { otk })).json()

  test('frees its company code after seven days, and its link stops working (fault 16d)', async () => {
    await register()
    const otk = await readLinkKey()
    server.clock.now += quotas.activationDays * dayMs - 1000
    await deleteExpiredData(server.app)
    expect(await isCodeTaken()).toBe(true)
    server.clock.now += 2000
    expect((await deleteExpiredData(server.app))['signUps']).toBe(1)
    expect(await activate(otk)).not.toEqual({ code: 'ACTIVATE_OK' })
    expect(await isCodeTaken()).toBe(false)
    expect(await activate(await readLinkKey())).toEqual({ code: 'ACTIVATE_OK' })
    const [entry] = await runAsSystem((db) =>
      db.selectFrom('audit_entry').select(['operation', 'info']).where('operation', '=', 'delete').execute(),
    )
    expect(entry?.info).toMatchObject({ CompanyCode: 'nova_1', Reason: 'never activated' })
  })

  test('keeps its company code while a link is valid, and permanently after activation (fault 16d)', async () => {
    await register()
    server.clock.now += 6 * dayMs
    await postForm(server.send, '/public/users/activatemail', {
      username: 'nova_1:ana@nova.example',
      password: newPassword,
    })
    const otk = await readLinkKey()
    server.clock.now += 2 * dayMs
    expect((await deleteExpiredData(server.app))['signUps']).toBe(0)
    expect(await activate(otk)).toEqual({ code: 'ACTIVATE_OK' })
    server.clock.now += 60 * dayMs
    expect((await deleteExpiredData(server.app))['signUps']).toBe(0)
    expect(await isCodeTaken()).toBe(true)
  })

  test('frees its company code after two weeks, even if its link was sent again (fault 16j)', async () => {
    await register()
    for (let index = 0; index < 6; index++) {
      server.clock.now += 2 * dayMs
      await postForm(server.send, '/public/users/activatemail', {
        username: 'nova_1:ana@nova.example',
        password: newPassword,
      })
      await readLinkKey()
      expect((await deleteExpiredData(server.app))['signUps']).toBe(0)
    }
    server.clock.now += 2 * dayMs + 1000
    expect((await deleteExpiredData(server.app))['signUps']).toBe(1)
    expect(await activate(await readLinkKey())).not.toEqual({ code: 'ACTIVATE_OK' })
    expect(await isCodeTaken()).toBe(false)
  })

  test.skipIf(engine === 'embedded')('is kept if it is activated during its removal (fault 16k)', async () => {
    await register()
    server.clock.now += 8 * dayMs
    let cleanUp: Promise<Record<string, number>> | undefined
    await runAsSystem(async (db) => {
      await db.updateTable('portal_user').set({ status: 1 }).where('email', '=', 'ana@nova.example').execute()
      cleanUp = deleteExpiredData(server.app)
      const countWaiting = async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from pg_locks where not granted
            and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(db)
        return rows[0]?.count ?? 0
      }
      while ((await countWaiting()) === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    })
    expect((await cleanUp)?.['signUps']).toBe(0)
    expect(await isCodeTaken()).toBe(true)
  })
})

describe('the pictures of a company', () => {
  let server: TestServer
  let user: SignedIn
  beforeAll(async () => {
    server = await startServer({ env: { PICTURES_PER_COMPANY_MB: '1' } })
  })
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    user = await server.signIn('user@alpha')
  })

  test('are limited in total size, separately for each company (fault 16c)', async () => {
    const { companies, users } = server.world
    const ownerIds = { company_id: companies.alpha, user_id: users['admin@alpha'] ?? 0 }
    const largeAsset = { ...ownerIds, name: 'large', type: 'image/webp' as const, bytes: Buffer.alloc(1024 ** 2 - 10) }
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      insertAsset(db, { ...largeAsset, create_time: server.clock.now }),
    )
    const { headers, payload } = buildFileForm('avatar', { bytes: await png(20, 20) })
    const uploadPicture = (sender: SignedIn) =>
      sender.send({ method: 'POST', url: '/api/m18s/asset', headers, payload })
    const response = await uploadPicture(user)
    expect([response.statusCode, response.json().errorCode]).toEqual([409, 'PICTURE_QUOTA'])
    expect(response.json().data).toEqual({ most: '1 MB' })
    expect((await uploadPicture(await server.signIn('user@beta'))).statusCode).toBe(200)
  })
})
