/** A row that was seen before is written without being asked for, and never believed (protocol 9). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { inScope } from '#server/db/scope.ts'
import { eachEngine } from '#tests/support/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server.ts'

eachEngine('a row that was seen before', (engine) => {
  let server: TestServer
  let admin: SignedIn
  let target: number
  let version: number
  beforeAll(async () => {
    server = await startServer({ engine })
  }, 120_000)
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
    target = server.world.users['user@alpha'] ?? 0
    const answer = await admin.send({ url: `/api/m18s/company/${server.world.companies.alpha}/users?results=50` })
    version = answer.json().data.find(({ id }: { id: number }) => id === target).row_version
    expect(server.house.database.recentUsers.find(target, version)).toMatchObject({ id: target })
  })

  const put = (payload: object, ifMatch = version) =>
    admin.send({
      method: 'PUT',
      url: `/api/m18s/company-user/${target}`,
      headers: { 'idempotency-key': randomUUID(), 'if-match': `"${ifMatch}"` },
      payload,
    })
  /** As another server on the same database would. */
  const meanwhile = (table: 'portal_user' | 'company', id: number, what: Record<string, unknown>) =>
    inScope(server.house, { role: 'portal_system' }, (db) =>
      db.updateTable(table).set(what).where('id', '=', id).execute(),
    )
  const stored = () =>
    inScope(server.house, { role: 'portal_system' }, (db) =>
      db.selectFrom('portal_user').selectAll().where('id', '=', target).executeTakeFirstOrThrow(),
    )
  const trail = () =>
    inScope(server.house, { role: 'portal_system' }, (db) =>
      db.selectFrom('trail').select(['operation', 'status', 'info']).where('operation', '=', 'update').execute(),
    )

  test('is written, with what is secret left as it is, and remembered as it is now', async () => {
    const before = await stored()
    const answer = await put({ alert: true })
    expect([answer.statusCode, answer.json().row_version]).toEqual([200, version + 1])
    expect(await stored()).toMatchObject({
      alert: true,
      password_hash: before.password_hash,
      seal_key: before.seal_key,
      row_version: version + 1,
    })
    expect((await put({ alert: false }, version + 1)).statusCode).toBe(200)
    expect(await trail()).toHaveLength(2)
    const kept = server.house.database.recentUsers.find(target, version + 2)
    expect(kept).toMatchObject({ alert: false })
    expect(kept).not.toHaveProperty('password_hash')
    expect(kept).not.toHaveProperty('seal_key')
  })

  test('is shown as it is now where somebody else has changed it, and nothing is written over it', async () => {
    await meanwhile('portal_user', target, { alert: true, row_version: version + 1 })
    const answer = await put({ order: true })
    expect([answer.statusCode, answer.json().data.current]).toMatchObject([412, { alert: true, order: false }])
    expect(await stored()).toMatchObject({ alert: true, orders: false, row_version: version + 1 })
  })

  test('refuses nothing by what it was: the conflict is told', async () => {
    await meanwhile('portal_user', target, { status: 0, row_version: version + 1 })
    // The name of an activated user is locked (M38).
    const answer = await put({ name: 'Another' })
    expect([answer.statusCode, answer.json().data.current]).toMatchObject([412, { status: 0 }])
  })

  test('refuses what it still forbids, once', async () => {
    const answer = await put({ name: 'Another' })
    expect([answer.statusCode, answer.json().errorCode]).toEqual([400, 'VALIDATION_ERROR'])
    expect(await trail()).toMatchObject([{ status: -1 }])
  })

  test('is not unchanged only because it was', async () => {
    await meanwhile('portal_user', target, { alert: true, row_version: version + 1 })
    expect((await put({ alert: false })).statusCode).toBe(412)
  })

  test('is not taken for the row of another time with the same number, as after a restored backup', async () => {
    await meanwhile('portal_user', target, { name: 'Restored', update_time: 5 })
    const answer = await put({ alert: true })
    expect([answer.statusCode, answer.json().name]).toEqual([200, 'Restored'])
  })

  test('has the name its company has by now', async () => {
    await meanwhile('company', server.world.companies.alpha ?? 0, { name: 'Alpha Renamed' })
    const answer = await put({ alert: true })
    expect([answer.statusCode, answer.json().company_name]).toEqual([200, 'Alpha Renamed'])
    expect(await trail()).toMatchObject([{ info: { CompanyName: 'Alpha Renamed' } }])
  })

  test('is nobody else’s', async () => {
    const other = await server.signIn('admin@beta')
    const answer = await other.send({
      method: 'PUT',
      url: `/api/m18s/company-user/${target}`,
      headers: { 'idempotency-key': randomUUID(), 'if-match': `"${version}"` },
      payload: { alert: true },
    })
    expect([answer.statusCode, answer.json().errorCode]).toEqual([404, 'USER_NOT_EXIST'])
  })
})
