import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { randomUUID } from 'node:crypto'
import { hashOneTimeKey } from '#server/db/accounts/one-time-keys.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { told } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const form = (values: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(values).toString(),
})

describe('the own account', () => {
  let user: SignedIn
  beforeEach(async () => {
    user = await server.signIn('user@alpha')
  })

  test('is shown with its company, and the sealing keys to oneself alone (M23)', async () => {
    const own = (await user.send({ url: '/api/m18s/user' })).json()
    expect(own).toMatchObject({ id: user.userId, email: 'user@alpha.example', company_code: 'alpha', status: 1 })
    for (const key of [own.seal_key, own.session_seal_key.key]) expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    const admin = await server.signIn('admin@alpha')
    const seen = (await admin.send({ url: `/api/m18s/user?userId=${user.userId}` })).json()
    expect([seen.id, seen.seal_key, seen.session_seal_key]).toEqual([user.userId, null, null])
  })

  test('a colleague without the admin flag is as if there were none', async () => {
    const other = await user.send({ url: `/api/m18s/user?userId=${server.world.users['order@alpha']}` })
    expect(told(other)).toEqual([404, 'USER_NOT_EXIST'])
  })

  test('name and language can be changed, title and flags cannot (M43)', async () => {
    const answer = await user.send({
      method: 'PUT',
      url: `/api/m18s/user/${user.userId}`,
      headers: { 'if-match': '"1"' },
      payload: { name: '  Ana  ', language: 'zh', title: 2, admin: true, order: true, access_level: 100 },
    })
    expect(answer.json()).toMatchObject({
      name: 'Ana',
      language: 'zh',
      title: 0,
      admin: false,
      order: false,
      access_level: 0,
    })
    expect(answer.headers.etag).toBe('"2"')
    const empty = await user.send({ method: 'PUT', url: `/api/m18s/user/${user.userId}`, payload: { name: '  ' } })
    expect(empty.json().data).toMatchObject([{ field: 'name', code: 'REQUIRED' }])
  })

  test('settings say what the client must know, and no secret', async () => {
    const { body, ...answer } = await user.send({ url: '/api/m18s/settings' })
    expect(answer.json()).toMatchObject({
      time_zone: 'Asia/Hong_Kong',
      uat_bound: 'floor',
      payment: { stripe_key: null, card_frame: null },
    })
    expect(body).not.toMatch(/key"?:\s*"|postgres|DATA_DIR/)
  })
})

describe('changing the password', () => {
  const change = (by: SignedIn, orgPwd: string, newPwd: string) => {
    const { headers, payload } = form({ orgPwd, newPwd })
    return by.send({ method: 'POST', url: '/api/m18s/password', headers, payload })
  }
  const chosen = 'Slow-river-under-9-bridges'

  test('ends all other sessions, and the new one is the one that counts (S-38, M33)', async () => {
    const other = await server.signIn('user@alpha')
    const user = await server.signIn('user@alpha')
    expect((await change(user, password, chosen)).statusCode).toBe(204)
    expect((await other.send({ url: '/api/m18s/user' })).json().errorCode).toBe('UNAUTHORIZED')
    expect((await user.send({ url: '/api/m18s/user' })).statusCode).toBe(200)
    await expect(server.signIn('user@alpha')).rejects.toThrow('invalid_grant')
    await server.signIn('user@alpha', chosen)
  })

  test('needs the original one, and a different new one (S-39)', async () => {
    const user = await server.signIn('user@alpha')
    expect(told(await change(user, 'Not-the-one-44', chosen))).toEqual([400, 'INVALID_ORG_PASSWORD'])
    expect(told(await change(user, password, password))).toEqual([400, 'PASSWORD_UNCHANGE'])
  })

  test('is no way to guess without limit (S-29)', async () => {
    const user = await server.signIn('user@alpha')
    for (let at = 0; at < 5; at++) await change(user, 'Not-the-one-44', chosen)
    expect(told(await change(user, password, chosen))).toEqual([429, 'RATE_LIMITED'])
  })

  test('refuses what many use and what the account is made of (S-27, S-28)', async () => {
    const user = await server.signIn('user@alpha')
    const weak = [
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
    for (const given of weak)
      expect([given, (await change(user, password, given)).json().errorCode]).toEqual([given, 'WEAK_PASSWORD'])
    expect((await change(user, password, 'Sh0rt-7')).json().data).toMatchObject([
      { field: 'newPwd', code: 'TOO_SHORT' },
    ])
    expect((await change(user, password, 'x'.repeat(129))).json().data).toMatchObject([
      { code: 'TOO_LONG', limit: 128 },
    ])
  })

  test('fault 22c composes letters, whichever system they were typed on, and makes a hash of before anew', async () => {
    const [composed, apart] = ['Café-sous-les-ponts'.normalize('NFC'), 'Café-sous-les-ponts'.normalize('NFD')]
    const user = await server.signIn('user@alpha')
    expect((await change(user, password, apart)).statusCode).toBe(204)
    await server.signIn('user@alpha', composed)
    await server.signIn('user@alpha', apart)
    expect((await change(user, composed, apart)).json()).toMatchObject({ errorCode: 'PASSWORD_UNCHANGE' })

    const hash = await argon2Hash(apart, { ...server.app.config.argon2, algorithm: 2 })
    const users = (hashed: string | null) =>
      inTransaction(server.app, { role: 'portal_system' }, async (db) => {
        const id = server.world.users['user@alpha'] ?? 0
        if (hashed) await db.updateTable('portal_user').set({ password_hash: hashed }).where('id', '=', id).execute()
        return db.selectFrom('portal_user').select('password_hash').where('id', '=', id).executeTakeFirstOrThrow()
      })
    await users(hash)
    await server.signIn('user@alpha', composed)
    const renewed = (await users(null)).password_hash ?? ''
    expect(renewed).not.toBe(hash)
    expect(await argon2Verify(renewed, composed)).toBe(true)
  })

  test('takes any characters and compares them exactly, up to the last of 128 (S-27)', async () => {
    const user = await server.signIn('user@alpha')
    const long = `${'長い パス🔑\u0000'.repeat(12)}`.padEnd(127, 'q') + 'Z'
    const exact = [...long].slice(0, 128).join('')
    expect((await change(user, password, exact)).statusCode).toBe(204)
    await server.signIn('user@alpha', exact)
    await expect(server.signIn('user@alpha', `${exact.slice(0, -1)}Y`)).rejects.toThrow('invalid_grant')
    await expect(server.signIn('user@alpha', `${exact} `)).rejects.toThrow()
  })
})

describe('activating an account', () => {
  const hour = 3_600_000
  async function link(who: string, until = server.clock.now + 72 * hour): Promise<string> {
    const key = randomUUID() + randomUUID()
    const { world } = server
    await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db
        .insertInto('one_time_key')
        .values({
          hash: hashOneTimeKey(key),
          user_id: world.users[who] ?? 0,
          company_id: world.companies.alpha,
          purpose: 'activate',
          until,
          used: null,
        })
        .execute(),
    )
    return key
  }
  const check = (otk?: string) => server.send({ url: `/public/users/activate${otk ? `?otk=${otk}` : ''}` })
  const activate = (values: Record<string, string>) =>
    server.send({ method: 'POST', url: '/public/users/activate', ...form(values) })
  const chosen = 'Slow-river-under-9-bridges'

  test('sets the password where none is set, and the account can sign in (M30)', async () => {
    const otk = await link('invited@alpha')
    expect((await check(otk)).json()).toEqual({ code: 'SET_PASSWORD' })
    expect((await activate({ otk })).json().data).toMatchObject([{ field: 'password', code: 'REQUIRED' }])
    expect(told(await activate({ otk, password: 'password1' }))).toEqual([400, 'WEAK_PASSWORD'])
    const done = await activate({ otk, password: chosen })
    expect([done.statusCode, done.json()]).toEqual([200, { code: 'ACTIVATE_OK' }])
    await server.signIn('invited@alpha', chosen)
  })

  test('leaves a password that is set as it is: the mail alone must not replace it', async () => {
    const otk = await link('waiting@alpha')
    expect((await check(otk)).json()).toEqual({ code: 'OK' })
    expect((await activate({ otk, password: chosen })).statusCode).toBe(200)
    await server.signIn('waiting@alpha')
  })

  test('a link works once, also when used twice at the same time (S-35)', async () => {
    const otk = await link('waiting@alpha')
    const answers = await Promise.all(Array.from({ length: 5 }, () => activate({ otk })))
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1)
    expect(told(await check(otk))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
  })

  test('brings nobody back who is deleted while the password is hashed (portal 4)', async () => {
    const admin = await server.signIn('admin@alpha')
    const id = server.world.users['invited@alpha']
    const otk = await link('invited@alpha')
    const [activated] = await Promise.all([
      activate({ otk, password: chosen }),
      admin.send({ method: 'DELETE', url: `/api/m18s/user/${id}` }),
    ])
    expect([200, 400]).toContain(activated.statusCode)
    expect((await admin.send({ url: `/api/m18s/user?userId=${id}` })).json()).toMatchObject({ status: -2 })
  })

  test('an overdue, unknown or missing key says so, in the words of the catalogue (D75)', async () => {
    const otk = await link('waiting@alpha', server.clock.now)
    for (const key of [otk, 'no-such-key']) {
      expect(told(await check(key))).toEqual([400, 'INVALID_ACTIVATE_KEY'])
      expect((await activate({ otk: key, password: chosen })).json().errorMessage).toBe(
        'Activate key is invalid or overdue.',
      )
    }
    expect(told(await check())).toEqual([400, 'NO_ACTIVATE_KEY'])
    expect((await activate({})).json().errorMessage).toBe('No activate key provided.')
  })

  test('the key stands nowhere as it is, and in no log (S-35, S-36)', async () => {
    const otk = await link('waiting@alpha')
    await check(otk)
    await activate({ otk })
    expect(server.logged()).not.toContain(otk)
  })
})

describe('the company', () => {
  test('its profile can be read and changed by its admin, its code never (M35)', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/m18s/company/${server.world.companies.alpha}`
    const first = await admin.send({ url })
    expect(first.json()).toMatchObject({ code: 'alpha', country: 'HK', row_version: 1 })
    expect(first.headers.etag).toBe('"1"')
    const change = { name: 'Alpha & Sons', code: 'omega', country: 'CN', website: 'https://alpha.example/' }
    const answer = await admin.send({ method: 'PUT', url, payload: change, headers: { 'if-match': '"1"' } })
    expect(answer.json()).toMatchObject({ code: 'alpha', name: 'Alpha & Sons', country: 'CN', row_version: 2 })
    const late = await admin.send({ method: 'PUT', url, payload: { city: 'X' }, headers: { 'if-match': '"1"' } })
    expect([late.statusCode, late.json().data.current.name]).toEqual([412, 'Alpha & Sons'])
    expect(late.json().data.changed_by).toMatchObject({ id: server.world.users['admin@alpha'] })
  })

  test('its tax number is kept and taken away, and a bad one is refused by name', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/m18s/company/${server.world.companies.alpha}`
    const put = (tax_number: string | null) => admin.send({ method: 'PUT', url, payload: { tax_number } })
    expect((await admin.send({ url })).json()).toMatchObject({ tax_number: null })
    expect((await put(' 91350211M000100Y43 ')).json()).toMatchObject({ tax_number: '91350211M000100Y43' })
    const bad = await put('No. 12345678')
    expect([bad.statusCode, bad.json().data]).toEqual([
      400,
      [expect.objectContaining({ field: 'tax_number', code: 'INVALID_FORMAT' })],
    ])
    expect((await admin.send({ url })).json()).toMatchObject({ tax_number: '91350211M000100Y43', row_version: 2 })
    expect((await put(null)).json()).toMatchObject({ tax_number: null, row_version: 3 })
  })

  test('its links lead to the web and nowhere else (S-08)', async () => {
    const admin = await server.signIn('admin@alpha')
    const url = `/api/m18s/company/${server.world.companies.alpha}`
    for (const website of ['javascript:alert(1)', 'data:text/html,x', '//evil', 'https://u:p@evil', 'ftp://x'])
      expect([website, (await admin.send({ method: 'PUT', url, payload: { website } })).statusCode]).toEqual([
        website,
        400,
      ])
    for (const payload of [{ name: ' ' }, { email: 'x' }, { tel: '12345' }])
      expect((await admin.send({ method: 'PUT', url, payload })).statusCode).toBe(400)
    const fine = { website: 'www.alpha.example', tel: '+86-13800138000', email: null, addr3: 'Floor 3' }
    expect((await admin.send({ method: 'PUT', url, payload: fine })).json()).toMatchObject(fine)
  })
})

describe('existence queries (M56)', () => {
  const ask = async (query: string, by?: SignedIn) => (by ? by.send : server.send)({ url: `/api/query/${query}` })

  test('a company code may be asked by anybody, other codes not (D57)', async () => {
    expect((await ask('code?resource=company&code=ALPHA')).body).toBe('true')
    expect((await ask('code?resource=company&code=nowhere')).body).toBe('false')
    expect(told(await ask('code?resource=module&code=x'))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('about people the own company alone is told of (N-07)', async () => {
    const user = await server.signIn('user@alpha')
    expect((await ask('user?code=ORDER@alpha.example', user)).body).toBe('true')
    expect((await ask('user?code=deleted@alpha.example', user)).body).toBe('false')
    expect((await ask('user?code=admin@beta.example', user)).body).toBe('false')
    expect((await ask('user?code=admin@beta.example&company=beta', user)).body).toBe('false')
    expect((await ask('user?code=order@alpha.example&company=alpha', user)).body).toBe('true')
    expect((await ask('order?code=abc', user)).body).toBe('false')
  })

  test('fields that are not on the list cannot be asked about (F-14)', async () => {
    const user = await server.signIn('user@alpha')
    expect((await ask('field?resource=user&field=email&value=order@alpha.example', user)).body).toBe('true')
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
      expect([query, (await ask(`field?${query}`, user)).statusCode]).toEqual([query, 400])
    expect((await ask('field?resource=user&field=email&value=x')).statusCode).toBe(401)
  })

  test('a row that keeps its own value is left out by `not`', async () => {
    const admin = await server.signIn('admin@alpha')
    const question = (not: number) =>
      ask(`field?resource=user&field=email&value=ORDER@alpha.example&conds=not%3D${not}`, admin)
    const { users } = server.world
    expect((await question(users['order@alpha'] ?? 0)).body).toBe('false')
    expect((await question(users['user@alpha'] ?? 0)).body).toBe('true')
  })

  test("the catalogue's staff ask whether a code or a date is taken, by client type", async () => {
    const staff = await server.signIn('admin@m18')
    const code = await staff.send({ method: 'POST', url: '/api/module', payload: { code: 'asked', name: 'Asked' } })
    const { id } = code.json()
    const asked = async (query: string) => {
      const answer = await ask(`field?resource=module&field=code&value=ASKED${query}`, staff)
      return [answer.statusCode, answer.body]
    }
    expect(await asked('')).toEqual([200, 'true'])
    expect(await asked(`&conds=not%3D${id}%26type%3Dsaas`)).toEqual([200, 'false'])
    expect((await asked('&conds=type%3Dmma'))[0]).toBe(403)
    const list = { type: 'saas', effective_date: '2031-05-01', desc: 'Asked' }
    expect((await staff.send({ method: 'POST', url: '/api/pricelist', payload: list })).statusCode).toBe(200)
    const date = async (value: string) =>
      (await ask(`field?resource=price&field=effective_date&value=${value}`, staff)).body
    expect([await date('2031-05-01'), await date('2031-05-02')]).toEqual(['true', 'false'])
  })
})
