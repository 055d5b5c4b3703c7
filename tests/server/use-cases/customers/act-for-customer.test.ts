/** Tests consents, and the provider's staff acting for a customer: what they may call, and that the end of a consent acts at once (decision 111). */
import { beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import type { InjectOptions } from 'fastify'
import { endpoints } from '#contract/index.ts'
import { actingCalls } from '#contract/staff/acting-calls.ts'
import { recordEndedConsents } from '#server/use-cases/customers/acting-consents.ts'
import { bypassPolicies, eachEngineByNight } from '#tests/support/server/database.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import { basicAuthorization, type SignedIn } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

const hourMs = 3_600_000
const formType = 'application/x-www-form-urlencoded'

eachEngineByNight('acting for a customer', (engine) => {
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let giver: SignedIn
  let alpha: number
  beforeEach(async () => {
    staff = await fixture.server.signIn('admin@m18')
    giver = await fixture.server.signIn('second@alpha')
    alpha = fixture.server.world.companies.alpha
  })

  const call = async (caller: SignedIn, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const response = await caller.send({ method, url, ...(payload ? { payload } : {}) } as InjectOptions)
    return {
      status: response.statusCode,
      body: response.body === '' ? null : JSON.parse(response.body),
      headers: response.headers,
    }
  }
  const give = (payload: object = { hours: 2 }, caller = giver) => call(caller, 'POST', '/api/m18s/consent', payload)
  const start = (caller = staff, companyId = alpha) => call(caller, 'POST', `/api/customer/${companyId}/acting`)
  const stop = (caller = staff) => call(caller, 'DELETE', '/api/m18s/acting')
  const revoke = (id: number, caller = giver) => call(caller, 'DELETE', `/api/m18s/consent/${id}`)
  const listConsents = async (caller = giver) => (await call(caller, 'GET', '/api/m18s/consent')).body
  const readUser = (caller = staff) => call(caller, 'GET', '/api/m18s/user')
  /** Lets time pass without the end of the access tokens. */
  const pass = async (ms: number) => {
    fixture.server.clock.now += ms
    await bypassPolicies(fixture.server.app.database, (db) =>
      sql`update token set access_until = access_until + ${ms}::bigint`.execute(db),
    )
  }
  const readMarks = async () => {
    const { rows } = await bypassPolicies(fixture.server.app.database, (db) =>
      sql<{
        mark: string
        info: Record<string, unknown>
        exec_user_id: number | null
        actor: { user_name: string } | null
      }>`
        select info ->> 'Help' as mark, info, exec_user_id, actor from audit_entry
        where company_id = ${alpha} and info ? 'Help' order by id`.execute(db),
    )
    return rows
  }

  test('An admin gives a consent, a member of the staff acts under it and stops, and the trail names both', async () => {
    expect((await start()).body).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'noConsent' } })
    const consent = (await give({ hours: 2, reason: '  Prices look wrong ' })).body
    expect(consent).toMatchObject({ state: 'valid', reason: 'Prices look wrong', uses: [], end_time: null })
    const customerUrl = `/api/customer/${alpha}/consent`
    expect((await call(staff, 'GET', customerUrl)).body.consent).toMatchObject({ until: consent.until })

    const started = await start()
    const subject = `${alpha}:${staff.userId}`
    expect(started).toMatchObject({ status: 200, headers: { 'x-subject': subject }, body: { until: consent.until } })
    const until = Number(started.headers['x-acting'])
    expect(until - fixture.server.clock.now).toBe(2 * hourMs)

    const user = await readUser()
    expect(user.headers).toMatchObject({ 'x-subject': subject, 'x-acting': String(until) })
    expect(user.body).toMatchObject({ id: staff.userId, company_id: alpha, admin: true, order: true, access_level: 0 })
    expect(user.body).toMatchObject({ seal_key: null, session_seal_key: null })
    expect(user.body.acting_until).toBe(consent.until)
    expect((await call(staff, 'GET', `/api/company/${alpha}/sorder`)).status).toBe(200)
    const users = await call(staff, 'GET', `/api/m18s/company/${alpha}/users`)
    expect(JSON.stringify(users.body)).toContain(canaries.alpha)
    // The rights of the staff are gone: not even the list of customers can be read.
    expect((await call(staff, 'GET', '/api/customer')).body.errorCode).toBe('ACTING_READ_ONLY')
    expect((await call(staff, 'GET', `/api/m18s/company/${fixture.server.world.companies.beta}/users`)).status).toBe(
      404,
    )
    expect((await call(staff, 'GET', '/api/m18s/settings')).body.payment).toMatchObject({ types: [], alipay: false })

    await pass(60_000)
    expect(await stop()).toMatchObject({
      status: 204,
      headers: { 'x-subject': `${fixture.server.world.companies.m18}:${staff.userId}` },
    })
    expect(await stop()).toMatchObject({ status: 204 })
    expect((await readUser()).body).toMatchObject({ company_id: fixture.server.world.companies.m18 })
    const [listed] = await listConsents()
    expect(listed).toMatchObject({ state: 'valid', uses: [{ end_time: expect.stringContaining('2026') }] })
    expect(listed.uses[0].user_name).toContain('admin')

    const marks = await readMarks()
    expect(marks.map(({ mark }) => mark)).toEqual(['given', 'started', 'stopped'])
    expect(marks[0]).toMatchObject({ exec_user_id: giver.userId, actor: null, info: { Hours: 2 } })
    expect(marks[1]).toMatchObject({ exec_user_id: null, info: { StaffName: listed.uses[0].user_name } })
    expect(marks[1]?.actor?.user_name).toBe(listed.uses[0].user_name)
  })

  test('A use ends with its own session, also by a sign-out, and not with other sessions of the member', async () => {
    await give()
    const [second, third] = [await fixture.server.signIn('admin@m18'), await fixture.server.signIn('admin@m18')]
    for (const session of [staff, second, third]) expect((await start(session)).status).toBe(200)
    const listEnds = async () =>
      (await listConsents())[0].uses.map(({ end_time: end }: { end_time: string | null }) => end !== null)
    await pass(60_000)
    await stop(second)
    // The latest use is the first.
    expect(await listEnds()).toEqual([false, true, false])
    expect((await call(staff, 'POST', '/api/m18s/logout')).status).toBe(204)
    expect(await listEnds()).toEqual([false, true, true])
    expect((await readMarks()).map(({ mark }) => mark).slice(-2)).toEqual(['stopped', 'stopped'])
    // An end in a transaction of the member's company.
    const colleague = await fixture.server.signIn('admin@m18')
    expect((await call(colleague, 'DELETE', '/api/m18s/sessions')).status).toBe(204)
    expect(await listEnds()).toEqual([true, true, true])
  })

  test('Refuses every call that is not on the list of reads, among them each write and payment', async () => {
    await give()
    await start()
    const refusals = await Promise.all(
      endpoints
        .filter(({ name }) => !actingCalls.has(name) && name !== 'grantToken')
        .map(async ({ name, method, path }) => {
          const url = path.replace(/:\w+/g, '1')
          const response = await staff.send({ method, url, ...(method === 'GET' ? {} : { payload: {} }) })
          return [name, response.json().errorCode]
        }),
    )
    expect(refusals.filter(([, code]) => code !== 'ACTING_READ_ONLY')).toEqual([])
    expect(refusals.length).toBeGreaterThan(100)
    const allowed = endpoints.filter(({ name }) => actingCalls.has(name))
    expect(allowed.filter(({ method, name }) => method !== 'GET' && !['stopActing', 'signOut'].includes(name))).toEqual(
      [],
    )
    expect(allowed.map(({ name }) => name).toSorted()).toEqual([...actingCalls].toSorted())
    expect(allowed.filter(({ path }) => /payment|print|calendar|mfa|password|export|log\b/.test(path))).toEqual([])
    const { rows } = await bypassPolicies(fixture.server.app.database, (db) =>
      sql`select id from idempotency where user_id = ${staff.userId}`.execute(db),
    )
    expect(rows).toEqual([])
  })

  test('The end of a consent acts with the next request, until the session stops acting', async () => {
    const ends: Record<string, (id: number) => unknown> = {
      revoked: (id) => revoke(id),
      'its time is over': () => pass(2 * hourMs),
      'the giver is disabled': () => setUser(giver.userId, sql`status = -1`),
      'the giver is no admin': () => setUser(giver.userId, sql`admin = false`),
      'the member is no admin': () => setUser(staff.userId, sql`admin = false`),
    }
    for (const [name, end] of Object.entries(ends)) {
      const { id } = (await give()).body
      expect([name, (await start()).status]).toEqual([name, 200])
      await end(id)
      for (const refused of [await readUser(), await start(), await call(staff, 'POST', '/api/m18s/user', {})])
        expect([name, refused.status, refused.body.errorCode]).toEqual([name, 403, 'ACTING_ENDED'])
      expect([name, (await stop()).status]).toEqual([name, 204])
      expect((await readUser()).body.company_id).toBe(fixture.server.world.companies.m18)
      await setUser(giver.userId, sql`status = 1, admin = true`)
      await setUser(staff.userId, sql`admin = true`)
      const open = (await listConsents()).find(({ state }: { state: string }) => state === 'valid')
      if (open) await revoke(open.id)
      ;[staff, giver] = [await fixture.server.signIn('admin@m18'), await fixture.server.signIn('second@alpha')]
    }
  })

  const setUser = (id: number, set: ReturnType<typeof sql>) =>
    bypassPolicies(fixture.server.app.database, (db) => sql`update portal_user set ${set} where id = ${id}`.execute(db))

  test('A consent of another company, two at once, and odd values are refused', async () => {
    const [first, second] = await Promise.all([give(), give({ hours: 24 }, await fixture.server.signIn('admin@alpha'))])
    const [accepted, refused] = first.status === 200 ? [first, second] : [second, first]
    expect(accepted.status).toBe(200)
    expect(refused.body).toMatchObject({ errorCode: 'STATE_CONFLICT', data: { why: 'hasConsent' } })
    const { beta, m18 } = fixture.server.world.companies
    expect((await start(staff, beta)).status).toBe(409)
    for (const id of [m18, 2_000_000_000]) expect((await start(staff, id)).status).toBe(404)
    for (const name of ['user@m18', 'order@m18', 'admin@alpha'])
      expect((await start(await fixture.server.signIn(name))).body.errorCode).toBe('FORBIDDEN')
    const outsider = await fixture.server.signIn('second@beta')
    expect((await revoke(accepted.body.id, outsider)).status).toBe(404)
    expect(await listConsents(outsider)).toEqual([])
    expect((await give({}, staff)).body.data).toEqual({ why: 'isProvider' })
    expect((await give({}, await fixture.server.signIn('user@alpha'))).body.errorCode).toBe('FORBIDDEN')
    expect((await revoke(accepted.body.id)).body.state).toBe('revoked')
    expect((await revoke(accepted.body.id)).body.state).toBe('revoked')
    for (const payload of [{ hours: 0 }, { hours: 25 }, { hours: 1.5 }, { hours: '4' }, { reason: 'x'.repeat(201) }])
      expect((await give(payload)).body.errorCode).toBe('VALIDATION_ERROR')
    expect((await give({ reason: 'a\u202Eb' })).status).toBe(400)
    expect((await give({})).body.state).toBe('valid')
  })

  test('Writes that were meant for the other subject, and keys that are used again, have no effect', async () => {
    const own = `${fixture.server.world.companies.m18}:${staff.userId}`
    const actingSubject = `${alpha}:${staff.userId}`
    const write = (forUser: string) =>
      staff.send({
        method: 'POST',
        url: '/api/m18s/user',
        headers: { 'for-user': forUser, 'idempotency-key': 'acting-key-1' },
        payload: {
          title: 0,
          name: 'Walker',
          email: 'walker@m18.example',
          admin: false,
          order: false,
          alert: false,
          access_level: 0,
        },
      })
    const created = await write(own)
    expect(created.statusCode).toBe(200)
    await give()
    await start()
    expect((await write(own)).json().errorCode).toBe('WRONG_SESSION')
    expect((await write(actingSubject)).json().errorCode).toBe('ACTING_READ_ONLY')
    await stop()
    expect((await write(actingSubject)).json().errorCode).toBe('WRONG_SESSION')
    expect((await write(own)).headers['idempotency-replayed']).toBeDefined()
    // Another session of the same user is not affected.
    await start()
    expect((await readUser(await fixture.server.signIn('admin@m18'))).body.company_id).toBe(
      fixture.server.world.companies.m18,
    )
  })

  test('A session is renewed while it acts, and after the end of the consent', async () => {
    await give({ hours: 1 })
    await start()
    const subjects = [`${alpha}:${staff.userId}`, `${fixture.server.world.companies.m18}:${staff.userId}`]
    const renew = async (refresh: string, forUser: string) => {
      const payload = `grant_type=refresh_token&refresh_token=${refresh}`
      const headers = {
        authorization: basicAuthorization,
        'content-type': formType,
        'for-user': forUser,
        'x-token-store': 'body',
      }
      return fixture.server.send({ method: 'POST', url: '/api/m18s/token', headers, payload })
    }
    const wrong = await renew(staff.refresh, `${fixture.server.world.companies.beta}:${staff.userId}`)
    expect(wrong.json().errorCode).toBe('WRONG_SESSION')
    let { refresh } = staff
    for (const subject of [...subjects, ...subjects]) {
      const response = await renew(refresh, subject)
      expect([subject, response.statusCode]).toEqual([subject, 200])
      refresh = response.json().refresh_token
      fixture.server.clock.now += hourMs / 2
    }
  })

  test('The job records expired consents once, and a new one can be given', async () => {
    await give({ hours: 1 })
    await start()
    await recordEndedConsents(fixture.server.app)
    await pass(hourMs)
    expect((await listConsents())[0].state).toBe('expired')
    await recordEndedConsents(fixture.server.app)
    await recordEndedConsents(fixture.server.app)
    expect((await give()).body.state).toBe('valid')
    await pass(2 * hourMs)
    // Without the job, the next consent records the end of the former.
    expect((await give()).body.state).toBe('valid')
    const marks = (await readMarks()).map(({ mark }) => mark)
    expect(marks).toEqual(['given', 'started', 'expired', 'given', 'expired', 'given'])
  })
})
