import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { inTransaction } from '#server/db/transaction.ts'
import { told } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries } from '#tests/support/server/world.ts'

let server: TestServer
let admin: SignedIn
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.reset()
  admin = await server.signIn('admin@alpha')
})

const idOf = (who: string) => server.world.users[who] ?? 0
const listUrl = (query = '') => `/api/m18s/company/${server.world.companies.alpha}/users${query}`
const rowOf = async (who: string) => (await admin.send({ url: `/api/m18s/user?userId=${idOf(who)}` })).json()
const put = (who: string, payload: object, headers: Record<string, string> = {}) =>
  admin.send({ method: 'PUT', url: `/api/m18s/company-user/${idOf(who)}`, payload, headers })
const move = (step: 'enable' | 'disable', who: string, by = admin) =>
  by.send({ method: 'POST', url: `/api/users/${step}/${idOf(who)}` })
const remove = (who: string, headers: Record<string, string> = {}) =>
  admin.send({ method: 'DELETE', url: `/api/m18s/user/${idOf(who)}`, headers })
const create = (payload: object, by = admin, headers: Record<string, string> = {}) =>
  by.send({ method: 'POST', url: '/api/m18s/user', payload, headers })
const trail = (operation: string) =>
  inTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('audit_entry')
      .selectAll()
      .where('operation', '=', operation)
      .where('code', '=', 'user')
      .orderBy('id')
      .execute(),
  )

describe('the list', () => {
  test('shows the own company page by page, without the deleted ones (M36, M45)', async () => {
    const answer = await admin.send({ url: listUrl('?results=3&page=2&sortField=email&sortOrder=descend') })
    const { count, data } = answer.json()
    expect(count).toBe(7)
    expect(data.map((row: { email: string }) => row.email)).toEqual([
      'order@alpha.example',
      'invited@alpha.example',
      'disabled@alpha.example',
    ])
    expect(answer.headers['x-as-of']).toBe(String(server.clock.now))
    expect(answer.headers['x-subject']).toBe(`${server.world.companies.alpha}:${admin.userId}`)
  })

  test('filters by status and text, and includes deleted ones on request (D91)', async () => {
    const emails = async (query: string) =>
      (await admin.send({ url: listUrl(`?results=50&${query}`) }))
        .json()
        .data.map((row: { email: string }) => row.email)
    expect(await emails('statusType=-1')).toEqual(['disabled@alpha.example'])
    expect(await emails('statusType=-2')).toEqual(['deleted@alpha.example'])
    expect(await emails('includedDel=true')).toHaveLength(8)
    expect(await emails('statusType=&searchText=ORDER')).toEqual(['order@alpha.example'])
    expect(await emails('searchText=%25')).toEqual([])
  })

  test('of another company is not there, for whoever asks (N-03)', async () => {
    for (const who of ['admin@alpha', 'admin@m18', 'delete@m18']) {
      const by = await server.signIn(who)
      const foreign = await by.send({ url: `/api/m18s/company/${server.world.companies.beta}/users` })
      const missing = await by.send({ url: '/api/m18s/company/999999/users' })
      expect(told(foreign)).toEqual([404, 'NOT_FOUND'])
      expect(foreign.body).toBe(missing.body)
    }
  })

  test('tells what changed since a number, and no more (protocol 34)', async () => {
    const first = await admin.send({ url: listUrl() })
    const since = String(first.headers['x-change'])
    await put('invited@alpha', { title: 2 })
    const later = await admin.send({ url: listUrl(`?since=${since}`) })
    const { changed, gone, upto } = later.json()
    expect(changed.map((row: { id: number }) => row.id)).toEqual([idOf('invited@alpha')])
    expect([gone, upto > Number(since)]).toEqual([[], true])
    expect(later.headers['x-change']).toBe(String(upto))
    expect(told(await admin.send({ url: listUrl('?since=999999') }))).toEqual([410, 'GONE'])
  })

  test('comes whole as a stream that says where it ends', async () => {
    const accept = { accept: 'application/x-ndjson' }
    const answer = await admin.send({ url: listUrl('?since='), headers: accept })
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const lines = answer.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(9)
    expect(lines.at(-1)).toEqual({ upto: Number(answer.headers['x-change']), count: 8 })
    expect(answer.body).not.toContain('seal_key')
    await put('invited@alpha', { title: 1 })
    const more = await admin.send({ url: listUrl(`?since=${lines.at(-1).upto}`), headers: accept })
    expect(more.body.trim().split('\n')).toHaveLength(2)
  })

  test('shows nothing of another company whatever is asked of it (N-01, N-07)', async () => {
    for (const query of ['includedDel=true', 'searchText=BETA', 'sortField=id&sortOrder=desc', 'since=']) {
      const { body } = await admin.send({ url: listUrl(`?${query}`) })
      expect(body).not.toContain(canaries.beta)
      expect(body).not.toContain(canaries.m18)
    }
  })
})

describe('inviting', () => {
  const newcomer = { title: 1, name: ' Zoë Chan ', email: 'Zoe@alpha.example' }

  test('makes a user who is not activated yet, in the own company, with a version and a trail (M37)', async () => {
    const answer = await create({ ...newcomer, order: true })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers.etag).toBe('"1"')
    expect(answer.json()).toMatchObject({
      name: 'Zoë Chan',
      email: 'Zoe@alpha.example',
      status: 0,
      admin: false,
      order: true,
      alert: false,
      access_level: 0,
      company_code: 'alpha',
      row_version: 1,
      create_time: '2026-03-02 10:00:00',
    })
    expect(await trail('create')).toMatchObject([{ exec_user_id: admin.userId, status: 0 }])
  })

  test('the same e-mail twice is refused, however it is written; a deleted user’s may be used again (D72, D73, S-14)', async () => {
    expect(told(await create({ ...newcomer, email: 'USER@ALPHA.example' }))).toEqual([409, 'DUP_USER'])
    expect((await create({ ...newcomer, email: 'deleted@alpha.example' })).statusCode).toBe(200)
    expect((await create({ ...newcomer, email: 'user@beta.example' })).statusCode).toBe(200)
  })

  test('fifty at once with one e-mail are one user and forty-nine clean refusals (S-20)', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(newcomer)))
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.json().errorCode === 'DUP_USER')).toHaveLength(49)
  })

  test('says of each field what is wrong with it, in the reader’s language (M51)', async () => {
    const answer = await create({ title: 9, email: 'no mail' })
    expect(answer.json()).toMatchObject({
      errorCode: 'VALIDATION_ERROR',
      data: [
        { field: 'title', code: 'INVALID_FORMAT' },
        { field: 'name', code: 'REQUIRED', message: 'Please input "name" as it\'s required.' },
      ],
    })
    const email = await create({ ...newcomer, email: 'no mail' }, admin, { 'accept-language': 'zh-HK,en;q=0.5' })
    expect(email.json().data).toMatchObject([{ field: 'email', code: 'INVALID_EMAIL' }])
    expect(email.json().data[0].message).toMatch(/\p{Script=Han}/u)
  })

  test('what is not a field of the form changes nothing (S-15)', async () => {
    const more = { status: 1, company_id: server.world.companies.beta, row_version: 9, id: 1, seal_key: 'mine' }
    const { id, ...row } = (await create({ ...newcomer, ...more })).json()
    expect(row).toMatchObject({ status: 0, company_code: 'alpha', row_version: 1 })
    expect(id).not.toBe(1)
  })

  test('an access level is given by the delete level alone, and to the provider’s users alone (D48, S-51)', async () => {
    const level = { ...newcomer, access_level: 1 }
    expect(told(await create(level))).toEqual([403, 'FORBIDDEN'])
    expect(told(await create(level, await server.signIn('admin@m18')))).toEqual([403, 'FORBIDDEN'])
    expect((await create(level, await server.signIn('delete@m18'))).json().access_level).toBe(1)
  })
})

describe('changing', () => {
  test('an invited user can be renamed, an activated one cannot; flags of both can be set (M38, M42, S-51)', async () => {
    expect((await put('invited@alpha', { name: 'New name', title: 2, alert: true })).json()).toMatchObject({
      name: 'New name',
      title: 2,
      alert: true,
      row_version: 2,
    })
    const locked = await put('user@alpha', { name: 'New name', title: 2, order: true })
    expect(locked.json().data).toMatchObject([
      { field: 'title', code: 'LOCKED' },
      { field: 'name', code: 'LOCKED' },
    ])
    expect((await put('user@alpha', { order: true })).json().order).toBe(true)
  })

  test('a locked field with the value it has is no change', async () => {
    const { name, title } = await rowOf('user@alpha')
    const answer = await put('user@alpha', { name, title, alert: true })
    expect(answer.json()).toMatchObject({ alert: true, row_version: 2 })
  })

  test('of oneself, name, title and admin are locked', async () => {
    const answer = await put('admin@alpha', { name: 'Me', title: 2, admin: false, alert: true })
    expect(answer.json().data.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)).toEqual([
      'title LOCKED',
      'name LOCKED',
      'admin LOCKED',
    ])
    expect((await put('admin@alpha', { alert: true, order: true })).statusCode).toBe(200)
  })

  test('of a deleted user everything is locked', async () => {
    expect((await put('deleted@alpha', { alert: true })).json().data).toMatchObject([
      { field: 'alert', code: 'LOCKED' },
    ])
  })

  test('nothing changed is no new version', async () => {
    const answer = await put('user@alpha', { alert: false })
    expect([answer.statusCode, answer.json().row_version]).toEqual([200, 1])
    expect(await trail('update')).toEqual([])
  })

  test('over another’s change it is refused, with the row as it is now (protocol 14)', async () => {
    const { row_version } = await rowOf('invited@alpha')
    expect((await put('invited@alpha', { name: 'First' }, { 'if-match': `"${row_version}"` })).statusCode).toBe(200)
    const second = await put('invited@alpha', { name: 'Second' }, { 'if-match': `"${row_version}"` })
    expect(told(second)).toEqual([412, 'VERSION_CONFLICT'])
    expect(second.json().data.current).toMatchObject({ name: 'First', row_version: 2 })
  })

  test('and named who made the row what it is: not who changed it before, nor who failed (protocol 14)', async () => {
    const second = await server.signIn('second@alpha')
    const { row_version } = await rowOf('user@alpha')
    await put('user@alpha', { alert: true })
    server.clock.now += 1000
    await move('disable', 'user@alpha', second)
    server.clock.now += 1000
    await put('user@alpha', { name: '' })
    const late = await put('user@alpha', { title: 2 }, { 'if-match': `"${row_version}"` })
    const by = { id: idOf('second@alpha'), name: 'ALPHA-7f3a91 second' }
    expect(late.json().data).toMatchObject({ current: { alert: true, status: -1 }, changed_by: by })
  })

  test('a company’s admin cannot raise an access level, the delete level can (D48)', async () => {
    expect(told(await put('user@alpha', { access_level: 100 }))).toEqual([403, 'FORBIDDEN'])
    const url = `/api/m18s/company-user/${idOf('user@m18')}`
    const staff = await server.signIn('admin@m18')
    expect((await staff.send({ method: 'PUT', url, payload: { access_level: 100 } })).statusCode).toBe(403)
    const top = await server.signIn('delete@m18')
    expect((await top.send({ method: 'PUT', url, payload: { access_level: 100 } })).json().access_level).toBe(100)
  })
})

describe('moves', () => {
  test('only the listed ones happen (M39, S-23)', async () => {
    expect((await move('disable', 'user@alpha')).json().status).toBe(-1)
    expect(told(await move('disable', 'user@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    expect((await move('enable', 'user@alpha')).json().status).toBe(1)
    expect(told(await move('enable', 'user@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    for (const step of ['enable', 'disable'] as const)
      for (const who of ['invited@alpha', 'deleted@alpha'])
        expect(told(await move(step, who))).toEqual([409, 'USER_STATUS_INVALID'])
    for (const who of ['user@alpha', 'invited@alpha', 'disabled@alpha'])
      expect((await remove(who)).statusCode).toBe(204)
    expect(told(await remove('deleted@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    expect((await rowOf('user@alpha')).status).toBe(-2)
  })

  test('each leaves a trail, and a refused one does too (M18, D86)', async () => {
    await move('disable', 'user@alpha')
    await move('disable', 'user@alpha')
    expect((await trail('disable')).map(({ status }) => status)).toEqual([0, -1])
  })

  test('nobody disables or deletes themselves (M41)', async () => {
    expect(told(await move('disable', 'admin@alpha'))).toEqual([409, 'SELF_FORBIDDEN'])
    expect(told(await remove('admin@alpha'))).toEqual([409, 'SELF_FORBIDDEN'])
  })

  test('the delete level without the admin flag touches no user, so the last admin stays (D47, D54)', async () => {
    const top = await server.signIn('delete@m18')
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ admin: false }).where('id', '=', top.userId).execute(),
    )
    const id = idOf('admin@m18')
    for (const request of [
      { method: 'POST' as const, url: `/api/users/disable/${id}` },
      { method: 'DELETE' as const, url: `/api/m18s/user/${id}` },
      { method: 'PUT' as const, url: `/api/m18s/company-user/${id}`, payload: { admin: false } },
    ])
      expect(told(await top.send(request))).toEqual([403, 'FORBIDDEN'])
  })

  test('two admins who disable each other at the same time leave one (D54, S-21)', async () => {
    const second = await server.signIn('second@alpha')
    const answers = await Promise.all([move('disable', 'second@alpha'), move('disable', 'admin@alpha', second)])
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1)
  })
})

describe('foreign and missing ids', () => {
  const calls = (id: number) =>
    [
      { method: 'GET', url: `/api/m18s/user?userId=${id}` },
      { method: 'PUT', url: `/api/m18s/company-user/${id}`, payload: { alert: true } },
      { method: 'PUT', url: `/api/m18s/user/${id}`, payload: { name: 'X' } },
      { method: 'DELETE', url: `/api/m18s/user/${id}` },
      { method: 'POST', url: `/api/users/disable/${id}` },
      { method: 'POST', url: `/api/users/enable/${id}` },
    ] as const

  test('are the same answer, and change nothing (N-02, N-03, N-04)', async () => {
    const before = await allOf('beta')
    const foreign = await Promise.all(calls(idOf('user@beta')).map((call) => admin.send(call)))
    const missing = await Promise.all(calls(999_999).map((call) => admin.send(call)))
    for (const [at, answer] of foreign.entries()) {
      expect(told(answer)).toEqual([404, 'USER_NOT_EXIST'])
      expect(answer.body).toBe(missing[at]?.body)
      expect(Object.keys(answer.headers)).toEqual(Object.keys(missing[at]?.headers ?? {}))
    }
    expect(await allOf('beta')).toEqual(before)
  })

  const allOf = (company: 'beta') =>
    inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db
        .selectFrom('portal_user')
        .selectAll()
        .where('company_id', '=', server.world.companies[company])
        .orderBy('id')
        .execute(),
    )
})

describe('a keyed write', () => {
  test('twice is one effect and one answer (M18, R-02)', async () => {
    const key = randomUUID()
    const send = () =>
      create({ title: 0, name: 'Once', email: 'once@alpha.example' }, admin, { 'idempotency-key': key })
    const first = await send()
    const again = await send()
    expect(first.headers['idempotency-outcome']).toMatch(/^done; \d+$/)
    expect([again.statusCode, again.body]).toEqual([first.statusCode, first.body])
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers['idempotency-key']).toBe(key)
    expect(await trail('create')).toHaveLength(1)
  })

  test('names the row it makes before there is an id (protocol 17)', async () => {
    const key = randomUUID()
    const made = await create({ title: 0, name: 'Early', email: 'early@alpha.example' }, admin, {
      'idempotency-key': key,
    })
    const changed = await admin.send({
      method: 'PUT',
      url: `/api/m18s/company-user/~${key}`,
      headers: { 'idempotency-key': randomUUID(), 'if-match': `"~${key}"` },
      payload: { alert: true },
    })
    expect(changed.json()).toMatchObject({ id: made.json().id, alert: true, row_version: 2 })
    expect((await admin.send({ url: `/api/m18s/user?userId=~${key}` })).json().id).toBe(made.json().id)
    const unknown = await admin.send({ method: 'DELETE', url: `/api/m18s/user/~${randomUUID()}` })
    expect(told(unknown)).toEqual([424, 'NAME_UNKNOWN'])
  })

  test('says what became of it, and can be made never to happen (protocol 13)', async () => {
    const key = randomUUID()
    const ask = (method: 'GET' | 'DELETE', intent: string) => admin.send({ method, url: `/api/request/~${intent}` })
    expect(told(await ask('GET', key))).toEqual([404, 'INTENT_UNKNOWN'])
    const made = await create({ title: 0, name: 'Known', email: 'known@alpha.example' }, admin, {
      'idempotency-key': key,
    })
    expect((await ask('GET', key)).json()).toEqual(made.json())
    const voided = randomUUID()
    expect((await ask('DELETE', voided)).statusCode).toBe(200)
    const late = await create({ title: 0, name: 'Late', email: 'late@alpha.example' }, admin, {
      'idempotency-key': voided,
    })
    expect(told(late)).toEqual([409, 'INTENT_VOID'])
    const stranger = await server.signIn('admin@beta')
    expect(told(await stranger.send({ url: `/api/request/~${key}` }))).toEqual([404, 'INTENT_UNKNOWN'])
  })

  test('made for another subject is refused before anything happens (protocol 10)', async () => {
    const key = randomUUID()
    const answer = await create({ title: 0, name: 'Other', email: 'other@alpha.example' }, admin, {
      'idempotency-key': key,
      'for-user': `${server.world.companies.alpha}:${idOf('user@alpha')}`,
    })
    expect(told(answer)).toEqual([409, 'WRONG_SESSION'])
    expect(answer.headers['idempotency-key']).toBe(key)
    expect(answer.headers['idempotency-outcome']).toBeUndefined()
  })
})
