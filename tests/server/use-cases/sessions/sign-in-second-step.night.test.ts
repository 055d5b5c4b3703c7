import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { forgetFactors } from '#server/use-cases/factors/reset-factors.ts'
import { newPasskey } from '#tests/support/server/authenticator.ts'
import { home, makeReal, passwordStep, secondStep, withApp, withPasskey } from '#tests/support/server/factors.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { grant, startServer, type TestServer, usernameOf } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'
import { codeAt } from '#tests/support/server/otp.ts'

let server: TestServer
const box = mailBox(() => server.app)
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const clientHeaders = { authorization: `Basic ${btoa(clientCredential)}` }
const minute = 60_000
const step = 30_000
const code = (secret: string, steps = 0) => codeAt(secret, server.clock.now, steps)
const app = async (who: string) => withApp(await server.signIn(who), server.clock.now)
const said = (answer: { statusCode: number; body: string; json: () => { errorCode?: string } }) =>
  answer.statusCode === 200 ? 200 : [answer.statusCode, answer.json().errorCode]

const invalid = [401, 'MFA_INVALID']
const expired = [401, 'MFA_EXPIRED']

describe('the second step by an app’s code', () => {
  test('comes after the right password, and then gives what a sign-in gives', async () => {
    const { secret } = await app('user@alpha')
    const answer = await grant(server.fastify, { grant_type: 'password', username: usernameOf('user@alpha'), password })
    expect([answer.statusCode, answer.json().errorCode, answer.json().error]).toEqual([
      401,
      'MFA_REQUIRED',
      'invalid_grant',
    ])
    expect(answer.headers['set-cookie']).toBeUndefined()
    const { data } = answer.json()
    expect(data).toEqual({
      mfa_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 300,
      methods: ['otp', 'recovery_code'],
      passkey: null,
      enrol: false,
    })
    server.clock.now += step
    const second = await secondStep(server, data.mfa_token, { otp: code(secret) })
    expect(second.json()).toMatchObject({ token_type: 'Bearer', user_id: server.world.users['user@alpha'] })
    const { access_token } = second.json()
    const own = await server.send({ url: '/api/m18s/user', headers: { authorization: `Bearer ${access_token}` } })
    expect(own.statusCode).toBe(200)
  })

  test('a wrong password says nothing of it', async () => {
    await app('user@alpha')
    const answer = await grant(server.fastify, {
      grant_type: 'password',
      username: usernameOf('user@alpha'),
      password: 'Not-the-one-44',
    })
    expect([answer.json().errorCode, answer.json().data]).toEqual(['invalid_grant', null])
  })

  test('takes one step of drift either way, and none further', async () => {
    const { secret } = await app('user@alpha')
    server.clock.now += 10 * minute
    const token = async () => (await passwordStep(server, 'user@alpha')).mfa_token
    for (const [steps, expected] of [
      [-2, invalid],
      [2, invalid],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const)
      expect(said(await secondStep(server, await token(), { otp: code(secret, steps) }))).toEqual(expected)
  })

  test('takes no code twice, not the one that set it up, and none older than one it took', async () => {
    const { secret } = await app('user@alpha')
    const token = async () => (await passwordStep(server, 'user@alpha')).mfa_token
    expect(said(await secondStep(server, await token(), { otp: code(secret) }))).toEqual(invalid)
    server.clock.now += 2 * step
    expect(said(await secondStep(server, await token(), { otp: code(secret) }))).toBe(200)
    expect(said(await secondStep(server, await token(), { otp: code(secret) }))).toEqual(invalid)
    expect(said(await secondStep(server, await token(), { otp: code(secret, -1) }))).toEqual(invalid)
  })

  test('of twenty at once with one code, one comes in', async () => {
    const { secret } = await app('user@alpha')
    server.clock.now += step
    const tokens = [await passwordStep(server, 'user@alpha'), await passwordStep(server, 'user@alpha')]
    const otp = code(secret)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => secondStep(server, tokens[at % 2]?.mfa_token ?? '', { otp })),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  test('its token works once, for five minutes, and a made-up one never', async () => {
    const { secret } = await app('user@alpha')
    server.clock.now += step
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    expect(said(await secondStep(server, 'x'.repeat(43), { otp: code(secret) }))).toEqual(expired)
    expect(said(await secondStep(server, mfa_token, { otp: code(secret) }))).toBe(200)
    server.clock.now += step
    expect(said(await secondStep(server, mfa_token, { otp: code(secret) }))).toEqual(expired)
    const late = await passwordStep(server, 'user@alpha')
    server.clock.now += 5 * minute
    expect(said(await secondStep(server, late.mfa_token, { otp: code(secret) }))).toEqual(expired)
  })

  test('nothing given is a field that is missing', async () => {
    await app('user@alpha')
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    expect(said(await secondStep(server, mfa_token, {}))).toEqual([400, 'VALIDATION_ERROR'])
    expect(said(await grant(server.fastify, { grant_type: 'mfa' }))).toEqual([400, 'VALIDATION_ERROR'])
    // The password is no second factor.
    expect(said(await secondStep(server, mfa_token, { password }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('ends with the password, and with the account (S-44)', async () => {
    const person = await server.signIn('user@alpha')
    const { secret } = await withApp(person, server.clock.now)
    server.clock.now += step
    const first = await passwordStep(server, 'user@alpha')
    const changed = await person.send({
      method: 'POST',
      url: '/api/m18s/password',
      payload: { orgPwd: password, newPwd: 'Slow-river-under-9-bridges' },
    })
    expect(changed.statusCode).toBe(204)
    expect(said(await secondStep(server, first.mfa_token, { otp: code(secret) }))).toEqual(expired)

    const admin = await app('second@alpha')
    server.clock.now += step
    const second = await passwordStep(server, 'second@alpha')
    const other = await server.signIn('admin@alpha')
    const id = server.world.users['second@alpha']
    expect((await other.send({ method: 'POST', url: `/api/users/disable/${id}` })).statusCode).toBe(200)
    expect(said(await secondStep(server, second.mfa_token, { otp: code(admin.secret) }))).toEqual(expired)
  })

  test('the cookie’s older session ends, as at any sign-in', async () => {
    const { secret } = await app('user@alpha')
    server.clock.now += step
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    const cookies = await secondStep(server, mfa_token, { otp: code(secret) }, {})
    expect([cookies.headers['set-cookie']].flat()[1]).toMatch(/^portal-refresh=[\w-]+; .*HttpOnly/)
    expect(cookies.json().refresh_token).toBe('cookie')
  })
})

describe('guessing', () => {
  test('is slowed like that of passwords, and a right password before each guess does not help (S-29)', async () => {
    const { secret } = await app('user@alpha')
    server.clock.now += 10 * minute
    const seen: unknown[] = []
    for (let at = 0; at < 7; at++) {
      const { mfa_token } = await passwordStep(server, 'user@alpha')
      seen.push(said(await secondStep(server, mfa_token, { otp: '000000' })))
    }
    expect(seen).toEqual([...Array(5).fill(invalid), [429, 'RATE_LIMITED'], [429, 'RATE_LIMITED']])
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    const right = await secondStep(server, mfa_token, { otp: code(secret) })
    expect(said(right)).toEqual([429, 'RATE_LIMITED'])
    const wait = Number(right.headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    // Never for ever (S-30).
    server.clock.now += wait * 1000
    expect(said(await secondStep(server, mfa_token, { otp: code(secret) }))).toBe(200)
  })

  test('is told to the owner by mail, once an hour: who guesses has the password (S-38)', async () => {
    await app('user@alpha')
    server.clock.now += 10 * minute
    await box.fetch()
    const guess = async () => {
      const { mfa_token } = await passwordStep(server, 'user@alpha')
      return secondStep(server, mfa_token, { otp: '000000' })
    }
    for (let at = 0; at < 4; at++) await guess()
    expect(await box.fetch()).toEqual([])
    for (let at = 0; at < 3; at++) await guess()
    const [mail, ...more] = await box.fetch()
    expect([mail?.to.address, mail?.subject, more]).toEqual([
      'user@alpha.example',
      'Somebody is trying to log in to your account · Service portal',
      [],
    ])
    expect(mail?.text).toContain('/saas/forget')
    server.clock.now += 30 * minute
    for (let at = 0; at < 6; at++) await guess()
    expect(await box.fetch()).toEqual([])
    server.clock.now += 60 * minute
    for (let at = 0; at < 6; at++) await guess()
    expect(await box.fetch()).toHaveLength(1)
  })

  test('by a stranger does not keep the owner’s passkey out (S-30)', async () => {
    const key = await withPasskey(await server.signIn('user@alpha'))
    for (let at = 0; at < 6; at++) {
      const { mfa_token } = await passwordStep(server, 'user@alpha')
      await secondStep(server, mfa_token, { recovery_code: `guess-${at}` })
    }
    const { mfa_token, passkey } = await passwordStep(server, 'user@alpha')
    expect(said(await secondStep(server, mfa_token, { recovery_code: 'one-more' }))).toEqual([429, 'RATE_LIMITED'])
    // Wrong signatures from one address make only that address wait.
    const bogus = async () => {
      const { mfa_token } = await passwordStep(server, 'user@alpha')
      const payload = String(new URLSearchParams({ grant_type: 'mfa', mfa_token, assertion: 'not json' }))
      return server.send({
        method: 'POST',
        url: '/api/m18s/token',
        headers: { ...clientHeaders, 'content-type': 'application/x-www-form-urlencoded' },
        payload,
        remoteAddress: '203.0.113.9',
      })
    }
    const seen = []
    for (let at = 0; at < 6; at++) seen.push((await bogus()).statusCode)
    expect(seen).toEqual([401, 401, 401, 401, 401, 429])
    const assertion = key.signed(passkey?.challenge ?? '')
    expect(said(await secondStep(server, mfa_token, { assertion }))).toBe(200)
  })

  test('holds when two hundred guess at once, by all kinds (S-31)', async () => {
    await app('user@alpha')
    server.clock.now += 10 * minute
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    const guess = (at: number) =>
      secondStep(server, mfa_token, at % 2 ? { otp: String(at).padStart(6, '0') } : { recovery_code: `guess-${at}` })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => guess(at)))
    const tried = answers.filter(({ statusCode }) => statusCode !== 429)
    expect(tried.map(said)).toEqual(Array(5).fill(invalid))
  })
})

describe('recovery codes', () => {
  test('work once each, however they are typed; the use is written down and told by mail', async () => {
    const { codes } = await app('user@alpha')
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    expect(codes.every((one) => /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/.test(one))).toBe(true)
    await box.fetch()
    const [first = '', second = ''] = codes
    const token = async () => (await passwordStep(server, 'user@alpha')).mfa_token
    const typed = first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O')
    expect(said(await secondStep(server, await token(), { recovery_code: typed }))).toBe(200)
    expect(said(await secondStep(server, await token(), { recovery_code: first }))).toEqual(invalid)
    const answers = await Promise.all(
      [await token(), await token()].map((one) => secondStep(server, one, { recovery_code: second })),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)

    const mails = await box.fetch()
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('A recovery code was used · Service portal'))
    const notes = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select(['operation', 'info']).orderBy('id', 'desc').limit(2).execute(),
    )
    expect(notes.map(({ operation, info }) => [operation, info.Field ?? info.Factor, info.Change])).toEqual([
      ['login', 'recovery code', undefined],
      ['update', 'recovery code', 'used'],
    ])
    const everything = `${JSON.stringify(notes)}${server.logged()}${JSON.stringify(mails)}`
    expect(codes.filter((one) => everything.includes(one))).toEqual([])
  })

  test('another’s do not', async () => {
    await app('user@alpha')
    const { codes } = await app('second@alpha')
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    expect(said(await secondStep(server, mfa_token, { recovery_code: codes[0] ?? '' }))).toEqual(invalid)
  })
})

describe('who lost everything', () => {
  test('is let in by the operator, with the password and nothing else; sessions end, the trail says it', async () => {
    const person = await server.signIn('user@alpha')
    const { codes } = await withApp(person, server.clock.now)
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    await box.fetch()
    expect(await forgetFactors(server.app, 'alpha:nobody@alpha.example')).toBe(null)
    expect(await forgetFactors(server.app, usernameOf('user@alpha'))).toBe(1)
    expect(await forgetFactors(server.app, usernameOf('user@alpha'))).toBe(0)
    expect(said(await secondStep(server, mfa_token, { recovery_code: codes[0] ?? '' }))).toEqual(invalid)
    expect((await person.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
    expect(await box.fetch()).toHaveLength(1)
    await server.signIn('user@alpha')
  })
})

describe('the second step by a passkey', () => {
  test('signs the challenge of this password step, once, and a copy of the key is noticed', async () => {
    const key = await withPasskey(await server.signIn('user@alpha'))
    const first = await passwordStep(server, 'user@alpha')
    expect(first.methods).toEqual(['assertion', 'recovery_code'])
    expect(first.passkey).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: key.id }] })
    const assertion = key.signed(first.passkey?.challenge ?? '')
    expect(said(await secondStep(server, first.mfa_token, { assertion }))).toBe(200)
    expect(said(await secondStep(server, first.mfa_token, { assertion }))).toEqual(expired)

    const next = await passwordStep(server, 'user@alpha')
    expect(said(await secondStep(server, next.mfa_token, { assertion }))).toEqual(invalid)
    key.setCounter(0)
    const copied = key.signed(next.passkey?.challenge ?? '')
    expect(said(await secondStep(server, next.mfa_token, { assertion: copied }))).toEqual(invalid)
  })

  test('is refused for another address, another key and what is no answer at all (S-37)', async () => {
    const key = await withPasskey(await server.signIn('user@alpha'))
    const { mfa_token, passkey } = await passwordStep(server, 'user@alpha')
    const challenge = passkey?.challenge ?? ''
    const wrong = [
      key.signed(challenge, { origin: 'https://portal.example.net' }),
      key.signed(challenge, { rpId: 'example.net' }),
      newPasskey(home).signed(challenge),
      'not json',
    ]
    for (const assertion of wrong) expect(said(await secondStep(server, mfa_token, { assertion }))).toEqual(invalid)
  })
})

describe('where a factor is required', () => {
  test('staff of the provider set one up before anything else, and are in (M20)', async () => {
    await makeReal(server, 'user@m18')
    const { mfa_token, methods, enrol, expires_in } = await passwordStep(server, 'user@m18')
    expect({ methods, enrol, expires_in }).toEqual({ methods: [], enrol: true, expires_in: 900 })
    // Before it is set up, the token signs nobody in.
    expect(said(await secondStep(server, mfa_token, {}))).toEqual([400, 'VALIDATION_ERROR'])
    const send = (path: string, payload: object) =>
      server.send({ method: 'POST', url: `/public/mfa/${path}`, payload: { mfa_token, ...payload } })
    const { totp } = (await send('setup', { kind: 'totp' })).json()
    expect(totp.uri).toMatch(/^otpauth:\/\/totp\/Service%20portal:/)
    const named = { kind: 'totp', name: 'Phone' }
    expect(said(await send('factor', { ...named, otp: '000000' }))).toEqual(invalid)
    const added = await send('factor', { ...named, otp: code(totp.secret) })
    expect(added.json().recovery_codes).toHaveLength(10)
    expect(said(await send('setup', { kind: 'totp' }))).toEqual([409, 'STATE_CONFLICT'])
    expect(said(await secondStep(server, mfa_token, {}))).toBe(200)
    expect(said(await secondStep(server, mfa_token, {}))).toEqual(expired)
    expect((await passwordStep(server, 'user@m18')).methods).toEqual(['otp', 'recovery_code'])
  })

  test('a passkey can be the first one as well', async () => {
    await makeReal(server, 'admin@m18')
    const { mfa_token } = await passwordStep(server, 'admin@m18')
    const send = (path: string, payload: object) =>
      server.send({ method: 'POST', url: `/public/mfa/${path}`, payload: { mfa_token, ...payload } })
    const { passkey } = (await send('setup', { kind: 'passkey' })).json()
    expect(passkey.rp).toEqual({ id: 'localhost', name: 'Service portal' })
    const attestation = newPasskey(home).made(passkey.challenge)
    expect((await send('factor', { kind: 'passkey', name: 'Key', attestation })).statusCode).toBe(200)
    expect(said(await secondStep(server, mfa_token, {}))).toBe(200)
  })

  test('the demo world’s staff are excepted, and customers as long as nobody asks for it', async () => {
    expect((await server.signIn('admin@m18')).userId).toBe(server.world.users['admin@m18'])
    await makeReal(server, 'user@alpha')
    expect((await server.signIn('user@alpha')).userId).toBe(server.world.users['user@alpha'])
  })

  test('a password step of somebody who has a factor sets up none', async () => {
    await app('user@alpha')
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    const answer = await server.send({
      method: 'POST',
      url: '/public/mfa/setup',
      payload: { mfa_token, kind: 'totp' },
    })
    expect(said(answer)).toEqual([409, 'STATE_CONFLICT'])
  })
})
