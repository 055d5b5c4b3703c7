import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { randomUUID } from 'node:crypto'
import { hashOneTimeKey } from '#server/db/accounts/one-time-keys.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const buildForm = (values: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(values).toString(),
})

describe("/api/m18s/user for the caller's account", () => {
  let user: SignedIn
  beforeEach(async () => {
    user = await server.signIn('user@alpha')
  })

  test('returns the account with its company, and its sealing keys only to its user (M23)', async () => {
    const ownUser = (await user.send({ url: '/api/m18s/user' })).json()
    expect(ownUser).toMatchObject({ id: user.userId, email: 'user@alpha.example', company_code: 'alpha', status: 1 })
    for (const key of [ownUser.seal_key, ownUser.session_seal_key.key])
      expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    const admin = await server.signIn('admin@alpha')
    const seenByAdmin = (await admin.send({ url: `/api/m18s/user?userId=${user.userId}` })).json()
    expect([seenByAdmin.id, seenByAdmin.seal_key, seenByAdmin.session_seal_key]).toEqual([user.userId, null, null])
  })

  test('returns 404 for a colleague if the caller is not an admin', async () => {
    const response = await user.send({ url: `/api/m18s/user?userId=${server.world.users['order@alpha']}` })
    expect(readStatusAndCode(response)).toEqual([404, 'USER_NOT_EXIST'])
  })

  test('accepts name and language, but neither title nor flags (M43)', async () => {
    const response = await user.send({
      method: 'PUT',
      url: `/api/m18s/user/${user.userId}`,
      headers: { 'if-match': '"1"' },
      payload: { name: '  Ana  ', language: 'zh', title: 2, admin: true, order: true, access_level: 100 },
    })
    expect(response.json()).toMatchObject({
      name: 'Ana',
      language: 'zh',
      title: 0,
      admin: false,
      order: false,
      access_level: 0,
    })
    expect(response.headers.etag).toBe('"2"')
    const emptyNameResponse = await user.send({
      method: 'PUT',
      url: `/api/m18s/user/${user.userId}`,
      payload: { name: '  ' },
    })
    expect(emptyNameResponse.json().data).toMatchObject([{ field: 'name', code: 'REQUIRED' }])
  })

  test('GET /api/m18s/settings returns no secrets', async () => {
    const { body, ...response } = await user.send({ url: '/api/m18s/settings' })
    expect(response.json()).toMatchObject({
      time_zone: 'Asia/Hong_Kong',
      uat_bound: 'floor',
      credit_smaller_contracts: false,
      payment: { stripe_key: null, card_frame: null },
    })
    expect(body).not.toMatch(/key"?:\s*"|postgres|DATA_DIR/)
  })
})

describe('POST /api/m18s/password', () => {
  const change = (caller: SignedIn, orgPwd: string, newPwd: string) => {
    const { headers, payload } = buildForm({ orgPwd, newPwd })
    return caller.send({ method: 'POST', url: '/api/m18s/password', headers, payload })
  }
  const newPassword = 'Slow-river-under-9-bridges'

  test('ends all other sessions and makes the new password valid (S-38, M33)', async () => {
    const otherSession = await server.signIn('user@alpha')
    const user = await server.signIn('user@alpha')
    expect((await change(user, password, newPassword)).statusCode).toBe(204)
    expect((await otherSession.send({ url: '/api/m18s/user' })).json().errorCode).toBe('UNAUTHORIZED')
    expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    await expect(server.signIn('user@alpha')).rejects.toThrow('invalid_grant')
    await server.signIn('user@alpha', newPassword)
  })

  test('requires the current password and a different new password (S-39)', async () => {
    const user = await server.signIn('user@alpha')
    expect(readStatusAndCode(await change(user, 'Not-the-one-44', newPassword))).toEqual([400, 'INVALID_ORG_PASSWORD'])
    expect(readStatusAndCode(await change(user, password, password))).toEqual([400, 'PASSWORD_UNCHANGE'])
  })

  test('limits wrong guesses of the current password (S-29)', async () => {
    const user = await server.signIn('user@alpha')
    for (let index = 0; index < 5; index++) await change(user, 'Not-the-one-44', newPassword)
    expect(readStatusAndCode(await change(user, password, newPassword))).toEqual([429, 'RATE_LIMITED'])
  })

  test('rejects common passwords and passwords made from account data (S-27, S-28)', async () => {
    const user = await server.signIn('user@alpha')
    const weakPasswords = [
      'password1!',
      'Qwerty12345',
      'iloveyou',
      '19850412',
      '11111111',
      'abcdefgh',
      'alpha2026',
      'User@Alpha1',
      'P@ssw0rd',
      'liverpool',
      'a123456789',
      '1qaz@WSX',
      'zaq12wsx',
    ]
    for (const weakPassword of weakPasswords)
      expect([weakPassword, (await change(user, password, weakPassword)).json().errorCode]).toEqual([
        weakPassword,
        'WEAK_PASSWORD',
      ])
    expect((await change(user, password, 'Sh0rt-7')).json().data).toMatchObject([
      { field: 'newPwd', code: 'TOO_SHORT' },
    ])
    expect((await change(user, password, 'x'.repeat(129))).json().data).toMatchObject([
      { code: 'TOO_LONG', limit: 128 },
    ])
  })

  test('normalises composed letters, and renews older hashes at sign-in (fault 22c)', async () => {
    const [composedPassword, decomposedPassword] = [
      'Café-sous-les-ponts'.normalize('NFC'),
      'Café-sous-les-ponts'.normalize('NFD'),
    ]
    const user = await server.signIn('user@alpha')
    expect((await change(user, password, decomposedPassword)).statusCode).toBe(204)
    await server.signIn('user@alpha', composedPassword)
    await server.signIn('user@alpha', decomposedPassword)
    expect((await change(user, composedPassword, decomposedPassword)).json()).toMatchObject({
      errorCode: 'PASSWORD_UNCHANGE',
    })

    const hash = await argon2Hash(decomposedPassword, { ...server.app.config.argon2, algorithm: 2 })
    const readOrSetHash = (passwordHash: string | null) =>
      runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
        const id = server.world.users['user@alpha'] ?? 0
        if (passwordHash)
          await db.updateTable('portal_user').set({ password_hash: passwordHash }).where('id', '=', id).execute()
        return db.selectFrom('portal_user').select('password_hash').where('id', '=', id).executeTakeFirstOrThrow()
      })
    await readOrSetHash(hash)
    await server.signIn('user@alpha', composedPassword)
    const renewedHash = (await readOrSetHash(null)).password_hash ?? ''
    expect(renewedHash).not.toBe(hash)
    expect(await argon2Verify(renewedHash, composedPassword)).toBe(true)
  })

  test('accepts any characters and compares up to 128 characters exactly (S-27)', async () => {
    const user = await server.signIn('user@alpha')
    const longPassword = `${'長い パス🔑\u0000'.repeat(12)}`.padEnd(127, 'q') + 'Z'
    const exactPassword = [...longPassword].slice(0, 128).join('')
    expect((await change(user, password, exactPassword)).statusCode).toBe(204)
    await server.signIn('user@alpha', exactPassword)
    await expect(server.signIn('user@alpha', `${exactPassword.slice(0, -1)}Y`)).rejects.toThrow('invalid_grant')
    await expect(server.signIn('user@alpha', `${exactPassword} `)).rejects.toThrow()
  })
})

describe('POST /public/users/activate', () => {
  const hourMs = 3_600_000
  async function createLink(userName: string, until = server.clock.now + 72 * hourMs): Promise<string> {
    const key = randomUUID() + randomUUID()
    const { world } = server
    await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db
        .insertInto('one_time_key')
        .values({
          hash: hashOneTimeKey(key),
          user_id: world.users[userName] ?? 0,
          company_id: world.companies.alpha,
          purpose: 'activate',
          until,
          used: null,
        })
        .execute(),
    )
    return key
  }
  const checkLink = (otk?: string) => server.send({ url: `/public/users/activate${otk ? `?otk=${otk}` : ''}` })
  const activate = (values: Record<string, string>) =>
    server.send({ method: 'POST', url: '/public/users/activate', ...buildForm(values) })
  const newPassword = 'Slow-river-under-9-bridges'

  test('sets a first password and allows sign-in (M30)', async () => {
    const otk = await createLink('invited@alpha')
    expect((await checkLink(otk)).json()).toEqual({ code: 'SET_PASSWORD' })
    expect((await activate({ otk })).json().data).toMatchObject([{ field: 'password', code: 'REQUIRED' }])
    expect(readStatusAndCode(await activate({ otk, password: 'password1' }))).toEqual([400, 'WEAK_PASSWORD'])
    const response = await activate({ otk, password: newPassword })
    expect([response.statusCode, response.json()]).toEqual([200, { code: 'ACTIVATE_OK' }])
    await server.signIn('invited@alpha', newPassword)
  })

  test('does not replace an existing password', async () => {
    const otk = await createLink('waiting@alpha')
    expect((await checkLink(otk)).json()).toEqual({ code: 'OK' })
    expect((await activate({ otk, password: newPassword })).statusCode).toBe(200)
    await server.signIn('waiting@alpha')
  })

  test('accepts a link once, also when it is used concurrently (S-35)', async () => {
    const otk = await createLink('waiting@alpha')
    const responses = await Promise.all(Array.from({ length: 5 }, () => activate({ otk })))
    expect(responses.filter((response) => response.statusCode === 200)).toHaveLength(1)
    expect(readStatusAndCode(await checkLink(otk))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
  })

  test('does not restore a user who is deleted while the password is hashed (portal 4)', async () => {
    const admin = await server.signIn('admin@alpha')
    const id = server.world.users['invited@alpha']
    const otk = await createLink('invited@alpha')
    const [activation] = await Promise.all([
      activate({ otk, password: newPassword }),
      admin.send({ method: 'DELETE', url: `/api/m18s/user/${id}` }),
    ])
    expect([200, 400]).toContain(activation.statusCode)
    expect((await admin.send({ url: `/api/m18s/user?userId=${id}` })).json()).toMatchObject({ status: -2 })
  })

  test('rejects an expired, unknown or missing key with the specified message (D75)', async () => {
    const otk = await createLink('waiting@alpha', server.clock.now)
    for (const key of [otk, 'no-such-key']) {
      expect(readStatusAndCode(await checkLink(key))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
      expect((await activate({ otk: key, password: newPassword })).json().errorMessage).toBe(
        'Activate key is invalid or overdue.',
      )
    }
    expect(readStatusAndCode(await checkLink())).toEqual([400, 'NO_ACTIVATE_KEY'])
    expect((await activate({})).json().errorMessage).toBe('No activate key provided.')
  })

  test('writes the key to no log (S-35, S-36)', async () => {
    const otk = await createLink('waiting@alpha')
    await checkLink(otk)
    await activate({ otk })
    expect(server.readLog()).not.toContain(otk)
  })
})

describe('the company profile', () => {
  test('can be read and changed by its admin, except for its code (M35)', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/m18s/company/${server.world.companies.alpha}`
    const first = await admin.send({ url })
    expect(first.json()).toMatchObject({ code: 'alpha', country: 'HK', row_version: 1 })
    expect(first.headers.etag).toBe('"1"')
    const changes = { name: 'Alpha & Sons', code: 'omega', country: 'CN', website: 'https://alpha.example/' }
    const response = await admin.send({ method: 'PUT', url, payload: changes, headers: { 'if-match': '"1"' } })
    expect(response.json()).toMatchObject({ code: 'alpha', name: 'Alpha & Sons', country: 'CN', row_version: 2 })
    const lateResponse = await admin.send({
      method: 'PUT',
      url,
      payload: { city: 'X' },
      headers: { 'if-match': '"1"' },
    })
    expect([lateResponse.statusCode, lateResponse.json().data.current.name]).toEqual([412, 'Alpha & Sons'])
    expect(lateResponse.json().data.changed_by).toMatchObject({ id: server.world.users['admin@alpha'] })
  })

  test('stores and clears the tax number, and rejects an invalid tax number', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/m18s/company/${server.world.companies.alpha}`
    const setTaxNumber = (tax_number: string | null) => admin.send({ method: 'PUT', url, payload: { tax_number } })
    expect((await admin.send({ url })).json()).toMatchObject({ tax_number: null })
    expect((await setTaxNumber(' 91350211M000100Y43 ')).json()).toMatchObject({ tax_number: '91350211M000100Y43' })
    const badResponse = await setTaxNumber('No. 12345678')
    expect([badResponse.statusCode, badResponse.json().data]).toEqual([
      400,
      [expect.objectContaining({ field: 'tax_number', code: 'INVALID_FORMAT' })],
    ])
    expect((await admin.send({ url })).json()).toMatchObject({ tax_number: '91350211M000100Y43', row_version: 2 })
    expect((await setTaxNumber(null)).json()).toMatchObject({ tax_number: null, row_version: 3 })
  })

  test('accepts only web addresses as links (S-08)', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/m18s/company/${server.world.companies.alpha}`
    for (const website of ['javascript:alert(1)', 'data:text/html,x', '//evil', 'https://u:p@evil', 'ftp://x'])
      expect([website, (await admin.send({ method: 'PUT', url, payload: { website } })).statusCode]).toEqual([
        website,
        400,
      ])
    for (const payload of [{ name: ' ' }, { email: 'x' }, { tel: '12345' }])
      expect((await admin.send({ method: 'PUT', url, payload })).statusCode).toBe(400)
    const validFields = { website: 'www.alpha.example', tel: '+86-13800138000', email: null, addr3: 'Floor 3' }
    expect((await admin.send({ method: 'PUT', url, payload: validFields })).json()).toMatchObject(validFields)
  })
})

describe('the existence query (M56)', () => {
  const queryExistence = async (query: string, caller?: SignedIn) =>
    (caller ? caller.send : server.send)({ url: `/api/query/${query}` })

  test('answers code queries of visitors for companies only (D57)', async () => {
    expect((await queryExistence('code?resource=company&code=ALPHA')).body).toBe('true')
    expect((await queryExistence('code?resource=company&code=nowhere')).body).toBe('false')
    expect(readStatusAndCode(await queryExistence('code?resource=module&code=x'))).toEqual([401, 'UNAUTHORIZED'])
  })

  test("finds users of the caller's company only (N-07)", async () => {
    const user = await server.signIn('user@alpha')
    expect((await queryExistence('user?code=ORDER@alpha.example', user)).body).toBe('true')
    expect((await queryExistence('user?code=deleted@alpha.example', user)).body).toBe('false')
    expect((await queryExistence('user?code=admin@beta.example', user)).body).toBe('false')
    expect((await queryExistence('user?code=admin@beta.example&company=beta', user)).body).toBe('false')
    expect((await queryExistence('user?code=order@alpha.example&company=alpha', user)).body).toBe('true')
    expect((await queryExistence('order?code=abc', user)).body).toBe('false')
  })

  test('rejects fields that are not listed (F-14)', async () => {
    const user = await server.signIn('user@alpha')
    expect((await queryExistence('field?resource=user&field=email&value=order@alpha.example', user)).body).toBe('true')
    for (const query of [
      'resource=user&field=password_hash&value=x',
      'resource=portal_user&field=email&value=x',
      'resource=user&field=constructor&value=x',
      'resource=__proto__&field=x&value=x',
      'resource=user&field=email&value=x&conds=1=1',
      'resource=user&field=email&value=x&conds=type%3Dsaas',
      'resource=user&field=email&value=x&conds=not%3D0',
      'resource=user&field=email&value=x&conds=not%3D1%20or%201',
      'resource=user&field=email&value=x&conds=not%3D1%26not%3D2',
      'resource=module&field=code&value=core',
      'resource=price&field=effective_date&value=2026-01-01',
    ])
      expect([query, (await queryExistence(`field?${query}`, user)).statusCode]).toEqual([query, 400])
    expect((await queryExistence('field?resource=user&field=email&value=x')).statusCode).toBe(401)
  })

  test('excludes the row that is named by `not`', async () => {
    const admin = await server.signIn('admin@alpha')
    const isEmailTaken = (excludedId: number) =>
      queryExistence(`field?resource=user&field=email&value=ORDER@alpha.example&conds=not%3D${excludedId}`, admin)
    const { users } = server.world
    expect((await isEmailTaken(users['order@alpha'] ?? 0)).body).toBe('false')
    expect((await isEmailTaken(users['user@alpha'] ?? 0)).body).toBe('true')
  })

  test('lets catalogue staff check codes and dates by client type', async () => {
    const staff = await server.signIn('admin@m18')
    const code = await staff.send({ method: 'POST', url: '/api/module', payload: { code: 'asked', name: 'Asked' } })
    const { id } = code.json()
    const queryModuleCode = async (query: string) => {
      const response = await queryExistence(`field?resource=module&field=code&value=ASKED${query}`, staff)
      return [response.statusCode, response.body]
    }
    expect(await queryModuleCode('')).toEqual([200, 'true'])
    expect(await queryModuleCode(`&conds=not%3D${id}%26type%3Dsaas`)).toEqual([200, 'false'])
    expect((await queryModuleCode('&conds=type%3Dmma'))[0]).toBe(403)
    const list = { type: 'saas', effective_date: '2031-05-01', desc: 'Asked' }
    expect((await staff.send({ method: 'POST', url: '/api/pricelist', payload: list })).statusCode).toBe(200)
    const isDateTaken = async (value: string) =>
      (await queryExistence(`field?resource=price&field=effective_date&value=${value}`, staff)).body
    expect([await isDateTaken('2031-05-01'), await isDateTaken('2031-05-02')]).toEqual(['true', 'false'])
  })
})
