/** Tests what the provider's staff may change under a consent that allows changes, and that nothing else takes effect (decision 116). */
import { beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import type { InjectOptions } from 'fastify'
import { endpoints } from '#contract/index.ts'
import { actingCalls } from '#contract/staff/acting-calls.ts'
import { isActingChange } from '#contract/staff/acting-changes.ts'
import { updateCompany } from '#contract/accounts.ts'
import { readOutcome, voidIntent } from '#server/commands/execute.ts'
import { authenticate } from '#server/http/authenticate.ts'
import { createUseCaseHandler } from '#server/http/route-handler.ts'
import { executeWriteRequest } from '#server/routes/writes/write-request.ts'
import { readJob } from '#server/use-cases/job-requests.ts'
import { update } from '#server/use-cases/accounts/companies.ts'
import { bypassPolicies, eachEngineByNight } from '#tests/support/server/database.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const hourMs = 3_600_000

eachEngineByNight('changes for a customer', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let giver: SignedIn
  let alpha: number
  let colleague: number
  let consentId: number
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
    giver = await fixture.server.signIn('second@alpha')
    alpha = fixture.server.world.companies.alpha
    colleague = fixture.server.world.users['user@alpha'] ?? 0
    consentId = await give(true)
    await send(staff, 'POST', `/api/customer/${alpha}/acting`)
  })

  type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
  const send = async (caller: SignedIn, method: Method, url: string, payload?: object, headers = {}) => {
    const response = await caller.send({
      method,
      url,
      ...(payload ? { payload } : {}),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    } as InjectOptions)
    return {
      status: response.statusCode,
      body: response.body === '' ? null : JSON.parse(response.body),
      headers: response.headers,
    }
  }
  const give = async (allowsChanges: boolean): Promise<number> => {
    const { body } = await send(giver, 'POST', '/api/m18s/consent', { hours: 2, allows_changes: allowsChanges })
    expect(body).toMatchObject({ state: 'valid', allows_changes: allowsChanges })
    return body.id
  }
  const revoke = () => send(giver, 'DELETE', `/api/m18s/consent/${consentId}`)
  const changeUser = (body: object, headers = {}) =>
    send(staff, 'PUT', `/api/m18s/company-user/${colleague}`, body, headers)
  const changeCompany = (body: object, headers = {}) => send(staff, 'PUT', `/api/m18s/company/${alpha}`, body, headers)
  const query = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await bypassPolicies(fixture.server.app.database, (db) => statement.execute(db))).rows
  const readWebsite = async () =>
    (await query(sql<{ website: string }>`select website from company where id = ${alpha}`))[0]?.website
  const toWebsite = (name: string) => `https://${name.replaceAll(' ', '-')}.example`
  const setUser = (id: number, set: ReturnType<typeof sql>) =>
    query(sql`update portal_user set ${set} where id = ${id}`)
  const readEntries = () =>
    query(sql<{ company_id: number; exec_user_id: number | null; actor: { user_id: number } | null; info: object }>`
      select company_id, exec_user_id, actor, info from audit_entry where info ? 'ConsentId' order by id`)

  test('Allowed changes take effect in the company of the customer, and its trail names the member and the consent', async () => {
    const user = await send(staff, 'GET', '/api/m18s/user')
    expect(user.body).toMatchObject({ acting_changes: true, company_id: alpha })
    expect((await changeUser({ alert: true })).body).toMatchObject({ id: colleague, alert: true, company_id: alpha })
    expect((await changeCompany({ tel: '+852-23456789', website: 'https://alpha.example' })).body.website).toBe(
      'https://alpha.example',
    )
    const staffName = (await query(sql<{ name: string }>`select name from portal_user where id = ${staff.userId}`))[0]
      ?.name
    const entry = {
      company_id: alpha,
      exec_user_id: null,
      actor: expect.objectContaining({ user_id: staff.userId }),
      info: expect.objectContaining({ StaffName: staffName, ConsentId: consentId }),
    }
    expect(await readEntries()).toEqual([entry, entry])
    const trail = await send(
      giver,
      'GET',
      `/api/systrail?companyId=${alpha}&searchText=${encodeURIComponent(staffName ?? '')}`,
    )
    expect(trail.body.data.filter(({ code }: { code: string }) => code === 'user')).toMatchObject([
      { by_provider: true, exec_user_id: null, changes: [{ field: 'alert', before: false, after: true }] },
    ])
    // The entries are the customer's: the provider's own trail has none of them.
    await send(staff, 'DELETE', '/api/m18s/acting')
    expect((await send(giver, 'GET', '/api/m18s/consent')).body[0]).toMatchObject({ allows_changes: true })
  })

  test('A change is repeated by its key without a second effect, and refused by an old version', async () => {
    const keyed = { 'idempotency-key': 'acting-change-1' }
    const first = await changeCompany({ website: 'https://kowloon.example' }, { ...keyed, 'if-match': '"1"' })
    expect([first.status, first.body.row_version]).toEqual([200, 2])
    const again = await changeCompany({ website: 'https://kowloon.example' }, { ...keyed, 'if-match': '"1"' })
    expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', first.body])
    expect((await changeCompany({ website: 'https://shatin.example' }, { 'if-match': '"1"' })).status).toBe(412)
    expect((await send(staff, 'GET', '/api/request/~acting-change-1')).body).toEqual(first.body)
    expect(await readWebsite()).toBe('https://kowloon.example')
    // The key belongs to this company: in the member's own company it is unknown.
    await send(staff, 'DELETE', '/api/m18s/acting')
    expect((await send(staff, 'GET', '/api/request/~acting-change-1')).body.errorCode).toBe('INTENT_UNKNOWN')
    // Without changes, a stored key opens nothing.
    await revoke()
    await give(false)
    await send(staff, 'POST', `/api/customer/${alpha}/acting`)
    for (const headers of [{ ...keyed, 'if-match': '"1"' }, {}])
      expect((await changeCompany({ website: 'https://kowloon.example' }, headers)).body.errorCode).toBe(
        'ACTING_READ_ONLY',
      )
    expect((await send(staff, 'GET', '/api/request/~acting-change-1')).body.errorCode).toBe('ACTING_READ_ONLY')
  })

  test('Refuses every other call, and a body with a field that is not allowed, also one that the call ignores', async () => {
    const refusals: [string, unknown][] = []
    // One after the other: more at once are refused because of their number.
    for (const { name, method, path } of endpoints) {
      if (actingCalls.has(name) || isActingChange(name) || name === 'grantToken') continue
      const response = await send(staff, method, path.replace(/:\w+/g, '1'), method === 'GET' ? undefined : {})
      refusals.push([name, response.body?.errorCode])
    }
    expect(refusals.filter(([, code]) => code !== 'ACTING_READ_ONLY')).toEqual([])
    expect(refusals.length).toBeGreaterThan(100)
    const bodies = [
      { admin: true },
      { admin: false },
      { order: true },
      { access_level: 1 },
      { email: 'x@alpha.example' },
    ]
    for (const body of [...bodies, ['alert'], { __proto__x: 1 }])
      expect([body, (await changeUser({ alert: true, ...body })).body.errorCode]).toEqual([body, 'ACTING_READ_ONLY'])
    for (const body of [
      { name: 'Evil' },
      { tax_number: '1' },
      { email: 'x@y.example' },
      { city: 'X' },
      { country: 'HK' },
      { addr1: 'X' },
    ])
      expect([body, (await changeCompany({ website: 'https://x.example', ...body })).body.errorCode]).toEqual([
        body,
        'ACTING_READ_ONLY',
      ])
    expect((await changeCompany({ website: '\u202E'.repeat(300) })).body.errorCode).toBe('VALIDATION_ERROR')
    const { beta, m18 } = fixture.server.world.companies
    for (const id of [beta, m18])
      expect((await send(staff, 'PUT', `/api/m18s/company/${id}`, { website: 'https://x.example' })).status).toBe(404)
    const outsider = fixture.server.world.users['second@beta'] ?? 0
    for (const id of [outsider, staff.userId])
      expect((await send(staff, 'PUT', `/api/m18s/company-user/${id}`, { alert: true })).body.errorCode).toBe(
        'USER_NOT_EXIST',
      )
    expect((await query(sql`select id from audit_entry where info ? 'ConsentId' and status = 0`)).length).toBe(0)
    expect(
      (await query(sql`select id from portal_user where alert and id in (${colleague}, ${outsider})`)).length,
    ).toBe(0)
  })

  test('Nothing takes effect after the consent has ended, and without the tick', async () => {
    const ends: Record<string, () => unknown> = {
      revoked: revoke,
      'its time is over': async () => {
        fixture.server.clock.now += 2 * hourMs
        await query(sql`update token set access_until = access_until + ${2 * hourMs}::bigint`)
      },
      'the giver is no admin': () => setUser(giver.userId, sql`admin = false`),
      'the member is no admin': () => setUser(staff.userId, sql`admin = false, access_level = 0`),
    }
    for (const [name, end] of Object.entries(ends)) {
      expect([
        name,
        (await changeCompany({ website: toWebsite(name) }, { 'idempotency-key': `before-${consentId}` })).status,
      ]).toEqual([name, 200])
      await end()
      for (const headers of [{}, { 'idempotency-key': `before-${consentId}` }, { 'x-acting': '9999999999999' }])
        expect([name, (await changeCompany({ website: 'https://late.example' }, headers)).body.errorCode]).toEqual([
          name,
          'ACTING_ENDED',
        ])
      expect(await readWebsite()).toBe(toWebsite(name))
      await send(staff, 'DELETE', '/api/m18s/acting')
      await setUser(giver.userId, sql`status = 1, admin = true`)
      await setUser(staff.userId, sql`admin = true`)
      ;[staff, giver] = [await fixture.server.signIn('admin@m18'), await fixture.server.signIn('second@alpha')]
      const [latest] = (await send(giver, 'GET', '/api/m18s/consent')).body
      if (latest.state === 'valid') await send(giver, 'DELETE', `/api/m18s/consent/${latest.id}`)
      consentId = await give(true)
      await send(staff, 'POST', `/api/customer/${alpha}/acting`)
    }
  })

  test('A change that was admitted before the end is refused in its own transaction, and nothing is stored', async () => {
    const principal = await authenticate(fixture.server.app, `Bearer ${staff.accessToken}`)
    const write = (key: string) =>
      executeWriteRequest(fixture.server.app, {
        handler: createUseCaseHandler(updateCompany, update),
        path: `/api/m18s/company/${alpha}`,
        headers: { 'idempotency-key': key },
        requestParts: {
          params: { id: String(alpha) },
          query: [],
          body: { kind: 'json', value: { website: 'https://late.example' } },
        },
        principal,
        predecessorIntent: null,
        requestId: 'raced',
      })
    await revoke()
    const { response } = await write('raced-1')
    expect([response.status, JSON.parse(response.body ?? '').errorCode]).toEqual([403, 'ACTING_ENDED'])
    expect(await readWebsite()).not.toBe('https://late.example')
    expect(await query(sql`select id from idempotency where key = 'raced-1'`)).toEqual([])
    expect(await readEntries()).toEqual([])
    // A session that has stopped, and acts under a new consent, is not the one that was admitted.
    consentId = await give(true)
    await send(staff, 'DELETE', '/api/m18s/acting')
    await send(staff, 'POST', `/api/customer/${alpha}/acting`)
    expect((await write('raced-2')).response.status).toBe(403)
    expect(await readWebsite()).not.toBe('https://late.example')
  })

  test('Another session of the member, and the own company after a stop, are not affected', async () => {
    const other = await fixture.server.signIn('admin@m18')
    const { m18 } = fixture.server.world.companies
    expect((await send(other, 'PUT', `/api/m18s/company/${alpha}`, { website: 'https://x.example' })).status).toBe(404)
    const forAlpha = { 'for-user': `${alpha}:${staff.userId}` }
    expect(
      (await changeCompany({ website: 'https://kowloon.example' }, { 'for-user': `${m18}:${staff.userId}` })).body
        .errorCode,
    ).toBe('WRONG_SESSION')
    expect((await changeCompany({ website: 'https://kowloon.example' }, forAlpha)).status).toBe(200)
    await send(staff, 'DELETE', '/api/m18s/acting')
    expect((await changeCompany({ website: 'https://shatin.example' }, forAlpha)).body.errorCode).toBe('WRONG_SESSION')
    expect((await changeCompany({ website: 'https://shatin.example' })).status).toBe(404)
    expect(await readWebsite()).toBe('https://kowloon.example')
  })

  test('Each start notifies the active admins of the customer once, with a mail unless they have switched it off', async () => {
    const listStarts = () =>
      query(sql<{ user_id: number; facts: object; company_id: number }>`
        select user_id, facts, company_id from notification where kind = 'acting-started' order by id`)
    const admins = await query(sql<{ id: number }>`
      select id from portal_user where company_id = ${alpha} and admin and status = 1 order by id`)
    const starts = await listStarts()
    expect(starts.map(({ user_id: id }) => id)).toEqual(admins.map(({ id }) => id))
    expect(admins.length).toBeGreaterThan(1)
    expect(starts[0]).toMatchObject({ company_id: alpha, facts: { scope: 'changes', until: expect.any(String) } })
    for (let i = 0; i < 3; i++) await send(staff, 'GET', '/api/m18s/user')
    expect(await listStarts()).toHaveLength(admins.length)
    const mails = () => query(sql`select id from job where kind = 'send-mail' and input ->> 'mail' like 'acting-%'`)
    expect(await mails()).toHaveLength(admins.length)

    const choice = { event: 'help', channel: 'mail', on: false }
    expect((await send(giver, 'PUT', '/api/m18s/notification/choice', choice)).status).toBe(200)
    await revoke()
    await send(staff, 'DELETE', '/api/m18s/acting')
    expect((await send(staff, 'PUT', '/api/m18s/notification/choice', choice)).body.errorCode).toBe('VALIDATION_ERROR')
    await give(false)
    await send(staff, 'POST', `/api/customer/${alpha}/acting`)
    const inbox = (await send(giver, 'GET', '/api/m18s/notification')).body.data
    expect(inbox.map(({ facts }: { facts: { scope: string } }) => facts.scope)).toEqual(['read', 'changes'])
    expect(inbox[0].facts.until).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d/)
    expect(await mails()).toHaveLength(2 * admins.length - 1)
  })

  test('Starts again and again cause one notification each, and one mail per member and consent in ten minutes', async () => {
    const count = async (statement: ReturnType<typeof sql>) => (await query(statement)).length
    const countMails = () =>
      count(sql`select id from job where kind = 'send-mail' and input ->> 'mail' like 'acting-%'`)
    const countInbox = () => count(sql`select id from notification where kind = 'acting-started'`)
    const [mails, notifications] = [await countMails(), await countInbox()]
    const restart = async () => {
      await send(staff, 'DELETE', '/api/m18s/acting')
      expect((await send(staff, 'POST', `/api/customer/${alpha}/acting`)).status).toBe(200)
    }
    await restart()
    await restart()
    expect([await countMails(), await countInbox()]).toEqual([mails, 3 * notifications])
    fixture.server.clock.now += 600_000
    await query(sql`update token set access_until = access_until + 600000`)
    await restart()
    expect(await countMails()).toBe(2 * mails)
  })

  test('The outcome of a write is not told after the end, also if the request was admitted before it', async () => {
    const keyed = { 'idempotency-key': 'told-1' }
    expect((await changeCompany({ website: 'https://told.example' }, keyed)).status).toBe(200)
    const { caller, sessionId } = await authenticate(fixture.server.app, `Bearer ${staff.accessToken}`)
    if (!caller) throw new Error('nobody is signed in')
    const { app } = fixture.server
    expect((await readOutcome(app, caller, 'told-1', 'en')).status).toBe(200)
    expect((await voidIntent(app, caller, 'told-1', 'en', sessionId)).status).toBe(200)
    await revoke()
    const ended = { code: 'ACTING_ENDED' }
    await expect(readOutcome(app, caller, 'told-1', 'en')).rejects.toMatchObject(ended)
    await expect(voidIntent(app, caller, 'untold-1', 'en', sessionId)).rejects.toMatchObject(ended)
    await expect(readJob(app, caller, '0'.repeat(32), 'en')).rejects.toMatchObject(ended)
    expect(await query(sql`select id from idempotency where intent = 'untold-1'`)).toEqual([])
  })
})
