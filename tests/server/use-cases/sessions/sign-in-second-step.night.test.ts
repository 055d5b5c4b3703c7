import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { resetFactorsByOperator } from '#server/use-cases/factors/reset-factors.ts'
import { newPasskey } from '#tests/support/server/authenticator.ts'
import {
  relyingParty,
  makeNonDemo,
  passPasswordStep,
  sendSecondStep,
  addAuthenticatorApp,
  addPasskey,
} from '#tests/support/server/factors.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { requestToken, startServer, type TestServer, buildUsername } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'
import { calculateCode } from '#tests/support/server/otp.ts'

let server: TestServer
const mailBox = createMailBox(() => server.app)
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const clientHeaders = { authorization: `Basic ${btoa(clientCredential)}` }
const minuteMs = 60_000
const stepMs = 30_000
const getCode = (secret: string, steps = 0) => calculateCode(secret, server.clock.now, steps)
const addAppFactor = async (userName: string) => addAuthenticatorApp(await server.signIn(userName), server.clock.now)
const readOutcome = (response: { statusCode: number; body: string; json: () => { errorCode?: string } }) =>
  response.statusCode === 200 ? 200 : [response.statusCode, response.json().errorCode]
const trySecondStep = async (mfaToken: string, fields: Record<string, string>) =>
  readOutcome(await sendSecondStep(server, mfaToken, fields))
const requestMfaToken = async () => (await passPasswordStep(server, 'user@alpha')).mfa_token

const invalidOutcome = [401, 'MFA_INVALID']
const expiredOutcome = [401, 'MFA_EXPIRED']

describe('the second step with an authenticator app', () => {
  test('follows the right password and returns a session', async () => {
    const { secret } = await addAppFactor('user@alpha')
    const response = await requestToken(server.fastify, {
      grant_type: 'password',
      username: buildUsername('user@alpha'),
      password,
    })
    expect([response.statusCode, response.json().errorCode, response.json().error]).toEqual([
      401,
      'MFA_REQUIRED',
      'invalid_grant',
    ])
    expect(response.headers['set-cookie']).toBeUndefined()
    const { data } = response.json()
    expect(data).toEqual({
      mfa_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 300,
      methods: ['otp', 'recovery_code'],
      passkey: null,
      enrol: false,
    })
    server.clock.now += stepMs
    const secondResponse = await sendSecondStep(server, data.mfa_token, { otp: getCode(secret) })
    expect(secondResponse.json()).toMatchObject({ token_type: 'Bearer', user_id: server.world.users['user@alpha'] })
    const { access_token } = secondResponse.json()
    const ownResponse = await server.send({
      url: '/api/m18s/user',
      headers: { authorization: `Bearer ${access_token}` },
    })
    expect(ownResponse.statusCode).toBe(200)
  })

  test('is not revealed by a wrong password', async () => {
    await addAppFactor('user@alpha')
    const response = await requestToken(server.fastify, {
      grant_type: 'password',
      username: buildUsername('user@alpha'),
      password: 'Not-the-one-44',
    })
    expect([response.json().errorCode, response.json().data]).toEqual(['invalid_grant', null])
  })

  test('accepts a clock difference of one step', async () => {
    const { secret } = await addAppFactor('user@alpha')
    server.clock.now += 10 * minuteMs
    for (const [steps, expected] of [
      [-2, invalidOutcome],
      [2, invalidOutcome],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const)
      expect(await trySecondStep(await requestMfaToken(), { otp: getCode(secret, steps) })).toEqual(expected)
  })

  test('accepts neither a used code, nor the setup code, nor an older code', async () => {
    const { secret } = await addAppFactor('user@alpha')
    expect(await trySecondStep(await requestMfaToken(), { otp: getCode(secret) })).toEqual(invalidOutcome)
    server.clock.now += 2 * stepMs
    expect(await trySecondStep(await requestMfaToken(), { otp: getCode(secret) })).toBe(200)
    expect(await trySecondStep(await requestMfaToken(), { otp: getCode(secret) })).toEqual(invalidOutcome)
    expect(await trySecondStep(await requestMfaToken(), { otp: getCode(secret, -1) })).toEqual(invalidOutcome)
  })

  test('accepts one of twenty concurrent requests with one code', async () => {
    const { secret } = await addAppFactor('user@alpha')
    server.clock.now += stepMs
    const tokens = [await passPasswordStep(server, 'user@alpha'), await passPasswordStep(server, 'user@alpha')]
    const otp = getCode(secret)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sendSecondStep(server, tokens[index % 2]?.mfa_token ?? '', { otp })),
    )
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  test('accepts its token once, for five minutes, and no forged token', async () => {
    const { secret } = await addAppFactor('user@alpha')
    server.clock.now += stepMs
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    expect(await trySecondStep('x'.repeat(43), { otp: getCode(secret) })).toEqual(expiredOutcome)
    expect(await trySecondStep(mfa_token, { otp: getCode(secret) })).toBe(200)
    server.clock.now += stepMs
    expect(await trySecondStep(mfa_token, { otp: getCode(secret) })).toEqual(expiredOutcome)
    const lateStep = await passPasswordStep(server, 'user@alpha')
    server.clock.now += 5 * minuteMs
    expect(await trySecondStep(lateStep.mfa_token, { otp: getCode(secret) })).toEqual(expiredOutcome)
  })

  test('rejects a request without a factor as a missing field', async () => {
    await addAppFactor('user@alpha')
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    expect(await trySecondStep(mfa_token, {})).toEqual([400, 'VALIDATION_ERROR'])
    expect(readOutcome(await requestToken(server.fastify, { grant_type: 'mfa' }))).toEqual([400, 'VALIDATION_ERROR'])
    // The password is not a second factor.
    expect(await trySecondStep(mfa_token, { password })).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('ends when the password or the account is changed (S-44)', async () => {
    const person = await server.signIn('user@alpha')
    const { secret } = await addAuthenticatorApp(person, server.clock.now)
    server.clock.now += stepMs
    const firstStep = await passPasswordStep(server, 'user@alpha')
    const changeResponse = await person.send({
      method: 'POST',
      url: '/api/m18s/password',
      payload: { orgPwd: password, newPwd: 'Slow-river-under-9-bridges' },
    })
    expect(changeResponse.statusCode).toBe(204)
    expect(await trySecondStep(firstStep.mfa_token, { otp: getCode(secret) })).toEqual(expiredOutcome)

    const admin = await addAppFactor('second@alpha')
    server.clock.now += stepMs
    const secondStep = await passPasswordStep(server, 'second@alpha')
    const otherAdmin = await server.signIn('admin@alpha')
    const id = server.world.users['second@alpha']
    expect((await otherAdmin.send({ method: 'POST', url: `/api/users/disable/${id}` })).statusCode).toBe(200)
    expect(await trySecondStep(secondStep.mfa_token, { otp: getCode(admin.secret) })).toEqual(expiredOutcome)
  })

  test('ends the older session of the cookie, like any login', async () => {
    const { secret } = await addAppFactor('user@alpha')
    server.clock.now += stepMs
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    const cookieResponse = await sendSecondStep(server, mfa_token, { otp: getCode(secret) }, {})
    expect([cookieResponse.headers['set-cookie']].flat()[1]).toMatch(/^portal-refresh=[\w-]+; .*HttpOnly/)
    expect(cookieResponse.json().refresh_token).toBe('cookie')
  })
})

describe('guessing a second factor', () => {
  test('is limited like passwords, also with a right password before each guess (S-29)', async () => {
    const { secret } = await addAppFactor('user@alpha')
    server.clock.now += 10 * minuteMs
    const outcomes: unknown[] = []
    for (let index = 0; index < 7; index++)
      outcomes.push(await trySecondStep(await requestMfaToken(), { otp: '000000' }))
    expect(outcomes).toEqual([...Array(5).fill(invalidOutcome), [429, 'RATE_LIMITED'], [429, 'RATE_LIMITED']])
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    const validResponse = await sendSecondStep(server, mfa_token, { otp: getCode(secret) })
    expect(readOutcome(validResponse)).toEqual([429, 'RATE_LIMITED'])
    const waitSeconds = Number(validResponse.headers['retry-after'])
    expect(waitSeconds).toBeGreaterThan(0)
    // The wait always ends (S-30).
    server.clock.now += waitSeconds * 1000
    expect(await trySecondStep(mfa_token, { otp: getCode(secret) })).toBe(200)
  })

  test('is reported to the owner by mail once an hour (S-38)', async () => {
    await addAppFactor('user@alpha')
    server.clock.now += 10 * minuteMs
    await mailBox.fetch()
    const guessCode = async () => sendSecondStep(server, await requestMfaToken(), { otp: '000000' })
    for (let index = 0; index < 4; index++) await guessCode()
    expect(await mailBox.fetch()).toEqual([])
    for (let index = 0; index < 3; index++) await guessCode()
    const [mail, ...otherMails] = await mailBox.fetch()
    expect([mail?.to.address, mail?.subject, otherMails]).toEqual([
      'user@alpha.example',
      'Somebody is trying to log in to your account · Service portal',
      [],
    ])
    expect(mail?.text).toContain('/saas/forget')
    server.clock.now += 30 * minuteMs
    for (let index = 0; index < 6; index++) await guessCode()
    expect(await mailBox.fetch()).toEqual([])
    server.clock.now += 60 * minuteMs
    for (let index = 0; index < 6; index++) await guessCode()
    expect(await mailBox.fetch()).toHaveLength(1)
  })

  test('does not lock out the passkey of the owner (S-30)', async () => {
    const key = await addPasskey(await server.signIn('user@alpha'))
    for (let index = 0; index < 6; index++)
      await sendSecondStep(server, await requestMfaToken(), { recovery_code: `guess-${index}` })
    const { mfa_token, passkey } = await passPasswordStep(server, 'user@alpha')
    expect(await trySecondStep(mfa_token, { recovery_code: 'one-more' })).toEqual([429, 'RATE_LIMITED'])
    // Invalid signatures block only the address that sends them.
    const sendBogusAssertion = async () => {
      const { mfa_token } = await passPasswordStep(server, 'user@alpha')
      const payload = String(new URLSearchParams({ grant_type: 'mfa', mfa_token, assertion: 'not json' }))
      return server.send({
        method: 'POST',
        url: '/api/m18s/token',
        headers: { ...clientHeaders, 'content-type': 'application/x-www-form-urlencoded' },
        payload,
        remoteAddress: '203.0.113.9',
      })
    }
    const statuses = []
    for (let index = 0; index < 6; index++) statuses.push((await sendBogusAssertion()).statusCode)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const assertion = key.sign(passkey?.challenge ?? '')
    expect(await trySecondStep(mfa_token, { assertion })).toBe(200)
  })

  test('is limited for two hundred concurrent guesses of all kinds (S-31)', async () => {
    await addAppFactor('user@alpha')
    server.clock.now += 10 * minuteMs
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    const guess = (index: number) =>
      sendSecondStep(
        server,
        mfa_token,
        index % 2 ? { otp: String(index).padStart(6, '0') } : { recovery_code: `guess-${index}` },
      )
    const responses = await Promise.all(Array.from({ length: 200 }, (_, index) => guess(index)))
    const checkedResponses = responses.filter(({ statusCode }) => statusCode !== 429)
    expect(checkedResponses.map(readOutcome)).toEqual(Array(5).fill(invalidOutcome))
  })
})

describe('recovery codes', () => {
  test('work once each in any spelling, with an audit entry and a mail', async () => {
    const { codes } = await addAppFactor('user@alpha')
    expect(codes).toHaveLength(10)
    expect(new Set(codes).size).toBe(10)
    expect(codes.every((recoveryCode) => /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/.test(recoveryCode))).toBe(
      true,
    )
    await mailBox.fetch()
    const [first = '', second = ''] = codes
    const typedCode = first.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O')
    expect(await trySecondStep(await requestMfaToken(), { recovery_code: typedCode })).toBe(200)
    expect(await trySecondStep(await requestMfaToken(), { recovery_code: first })).toEqual(invalidOutcome)
    const responses = await Promise.all(
      [await requestMfaToken(), await requestMfaToken()].map((mfaToken) =>
        sendSecondStep(server, mfaToken, { recovery_code: second }),
      ),
    )
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)

    const mails = await mailBox.fetch()
    expect(mails.map(({ subject }) => subject)).toEqual(Array(2).fill('A recovery code was used · Service portal'))
    const notes = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('audit_entry').select(['operation', 'info']).orderBy('id', 'desc').limit(2).execute(),
    )
    expect(notes.map(({ operation, info }) => [operation, info.Field ?? info.Factor, info.Change])).toEqual([
      ['login', 'recovery code', undefined],
      ['update', 'recovery code', 'used'],
    ])
    const allText = `${JSON.stringify(notes)}${server.readLog()}${JSON.stringify(mails)}`
    expect(codes.filter((recoveryCode) => allText.includes(recoveryCode))).toEqual([])
  })

  test('do not work for another user', async () => {
    await addAppFactor('user@alpha')
    const { codes } = await addAppFactor('second@alpha')
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    expect(await trySecondStep(mfa_token, { recovery_code: codes[0] ?? '' })).toEqual(invalidOutcome)
  })
})

describe('a user who lost all factors', () => {
  test('can log in with the password after a reset by the operator, which is recorded and ends sessions', async () => {
    const person = await server.signIn('user@alpha')
    const { codes } = await addAuthenticatorApp(person, server.clock.now)
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    await mailBox.fetch()
    expect(await resetFactorsByOperator(server.app, 'alpha:nobody@alpha.example')).toBe(null)
    expect(await resetFactorsByOperator(server.app, buildUsername('user@alpha'))).toBe(1)
    expect(await resetFactorsByOperator(server.app, buildUsername('user@alpha'))).toBe(0)
    expect(await trySecondStep(mfa_token, { recovery_code: codes[0] ?? '' })).toEqual(invalidOutcome)
    expect((await person.send({ url: '/api/m18s/user' })).statusCode).toBe(401)
    expect(await mailBox.fetch()).toHaveLength(1)
    await server.signIn('user@alpha')
  })
})

describe('the second step with a passkey', () => {
  test('signs the challenge once, and a cloned key is detected', async () => {
    const key = await addPasskey(await server.signIn('user@alpha'))
    const firstStep = await passPasswordStep(server, 'user@alpha')
    expect(firstStep.methods).toEqual(['assertion', 'recovery_code'])
    expect(firstStep.passkey).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: key.id }] })
    const assertion = key.sign(firstStep.passkey?.challenge ?? '')
    expect(await trySecondStep(firstStep.mfa_token, { assertion })).toBe(200)
    expect(await trySecondStep(firstStep.mfa_token, { assertion })).toEqual(expiredOutcome)

    const nextStep = await passPasswordStep(server, 'user@alpha')
    expect(await trySecondStep(nextStep.mfa_token, { assertion })).toEqual(invalidOutcome)
    key.setCounter(0)
    const copiedAssertion = key.sign(nextStep.passkey?.challenge ?? '')
    expect(await trySecondStep(nextStep.mfa_token, { assertion: copiedAssertion })).toEqual(invalidOutcome)
  })

  test('is refused for another origin, another key and malformed input (S-37)', async () => {
    const key = await addPasskey(await server.signIn('user@alpha'))
    const { mfa_token, passkey } = await passPasswordStep(server, 'user@alpha')
    const challenge = passkey?.challenge ?? ''
    const wrongAssertions = [
      key.sign(challenge, { origin: 'https://portal.example.net' }),
      key.sign(challenge, { rpId: 'example.net' }),
      newPasskey(relyingParty).sign(challenge),
      'not json',
    ]
    for (const assertion of wrongAssertions)
      expect(await trySecondStep(mfa_token, { assertion })).toEqual(invalidOutcome)
  })
})

describe('a required second factor', () => {
  test('must be set up by provider staff before they are logged in (M20)', async () => {
    await makeNonDemo(server, 'user@m18')
    const { mfa_token, methods, enrol, expires_in } = await passPasswordStep(server, 'user@m18')
    expect({ methods, enrol, expires_in }).toEqual({ methods: [], enrol: true, expires_in: 900 })
    // Before the factor is set up, the token cannot be used to sign in.
    expect(await trySecondStep(mfa_token, {})).toEqual([400, 'VALIDATION_ERROR'])
    const send = (path: string, payload: object) =>
      server.send({ method: 'POST', url: `/public/mfa/${path}`, payload: { mfa_token, ...payload } })
    const { totp } = (await send('setup', { kind: 'totp' })).json()
    expect(totp.uri).toMatch(/^otpauth:\/\/totp\/Service%20portal:/)
    const factorFields = { kind: 'totp', name: 'Phone' }
    expect(readOutcome(await send('factor', { ...factorFields, otp: '000000' }))).toEqual(invalidOutcome)
    const added = await send('factor', { ...factorFields, otp: getCode(totp.secret) })
    expect(added.json().recovery_codes).toHaveLength(10)
    expect(readOutcome(await send('setup', { kind: 'totp' }))).toEqual([409, 'STATE_CONFLICT'])
    expect(await trySecondStep(mfa_token, {})).toBe(200)
    expect(await trySecondStep(mfa_token, {})).toEqual(expiredOutcome)
    expect((await passPasswordStep(server, 'user@m18')).methods).toEqual(['otp', 'recovery_code'])
  })

  test('can be a passkey', async () => {
    await makeNonDemo(server, 'admin@m18')
    const { mfa_token } = await passPasswordStep(server, 'admin@m18')
    const send = (path: string, payload: object) =>
      server.send({ method: 'POST', url: `/public/mfa/${path}`, payload: { mfa_token, ...payload } })
    const { passkey } = (await send('setup', { kind: 'passkey' })).json()
    expect(passkey.rp).toEqual({ id: 'localhost', name: 'Service portal' })
    const attestation = newPasskey(relyingParty).register(passkey.challenge)
    expect((await send('factor', { kind: 'passkey', name: 'Key', attestation })).statusCode).toBe(200)
    expect(await trySecondStep(mfa_token, {})).toBe(200)
  })

  test('is not required from demo staff, nor from customers by default', async () => {
    expect((await server.signIn('admin@m18')).userId).toBe(server.world.users['admin@m18'])
    await makeNonDemo(server, 'user@alpha')
    expect((await server.signIn('user@alpha')).userId).toBe(server.world.users['user@alpha'])
  })

  test('cannot be set up in the password step of a user who already has one', async () => {
    await addAppFactor('user@alpha')
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    const response = await server.send({
      method: 'POST',
      url: '/public/mfa/setup',
      payload: { mfa_token, kind: 'totp' },
    })
    expect(readOutcome(response)).toEqual([409, 'STATE_CONFLICT'])
  })
})
