/** What one company, or one user, may take up of what all share (fault 16, decision 70). */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertAsset } from '#server/db/accounts/assets.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { quotas } from '#server/use-cases/quotas.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { chosen, type Form, postForm } from '#tests/support/server/forms.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { formWith, png } from '#tests/support/uploads/pictures.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { order, setUpShop } from '#tests/support/orders/shop-data.ts'

const day = 86_400_000

onConnections('orders that wait to be paid', (engine) => {
  const the = setUpShop(engine)

  test('fault 16b are 20 of a company at once, however many are asked for together', async () => {
    const buyer = await the.server.signIn('order@alpha')
    const place = (at: number, more: object = {}) => order(buyer, { code: `quota${at}`, ...more })
    const answers = await Promise.all(Array.from({ length: 24 }, (_, at) => place(at)))
    const refused = answers.filter(({ statusCode }) => statusCode !== 200)
    expect(refused.map((answer) => answer.json())).toEqual(
      Array(4).fill(expect.objectContaining({ errorCode: 'TOO_MANY_UNPAID', data: { most: 20 } })),
    )
    // A refused one holds no code.
    const other = await the.server.signIn('order@beta')
    const free = answers.findIndex(({ statusCode }) => statusCode !== 200)
    expect((await order(other, { code: `quota${free}` })).statusCode).toBe(200)
    // Replaced, deleted or no longer payable, one makes room for another.
    const made = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => answer.json())
    expect((await place(30, { replaces: made[0].id })).statusCode).toBe(200)
    expect((await place(31)).statusCode).toBe(409)
    expect((await buyer.send({ method: 'DELETE', url: `/api/sorder/${made[1].id}` })).statusCode).toBe(204)
    expect((await place(31)).statusCode).toBe(200)
    the.server.clock.now += 60 * day
    const later = await the.server.signIn('order@alpha')
    expect((await order(later, { code: 'quota32', period_start: '2026-05-02' })).statusCode).toBe(200)
  })
})

onConnections('a sign-up that nobody activates', (engine) => {
  let server: TestServer
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const filled = {
    code: 'Nova_1',
    name: 'Nova Ltd',
    country: 'HK',
    tel: '+852-12345678',
    user_title: '1',
    user_name: 'Ana Chan',
    user_email: 'ana@nova.example',
    user_password: chosen,
    confirmPwd: chosen,
  }
  const register = (form: Form = {}) => postForm(server.send, '/public/company', { ...filled, ...form })
  const isTaken = async () =>
    (await register({ name: 'Another Ltd', user_name: 'Bo Ip', user_email: 'bo@other.example' })).statusCode === 409
  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(server.app, { role: 'portal_system' }, work)
  const linkOf = async () => keyIn((await box.fetch()).at(-1) ?? { text: '' })
  const activate = async (otk: string) => (await postForm(server.send, '/public/users/activate', { otk })).json()

  test('fault 16d gives its company code back after seven days, and its link is dead', async () => {
    await register()
    const otk = await linkOf()
    server.clock.now += quotas.activationDays * day - 1000
    await sweep(server.app)
    expect(await isTaken()).toBe(true)
    server.clock.now += 2000
    expect((await sweep(server.app))['signUps']).toBe(1)
    expect(await activate(otk)).not.toEqual({ code: 'ACTIVATE_OK' })
    expect(await isTaken()).toBe(false)
    expect(await activate(await linkOf())).toEqual({ code: 'ACTIVATE_OK' })
    const [entry] = await asSystem((db) =>
      db.selectFrom('audit_entry').select(['operation', 'info']).where('operation', '=', 'delete').execute(),
    )
    expect(entry?.info).toMatchObject({ CompanyCode: 'nova_1', Reason: 'never activated' })
  })

  test('fault 16d keeps it as long as a link is open, and for good once it was activated', async () => {
    await register()
    server.clock.now += 6 * day
    await postForm(server.send, '/public/users/activatemail', { username: 'nova_1:ana@nova.example', password: chosen })
    const otk = await linkOf()
    server.clock.now += 2 * day
    expect((await sweep(server.app))['signUps']).toBe(0)
    expect(await activate(otk)).toEqual({ code: 'ACTIVATE_OK' })
    server.clock.now += 60 * day
    expect((await sweep(server.app))['signUps']).toBe(0)
    expect(await isTaken()).toBe(true)
  })

  test('fault 16j gives it back after two weeks, however often its link was sent again', async () => {
    await register()
    for (let at = 0; at < 6; at++) {
      server.clock.now += 2 * day
      await postForm(server.send, '/public/users/activatemail', {
        username: 'nova_1:ana@nova.example',
        password: chosen,
      })
      await linkOf()
      expect((await sweep(server.app))['signUps']).toBe(0)
    }
    server.clock.now += 2 * day + 1000
    expect((await sweep(server.app))['signUps']).toBe(1)
    expect(await activate(await linkOf())).not.toEqual({ code: 'ACTIVATE_OK' })
    expect(await isTaken()).toBe(false)
  })

  test.skipIf(engine === 'embedded')('fault 16k keeps one that is activated at the same moment', async () => {
    await register()
    server.clock.now += 8 * day
    let sweeping: Promise<Record<string, number>> | undefined
    await asSystem(async (db) => {
      await db.updateTable('portal_user').set({ status: 1 }).where('email', '=', 'ana@nova.example').execute()
      sweeping = sweep(server.app)
      const waiting = async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from pg_locks where not granted
            and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(db)
        return rows[0]?.count ?? 0
      }
      while ((await waiting()) === 0) await new Promise((again) => setTimeout(again, 10))
    })
    expect((await sweeping)?.['signUps']).toBe(0)
    expect(await isTaken()).toBe(true)
  })
})

describe('pictures', () => {
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

  test('fault 16c take up so much of a company, and another company has its own', async () => {
    const { companies, users } = server.world
    const whose = { company_id: companies.alpha, user_id: users['admin@alpha'] ?? 0 }
    const large = { ...whose, name: 'large', type: 'image/webp' as const, bytes: Buffer.alloc(1024 ** 2 - 10) }
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      insertAsset(db, { ...large, create_time: server.clock.now }),
    )
    const { headers, payload } = formWith('avatar', { bytes: await png(20, 20) })
    const upload = (by: SignedIn) => by.send({ method: 'POST', url: '/api/m18s/asset', headers, payload })
    const answer = await upload(user)
    expect([answer.statusCode, answer.json().errorCode]).toEqual([409, 'PICTURE_QUOTA'])
    expect(answer.json().data).toEqual({ most: '1 MB' })
    expect((await upload(await server.signIn('user@beta'))).statusCode).toBe(200)
  })
})
