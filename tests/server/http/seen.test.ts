/** Who was seen before is asked for within the write itself, and never believed (S-44, S-52). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { headers } from '#contract/headers.ts'
import { inScope } from '#server/db/scope.ts'
import { eachEngine, pastPolicies } from '#tests/support/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server.ts'

eachEngine('a caller who was seen before', (engine) => {
  let server: TestServer
  let admin: SignedIn
  let target: number
  beforeAll(async () => {
    server = await startServer({ engine })
  }, 120_000)
  afterAll(() => server.close())
  beforeEach(async () => {
    await server.reset()
    admin = await server.signIn('admin@alpha')
    target = server.world.users['user@alpha'] ?? 0
    expect((await write(true)).statusCode).toBe(200)
    expect((await list()).statusCode).toBe(200)
  })

  const write = (alert: boolean, payload: unknown = { alert }) =>
    admin.send({
      method: 'PUT',
      url: `/api/m18s/company-user/${target}`,
      headers: { 'idempotency-key': randomUUID(), 'content-type': 'application/json' },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })
  const list = () => admin.send({ method: 'GET', url: `/api/m18s/company/${server.world.companies.alpha}/users` })
  const meanwhile = (what: Record<string, unknown>) =>
    inScope(server.house, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set(what).where('id', '=', admin.userId).execute(),
    )
  const endSession = () =>
    inScope(server.house, { role: 'portal_system' }, (db) =>
      db.updateTable('session').set({ ended: 1, ended_why: 'logout' }).where('user_id', '=', admin.userId).execute(),
    )
  const written = () =>
    inScope(server.house, { role: 'portal_system' }, async (db) => ({
      alert: (await db.selectFrom('portal_user').select('alert').where('id', '=', target).executeTakeFirstOrThrow())
        .alert,
      keys: (await db.selectFrom('ledger').select('id').where('state', '=', 'done').execute()).length,
    }))

  const changes: [string, () => Promise<unknown>, number][] = [
    ['whose session was ended', endSession, 401],
    ['who was disabled', () => meanwhile({ status: -1 }), 401],
    ['who was deleted', () => meanwhile({ status: -2 }), 401],
    ['whose token ran out', async () => (server.clock.now += 24 * 3_600_000), 401],
    ['who is no admin any more', () => meanwhile({ admin: false }), 403],
  ]
  test.each(changes)('%s is refused with the next call, and nothing of it is done', async (_, change, status) => {
    const before = await written()
    await change()
    // Both are on their way before either has looked anything up.
    const answers = await Promise.all([write(false), list()])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([status, status])
    expect(await written()).toEqual(before)
  })

  test('learns nothing about what it sends once the session has ended', async () => {
    const known = await write(false)
    expect(known.headers[headers.subject]).toBeDefined()
    await endSession()
    for (const answer of await Promise.all([write(false, { alert: 'yes' }), write(false, '{')])) {
      expect([answer.statusCode, answer.json().errorCode]).toEqual([401, 'UNAUTHORIZED'])
      expect(answer.headers[headers.subject]).toBeUndefined()
      expect(answer.headers['idempotency-outcome']).toBeUndefined()
    }
  })

  test('may with the next call what was just granted', async () => {
    await meanwhile({ admin: false })
    expect((await write(false)).statusCode).toBe(403)
    await meanwhile({ admin: true })
    expect((await list()).statusCode).toBe(200)
    expect((await write(false)).statusCode).toBe(200)
  })

  test('is told a refusal that is theirs, once and not as a repeat', async () => {
    const stale = await admin.send({
      method: 'PUT',
      url: `/api/m18s/company-user/${target}`,
      headers: { 'idempotency-key': randomUUID(), 'if-match': '"1"' },
      payload: { alert: false },
    })
    expect([stale.statusCode, stale.headers['idempotency-replayed']]).toEqual([412, undefined])
    expect(stale.headers['idempotency-outcome']).toMatch(/^refused; \d+$/)
  })

  test('costs no question of its own', async () => {
    const rename = (from: string, to: string) =>
      pastPolicies(server.house.database, (db) =>
        sql`alter function ${sql.raw(from)}(text) rename to ${sql.raw(to)}`.execute(db),
      )
    await rename('holder_of_access', 'holder_in_hiding')
    const answers = [await write(false), await list()].map(({ statusCode }) => statusCode)
    await rename('holder_in_hiding', 'holder_of_access')
    expect(answers).toEqual([200, 200])
  })
})
