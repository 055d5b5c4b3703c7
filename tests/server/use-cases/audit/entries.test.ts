/** Tests the content of audit entries for every kind of caller and outcome (contracts 3, D86). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { failureWindowMs, writeFailedSignIns } from '#server/use-cases/sessions/failed-sign-ins.ts'
import { onConnections } from '#tests/support/server/database.ts'
import {
  requestToken,
  type SignedIn,
  startServer,
  type TestServer,
  buildUsername,
} from '#tests/support/server/server.ts'

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

  const readEntries = () =>
    runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const rows = await db.selectFrom('audit_entry').select('leaf').orderBy('id').execute()
      return rows
        .map(({ leaf }) => readLeaf(leaf))
        .filter(({ operation, status }) => operation !== 'login' || status === -1)
    })
  const write = (
    caller: SignedIn,
    method: 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    extraHeaders = {},
  ) =>
    caller.send({
      method,
      url,
      headers: { [headers.key]: crypto.randomUUID(), ...extraHeaders },
      ...(payload ? { payload } : {}),
    })
  const getUserId = (userName: string) => server.world.users[userName] ?? 0

  it('An entry about ended sessions names the user like every other entry (fault 36M133a)', async () => {
    const second = await server.signIn('admin@alpha')
    expect((await second.send({ method: 'DELETE', url: '/api/m18s/sessions' })).statusCode).toBeLessThan(300)
    const [entry] = await readEntries()
    const { name, company_name: company } = (await second.send({ url: '/api/m18s/user' })).json()
    expect(entry).toMatchObject({
      code: 'user',
      info: { CompanyName: company, UserName: name, UserId: second.userId, Field: 'sessions' },
    })
  })

  it('An entry has the values before and after a change, but no secrets', async () => {
    const response = await write(admin, 'PUT', `/api/m18s/company-user/${getUserId('user@alpha')}`, {
      order: true,
      alert: true,
    })
    expect(response.statusCode).toBe(200)
    const [entry] = await readEntries()
    expect(entry).toMatchObject({ code: 'user', operation: 'update', status: 0, user_id: admin.userId })
    expect(entry?.changes.map(({ field, after }) => [field, after])).toEqual([
      ['order', true],
      ['alert', true],
    ])
    expect(entry?.changes.map(({ before }) => before)).toEqual([false, false])
    const createResponse = await write(admin, 'POST', '/api/m18s/user', {
      title: 2,
      name: 'New Person',
      email: 'new@alpha.example',
      admin: false,
      order: false,
      alert: false,
    })
    expect(createResponse.statusCode).toBe(200)
    const allEntries = await readEntries()
    const createdEntry = allEntries.at(-1)
    expect(createdEntry?.changes).toContainEqual({ field: 'email', before: null, after: 'new@alpha.example' })
    expect(JSON.stringify(allEntries)).not.toMatch(/password|seal_key|token/)
  })

  it('An entry of a status change has both states', async () => {
    const id = getUserId('user@alpha')
    expect((await write(admin, 'POST', `/api/users/disable/${id}`)).statusCode).toBe(200)
    expect((await readEntries())[0]).toMatchObject({
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
    'A refused %s %s is recorded under the menu of its endpoint',
    async (method, url, payload, code, operation) => {
      const staff = await server.signIn('delete@m18')
      const response = await write(staff, method, url, payload)
      expect(response.statusCode).toBeGreaterThanOrEqual(400)
      const { errorCode } = response.json()
      expect((await readEntries()).filter(({ status }) => status === -1)).toEqual([
        expect.objectContaining({ code, operation, info: { path: url, problem: errorCode } }),
      ])
    },
  )

  describe('failed sign-ins', () => {
    const failSignIn = (username: string, password = 'wrong') =>
      requestToken(server.fastify, { grant_type: 'password', username, password })
    const readFailures = async () => (await readEntries()).filter(({ status }) => status === -1)

    it('are combined per account and network for 15 minutes, with their count', async () => {
      const startedAt = server.clock.now
      for (const delayMs of [0, 60_000, 120_000]) {
        server.clock.now = startedAt + delayMs
        expect((await failSignIn(buildUsername('user@alpha'))).statusCode).toBe(401)
      }
      expect((await failSignIn(buildUsername('user@beta'))).statusCode).toBe(401)
      server.clock.now = startedAt + failureWindowMs - 1
      await writeFailedSignIns(server.app)
      expect(await readFailures()).toEqual([])
      server.clock.now = startedAt + failureWindowMs
      await writeFailedSignIns(server.app)
      await writeFailedSignIns(server.app)
      const [failure, ...otherFailures] = await readFailures()
      expect(otherFailures).toEqual([])
      expect(failure).toMatchObject({
        company: server.world.companies.alpha,
        code: 'user',
        operation: 'login',
        user_id: null,
        user_name: '',
        info: {
          UserId: getUserId('user@alpha'),
          Count: 3,
          From: '2026-03-02 10:00:00',
          To: '2026-03-02 10:02:00',
        },
      })
      server.clock.now = startedAt + 2 * failureWindowMs
      await writeFailedSignIns(server.app)
      expect((await readFailures()).map(({ company }) => company)).toEqual([
        server.world.companies.alpha,
        server.world.companies.beta,
      ])
    })

    it('are not recorded for unknown accounts, but are for disabled accounts with the right password', async () => {
      await failSignIn('alpha:nobody@alpha.example')
      await failSignIn('nowhere:nobody@alpha.example')
      await failSignIn(buildUsername('disabled@alpha'), 'Quiet-harbour-27')
      server.clock.now += failureWindowMs
      await writeFailedSignIns(server.app)
      expect(await readFailures()).toEqual([
        expect.objectContaining({ info: expect.objectContaining({ UserId: getUserId('disabled@alpha'), Count: 1 }) }),
      ])
    })
  })
})
