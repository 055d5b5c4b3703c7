/** What stands in the audit trail, whoever did it and however it ended (contracts 3, D86). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { failureWindowMs, writeFailures } from '#server/use-cases/sessions/failed-sign-ins.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { grant, type SignedIn, startServer, type TestServer, usernameOf } from '#tests/support/server/server.ts'

onConnections('entries of the audit trail', (engine) => {
  let server: TestServer
  let admin: SignedIn
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
  })
  afterAll(() => server.close())

  const entries = () =>
    inTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const rows = await db.selectFrom('audit_entry').select('leaf').orderBy('id').execute()
      return rows
        .map(({ leaf }) => readLeaf(leaf))
        .filter(({ operation, status }) => operation !== 'login' || status === -1)
    })
  const write = (who: SignedIn, method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object, more = {}) =>
    who.send({ method, url, headers: { [headers.key]: crypto.randomUUID(), ...more }, ...(payload ? { payload } : {}) })
  const idOf = (who: string) => server.world.users[who] ?? 0

  it('fault 36M133a name whose sessions were ended, as every entry about a user names them', async () => {
    const second = await server.signIn('admin@alpha')
    expect((await second.send({ method: 'DELETE', url: '/api/m18s/sessions' })).statusCode).toBeLessThan(300)
    const [entry] = await entries()
    const { name, company_name: company } = (await second.send({ url: '/api/m18s/user' })).json()
    expect(entry).toMatchObject({
      code: 'user',
      info: { CompanyName: company, UserName: name, UserId: second.userId, Field: 'sessions' },
    })
  })

  it('say what a field was and what it is, and nothing of what is secret', async () => {
    const answer = await write(admin, 'PUT', `/api/m18s/company-user/${idOf('user@alpha')}`, {
      order: true,
      alert: true,
    })
    expect(answer.statusCode).toBe(200)
    const [entry] = await entries()
    expect(entry).toMatchObject({ code: 'user', operation: 'update', status: 0, user_id: admin.userId })
    expect(entry?.changes.map(({ field, after }) => [field, after])).toEqual([
      ['order', true],
      ['alert', true],
    ])
    expect(entry?.changes.map(({ before }) => before)).toEqual([false, false])
    const made = await write(admin, 'POST', '/api/m18s/user', {
      title: 2,
      name: 'New Person',
      email: 'new@alpha.example',
      admin: false,
      order: false,
      alert: false,
    })
    expect(made.statusCode).toBe(200)
    const all = await entries()
    const created = all.at(-1)
    expect(created?.changes).toContainEqual({ field: 'email', before: null, after: 'new@alpha.example' })
    expect(JSON.stringify(all)).not.toMatch(/password|seal_key|token/)
  })

  it('of a status say both', async () => {
    const id = idOf('user@alpha')
    expect((await write(admin, 'POST', `/api/users/disable/${id}`)).statusCode).toBe(200)
    expect((await entries())[0]).toMatchObject({
      operation: 'disable',
      changes: [{ field: 'status', before: expect.anything(), after: expect.anything() }],
    })
  })

  it.each([
    ['PUT', '/api/m18s/company/1', { name: 'x' }, 'company', 'update'],
    ['POST', '/api/users/disable/99999', undefined, 'user', 'disable'],
    ['DELETE', '/api/sorder/99999', undefined, 'order', 'delete'],
    ['PUT', '/api/pricelist', { id: 99_999 }, 'price', 'update'],
    ['DELETE', '/api/module/99999', undefined, 'module', 'delete'],
    ['POST', '/api/template/price/import', { md5: 'a'.repeat(32), effective_date: '2027-01-01' }, 'price', 'import'],
  ] as const)(
    'stand under the menu they were meant for when %s %s is refused',
    async (method, url, payload, code, operation) => {
      const staff = await server.signIn('delete@m18')
      const answer = await write(staff, method, url, payload)
      expect(answer.statusCode).toBeGreaterThanOrEqual(400)
      const { errorCode } = answer.json()
      expect((await entries()).filter(({ status }) => status === -1)).toEqual([
        expect.objectContaining({ code, operation, info: { path: url, problem: errorCode } }),
      ])
    },
  )

  describe('of failed sign-ins', () => {
    const fail = (username: string, password = 'wrong') =>
      grant(server.fastify, { grant_type: 'password', username, password })
    const failures = async () => (await entries()).filter(({ status }) => status === -1)

    it('are one for an account and a network in fifteen minutes, with their count, once that time is over', async () => {
      const start = server.clock.now
      for (const after of [0, 60_000, 120_000]) {
        server.clock.now = start + after
        expect((await fail(usernameOf('user@alpha'))).statusCode).toBe(401)
      }
      expect((await fail(usernameOf('user@beta'))).statusCode).toBe(401)
      server.clock.now = start + failureWindowMs - 1
      await writeFailures(server.app)
      expect(await failures()).toEqual([])
      server.clock.now = start + failureWindowMs
      await writeFailures(server.app)
      await writeFailures(server.app)
      const [alone, ...others] = await failures()
      expect(others).toEqual([])
      expect(alone).toMatchObject({
        company: server.world.companies.alpha,
        code: 'user',
        operation: 'login',
        user_id: null,
        user_name: '',
        info: {
          UserId: idOf('user@alpha'),
          Count: 3,
          From: '2026-03-02 10:00:00',
          To: '2026-03-02 10:02:00',
        },
      })
      server.clock.now = start + 2 * failureWindowMs
      await writeFailures(server.app)
      expect((await failures()).map(({ company }) => company)).toEqual([
        server.world.companies.alpha,
        server.world.companies.beta,
      ])
    })

    it('are none for accounts that do not exist, and one for who may not come in with the right password', async () => {
      await fail('alpha:nobody@alpha.example')
      await fail('nowhere:nobody@alpha.example')
      await fail(usernameOf('disabled@alpha'), 'Quiet-harbour-27')
      server.clock.now += failureWindowMs
      await writeFailures(server.app)
      expect(await failures()).toEqual([
        expect.objectContaining({ info: expect.objectContaining({ UserId: idOf('disabled@alpha'), Count: 1 }) }),
      ])
    })
  })
})
