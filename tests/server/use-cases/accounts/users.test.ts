import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { randomUUID } from 'node:crypto'
import { runInTransaction } from '#server/db/transaction.ts'
import { readFieldErrors, readStatusAndCode } from '#tests/support/server/forms.ts'
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

const getUserId = (userName: string) => server.world.users[userName] ?? 0
const buildListUrl = (query = '') => `/api/m18s/company/${server.world.companies.alpha}/users${query}`
const readUser = async (userName: string) =>
  (await admin.send({ url: `/api/m18s/user?userId=${getUserId(userName)}` })).json()
const updateUser = (userName: string, payload: object, headers: Record<string, string> = {}) =>
  admin.send({ method: 'PUT', url: `/api/m18s/company-user/${getUserId(userName)}`, payload, headers })
const changeStatus = (transition: 'enable' | 'disable', userName: string, caller = admin) =>
  caller.send({ method: 'POST', url: `/api/users/${transition}/${getUserId(userName)}` })
const remove = (userName: string, headers: Record<string, string> = {}) =>
  admin.send({ method: 'DELETE', url: `/api/m18s/user/${getUserId(userName)}`, headers })
const create = (payload: object, caller = admin, headers: Record<string, string> = {}) =>
  caller.send({ method: 'POST', url: '/api/m18s/user', payload, headers })
const createWithKey = (key: string, name: string, headers: Record<string, string> = {}) => {
  const email = `${name.toLowerCase()}@alpha.example`
  return create({ title: 0, name, email }, admin, { 'idempotency-key': key, ...headers })
}
const readTrail = (operation: string) =>
  runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('audit_entry')
      .selectAll()
      .where('operation', '=', operation)
      .where('code', '=', 'user')
      .orderBy('id')
      .execute(),
  )

describe('the list of users', () => {
  test("returns the users of the caller's company page by page, without deleted users (M36, M45)", async () => {
    const response = await admin.send({ url: buildListUrl('?results=3&page=2&sortField=email&sortOrder=descend') })
    const { count, data } = response.json()
    expect(count).toBe(7)
    expect(data.map((row: { email: string }) => row.email)).toEqual([
      'order@alpha.example',
      'invited@alpha.example',
      'disabled@alpha.example',
    ])
    expect(response.headers['x-as-of']).toBe(String(server.clock.now))
    expect(response.headers['x-subject']).toBe(`${server.world.companies.alpha}:${admin.userId}`)
  })

  test('filters by status and text, and includes deleted users on request (D91)', async () => {
    const listEmails = async (query: string) =>
      (await admin.send({ url: buildListUrl(`?results=50&${query}`) }))
        .json()
        .data.map((row: { email: string }) => row.email)
    expect(await listEmails('statusType=-1')).toEqual(['disabled@alpha.example'])
    expect(await listEmails('statusType=-2')).toEqual(['deleted@alpha.example'])
    expect(await listEmails('includedDel=true')).toHaveLength(8)
    expect(await listEmails('statusType=&searchText=ORDER')).toEqual(['order@alpha.example'])
    expect(await listEmails('searchText=%25')).toEqual([])
  })

  test('returns 404 for another company, to every customer (N-03)', async () => {
    for (const userName of ['admin@alpha', 'second@alpha']) {
      const caller = await server.signIn(userName)
      const foreignResponse = await caller.send({ url: `/api/m18s/company/${server.world.companies.beta}/users` })
      const missingResponse = await caller.send({ url: '/api/m18s/company/999999/users' })
      expect(readStatusAndCode(foreignResponse)).toEqual([404, 'NOT_FOUND'])
      expect(foreignResponse.body).toBe(missingResponse.body)
    }
  })

  test('returns only the changes since a number (protocol 34)', async () => {
    const first = await admin.send({ url: buildListUrl() })
    const since = String(first.headers['x-change'])
    await updateUser('invited@alpha', { title: 2 })
    const laterResponse = await admin.send({ url: buildListUrl(`?since=${since}`) })
    const { changed: changedRows, gone: deletedIds, upto: cursor } = laterResponse.json()
    expect(changedRows.map((row: { id: number }) => row.id)).toEqual([getUserId('invited@alpha')])
    expect([deletedIds, cursor > Number(since)]).toEqual([[], true])
    expect(laterResponse.headers['x-change']).toBe(String(cursor))
    expect(readStatusAndCode(await admin.send({ url: buildListUrl('?since=999999') }))).toEqual([410, 'GONE'])
  })

  test('streams the complete list with a final line', async () => {
    const accept = { accept: 'application/x-ndjson' }
    const response = await admin.send({ url: buildListUrl('?since='), headers: accept })
    expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const lines = response.body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(9)
    expect(lines.at(-1)).toEqual({ upto: Number(response.headers['x-change']), count: 8 })
    expect(response.body).not.toContain('seal_key')
    await updateUser('invited@alpha', { title: 1 })
    const laterChanges = await admin.send({ url: buildListUrl(`?since=${lines.at(-1).upto}`), headers: accept })
    expect(laterChanges.body.trim().split('\n')).toHaveLength(2)
  })

  test('returns nothing of another company, with any query (N-01, N-07)', async () => {
    for (const query of ['includedDel=true', 'searchText=BETA', 'sortField=id&sortOrder=desc', 'since=']) {
      const { body } = await admin.send({ url: buildListUrl(`?${query}`) })
      expect(body).not.toContain(canaries.beta)
      expect(body).not.toContain(canaries.m18)
    }
  })
})

describe('creating a user', () => {
  const newcomer = { title: 1, name: ' Zoë Chan ', email: 'Zoe@alpha.example' }

  test("creates an inactive user in the caller's company, with version and audit entry (M37)", async () => {
    const response = await create({ ...newcomer, order: true })
    expect(response.statusCode).toBe(200)
    expect(response.headers.etag).toBe('"1"')
    expect(response.json()).toMatchObject({
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
    expect(await readTrail('create')).toMatchObject([{ exec_user_id: admin.userId, status: 0 }])
  })

  test('rejects a used e-mail in any spelling, except that of a deleted user (D72, D73, S-14)', async () => {
    expect(readStatusAndCode(await create({ ...newcomer, email: 'USER@ALPHA.example' }))).toEqual([409, 'DUP_USER'])
    expect((await create({ ...newcomer, email: 'deleted@alpha.example' })).statusCode).toBe(200)
    expect((await create({ ...newcomer, email: 'user@beta.example' })).statusCode).toBe(200)
  })

  test('creates one user from fifty concurrent requests with the same e-mail (S-20)', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => create(newcomer)))
    expect(responses.filter((response) => response.statusCode === 200)).toHaveLength(1)
    expect(responses.filter((response) => response.json().errorCode === 'DUP_USER')).toHaveLength(49)
  })

  test('reports the error of each field in the language of the caller (M51)', async () => {
    const response = await create({ title: 9, email: 'no mail' })
    expect(response.json()).toMatchObject({
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

  test('ignores fields that are not part of the form (S-15)', async () => {
    const ignoredFields = {
      status: 1,
      company_id: server.world.companies.beta,
      row_version: 9,
      id: 1,
      seal_key: 'mine',
    }
    const { id, ...row } = (await create({ ...newcomer, ...ignoredFields })).json()
    expect(row).toMatchObject({ status: 0, company_code: 'alpha', row_version: 1 })
    expect(id).not.toBe(1)
  })

  test('accepts an access level only from the delete level and for provider users (D48, S-51)', async () => {
    const userWithLevel = { ...newcomer, access_level: 1 }
    expect(readStatusAndCode(await create(userWithLevel))).toEqual([403, 'FORBIDDEN'])
    expect(readStatusAndCode(await create(userWithLevel, await server.signIn('admin@m18')))).toEqual([403, 'FORBIDDEN'])
    expect((await create(userWithLevel, await server.signIn('delete@m18'))).json().access_level).toBe(1)
  })
})

describe('changing a user', () => {
  test('renames only an invited user, not an active user, and changes flags of both (M38, M42, S-51)', async () => {
    expect((await updateUser('invited@alpha', { name: 'New name', title: 2, alert: true })).json()).toMatchObject({
      name: 'New name',
      title: 2,
      alert: true,
      row_version: 2,
    })
    const lockedResponse = await updateUser('user@alpha', { name: 'New name', title: 2, order: true })
    expect(lockedResponse.json().data).toMatchObject([
      { field: 'title', code: 'LOCKED' },
      { field: 'name', code: 'LOCKED' },
    ])
    expect((await updateUser('user@alpha', { order: true })).json().order).toBe(true)
  })

  test('accepts a locked field with its current value', async () => {
    const { name, title } = await readUser('user@alpha')
    const response = await updateUser('user@alpha', { name, title, alert: true })
    expect(response.json()).toMatchObject({ alert: true, row_version: 2 })
  })

  test('locks name, title and admin flag of the caller', async () => {
    const response = await updateUser('admin@alpha', { name: 'Me', title: 2, admin: false, alert: true })
    expect(readFieldErrors(response)).toEqual(['title LOCKED', 'name LOCKED', 'admin LOCKED'])
    expect((await updateUser('admin@alpha', { alert: true, order: true })).statusCode).toBe(200)
  })

  test('locks every field of a deleted user', async () => {
    expect((await updateUser('deleted@alpha', { alert: true })).json().data).toMatchObject([
      { field: 'alert', code: 'LOCKED' },
    ])
  })

  test('creates no new version if nothing changed', async () => {
    const response = await updateUser('user@alpha', { alert: false })
    expect([response.statusCode, response.json().row_version]).toEqual([200, 1])
    expect(await readTrail('update')).toEqual([])
  })

  test('returns VERSION_CONFLICT with the current row after another change (protocol 14)', async () => {
    const { row_version } = await readUser('invited@alpha')
    const headers = { 'if-match': `"${row_version}"` }
    expect((await updateUser('invited@alpha', { name: 'First' }, headers)).statusCode).toBe(200)
    const second = await updateUser('invited@alpha', { name: 'Second' }, headers)
    expect(readStatusAndCode(second)).toEqual([412, 'VERSION_CONFLICT'])
    expect(second.json().data.current).toMatchObject({ name: 'First', row_version: 2 })
  })

  test('names the author of the current version in a conflict (protocol 14)', async () => {
    const second = await server.signIn('second@alpha')
    const { row_version } = await readUser('user@alpha')
    await updateUser('user@alpha', { alert: true })
    server.clock.now += 1000
    await changeStatus('disable', 'user@alpha', second)
    server.clock.now += 1000
    await updateUser('user@alpha', { name: '' })
    const lateResponse = await updateUser('user@alpha', { title: 2 }, { 'if-match': `"${row_version}"` })
    const changedBy = { id: getUserId('second@alpha'), name: 'ALPHA-7f3a91 second' }
    expect(lateResponse.json().data).toMatchObject({ current: { alert: true, status: -1 }, changed_by: changedBy })
  })

  test('accepts an access level from the delete level, but not from company admins (D48)', async () => {
    expect(readStatusAndCode(await updateUser('user@alpha', { access_level: 100 }))).toEqual([403, 'FORBIDDEN'])
    const url = `/api/m18s/company-user/${getUserId('user@m18')}`
    const request = { method: 'PUT' as const, url, payload: { access_level: 100 } }
    const staff = await server.signIn('admin@m18')
    expect((await staff.send(request)).statusCode).toBe(403)
    const deleteLevelAdmin = await server.signIn('delete@m18')
    expect((await deleteLevelAdmin.send(request)).json().access_level).toBe(100)
  })
})

describe('status changes of a user', () => {
  test('are accepted only if they are listed (M39, S-23)', async () => {
    expect((await changeStatus('disable', 'user@alpha')).json().status).toBe(-1)
    expect(readStatusAndCode(await changeStatus('disable', 'user@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    expect((await changeStatus('enable', 'user@alpha')).json().status).toBe(1)
    expect(readStatusAndCode(await changeStatus('enable', 'user@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    for (const transition of ['enable', 'disable'] as const)
      for (const userName of ['invited@alpha', 'deleted@alpha'])
        expect(readStatusAndCode(await changeStatus(transition, userName))).toEqual([409, 'USER_STATUS_INVALID'])
    for (const userName of ['user@alpha', 'invited@alpha', 'disabled@alpha'])
      expect((await remove(userName)).statusCode).toBe(204)
    expect(readStatusAndCode(await remove('deleted@alpha'))).toEqual([409, 'USER_STATUS_INVALID'])
    expect((await readUser('user@alpha')).status).toBe(-2)
  })

  test('write an audit entry, also when they are refused (M18, D86)', async () => {
    await changeStatus('disable', 'user@alpha')
    await changeStatus('disable', 'user@alpha')
    expect((await readTrail('disable')).map(({ status }) => status)).toEqual([0, -1])
  })

  test('are refused to the user themselves (M41)', async () => {
    expect(readStatusAndCode(await changeStatus('disable', 'admin@alpha'))).toEqual([409, 'SELF_FORBIDDEN'])
    expect(readStatusAndCode(await remove('admin@alpha'))).toEqual([409, 'SELF_FORBIDDEN'])
  })

  test('are refused to the delete level without the admin flag, so the last admin stays (D47, D54)', async () => {
    const deleteLevelAdmin = await server.signIn('delete@m18')
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.updateTable('portal_user').set({ admin: false }).where('id', '=', deleteLevelAdmin.userId).execute(),
    )
    const id = getUserId('admin@m18')
    for (const request of [
      { method: 'POST' as const, url: `/api/users/disable/${id}` },
      { method: 'DELETE' as const, url: `/api/m18s/user/${id}` },
      { method: 'PUT' as const, url: `/api/m18s/company-user/${id}`, payload: { admin: false } },
    ])
      expect(readStatusAndCode(await deleteLevelAdmin.send(request))).toEqual([403, 'FORBIDDEN'])
  })

  test('leave one active admin if two admins disable each other concurrently (D54, S-21)', async () => {
    const second = await server.signIn('second@alpha')
    const responses = await Promise.all([
      changeStatus('disable', 'second@alpha'),
      changeStatus('disable', 'admin@alpha', second),
    ])
    expect(responses.filter((response) => response.statusCode === 200)).toHaveLength(1)
  })
})

describe('calls with foreign and missing ids', () => {
  const buildCalls = (id: number) =>
    [
      { method: 'GET', url: `/api/m18s/user?userId=${id}` },
      { method: 'PUT', url: `/api/m18s/company-user/${id}`, payload: { alert: true } },
      { method: 'PUT', url: `/api/m18s/user/${id}`, payload: { name: 'X' } },
      { method: 'DELETE', url: `/api/m18s/user/${id}` },
      { method: 'POST', url: `/api/users/disable/${id}` },
      { method: 'POST', url: `/api/users/enable/${id}` },
    ] as const

  test('get the same response and change nothing (N-02, N-03, N-04)', async () => {
    const rowsBefore = await listUsers('beta')
    const foreignResponses = await Promise.all(buildCalls(getUserId('user@beta')).map((call) => admin.send(call)))
    const missingResponses = await Promise.all(buildCalls(999_999).map((call) => admin.send(call)))
    for (const [index, response] of foreignResponses.entries()) {
      expect(readStatusAndCode(response)).toEqual([404, 'USER_NOT_EXIST'])
      expect(response.body).toBe(missingResponses[index]?.body)
      expect(Object.keys(response.headers)).toEqual(Object.keys(missingResponses[index]?.headers ?? {}))
    }
    expect(await listUsers('beta')).toEqual(rowsBefore)
  })

  const listUsers = (company: 'beta') =>
    runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db
        .selectFrom('portal_user')
        .selectAll()
        .where('company_id', '=', server.world.companies[company])
        .orderBy('id')
        .execute(),
    )
})

describe('writes with an idempotency key', () => {
  test('have one effect and one response when they are repeated (M18, R-02)', async () => {
    const key = randomUUID()
    const first = await createWithKey(key, 'Once')
    const repeated = await createWithKey(key, 'Once')
    expect(first.headers['idempotency-outcome']).toMatch(/^done; \d+$/)
    expect([repeated.statusCode, repeated.body]).toEqual([first.statusCode, first.body])
    expect(repeated.headers['idempotency-replayed']).toBe('true')
    expect(repeated.headers['idempotency-key']).toBe(key)
    expect(await readTrail('create')).toHaveLength(1)
  })

  test('can be referenced before the new row has an id (protocol 17)', async () => {
    const key = randomUUID()
    const createResponse = await createWithKey(key, 'Early')
    const changeResponse = await admin.send({
      method: 'PUT',
      url: `/api/m18s/company-user/~${key}`,
      headers: { 'idempotency-key': randomUUID(), 'if-match': `"~${key}"` },
      payload: { alert: true },
    })
    expect(changeResponse.json()).toMatchObject({ id: createResponse.json().id, alert: true, row_version: 2 })
    expect((await admin.send({ url: `/api/m18s/user?userId=~${key}` })).json().id).toBe(createResponse.json().id)
    const unknownResponse = await admin.send({ method: 'DELETE', url: `/api/m18s/user/~${randomUUID()}` })
    expect(readStatusAndCode(unknownResponse)).toEqual([424, 'NAME_UNKNOWN'])
  })

  test('report their outcome, and can be voided (protocol 13)', async () => {
    const key = randomUUID()
    const requestIntent = (method: 'GET' | 'DELETE', intent: string) =>
      admin.send({ method, url: `/api/request/~${intent}` })
    expect(readStatusAndCode(await requestIntent('GET', key))).toEqual([404, 'INTENT_UNKNOWN'])
    const createResponse = await createWithKey(key, 'Known')
    expect((await requestIntent('GET', key)).json()).toEqual(createResponse.json())
    const voidedKey = randomUUID()
    expect((await requestIntent('DELETE', voidedKey)).statusCode).toBe(200)
    const lateResponse = await createWithKey(voidedKey, 'Late')
    expect(readStatusAndCode(lateResponse)).toEqual([409, 'INTENT_VOID'])
    const otherAdmin = await server.signIn('admin@beta')
    expect(readStatusAndCode(await otherAdmin.send({ url: `/api/request/~${key}` }))).toEqual([404, 'INTENT_UNKNOWN'])
  })

  test('are refused for another subject before they run (protocol 10)', async () => {
    const key = randomUUID()
    const otherSubject = `${server.world.companies.alpha}:${getUserId('user@alpha')}`
    const response = await createWithKey(key, 'Other', { 'for-user': otherSubject })
    expect(readStatusAndCode(response)).toEqual([409, 'WRONG_SESSION'])
    expect(response.headers['idempotency-key']).toBe(key)
    expect(response.headers['idempotency-outcome']).toBeUndefined()
  })
})
