import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { newPasskey } from '#tests/support/server/authenticator.ts'
import {
  relyingParty,
  makeNonDemo,
  passPasswordStep,
  post,
  proveIdentity,
  sendSecondStep,
  addAuthenticatorApp,
  addPasskey,
} from '#tests/support/server/factors.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'
import { calculateCode } from '#tests/support/server/otp.ts'

let server: TestServer
const mailBox = createMailBox(() => server.app)
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const minuteMs = 60_000
const stepMs = 30_000
const readOwnFactors = async (person: SignedIn) => (await person.send({ url: '/api/m18s/mfa' })).json()
const readOutcome = (response: { statusCode: number; body: string; json: () => { errorCode?: string } }) =>
  response.statusCode < 300 ? response.statusCode : [response.statusCode, response.json().errorCode]

const invalidOutcome = [401, 'MFA_INVALID']
const expiredOutcome = [401, 'MFA_EXPIRED']
const system = { role: 'portal_system' } as const

describe('the factors of a user', () => {
  test('are returned without their secrets', async () => {
    const person = await server.signIn('user@alpha')
    expect(await readOwnFactors(person)).toEqual({
      factors: [],
      recovery_codes: 0,
      required: null,
      company_required: false,
    })
    const { secret, codes } = await addAuthenticatorApp(person, server.clock.now)
    await addPasskey(person)
    const factorList = await readOwnFactors(person)
    expect(factorList).toMatchObject({
      factors: [
        { kind: 'totp', name: 'My phone', create_time: '2026-03-02 10:00:00', last_time: null },
        { kind: 'passkey', name: 'Laptop' },
      ],
      recovery_codes: 10,
    })
    expect(Object.keys(factorList.factors[0])).toEqual(['id', 'kind', 'name', 'create_time', 'last_time'])
    expect(JSON.stringify(factorList)).not.toContain(secret)
    expect(codes.some((code) => JSON.stringify(factorList).includes(code))).toBe(false)
  })

  test('are stored only sealed or hashed, and never logged', async () => {
    const person = await server.signIn('user@alpha')
    const { secret, codes } = await addAuthenticatorApp(person, server.clock.now)
    const rows = await runInTransaction(server.app, system, async (db) => [
      ...(await db.selectFrom('factor').selectAll().execute()),
      ...(await db.selectFrom('recovery_code').selectAll().execute()),
      ...(await db.selectFrom('proof').selectAll().execute()),
      ...(await db.selectFrom('audit_entry').selectAll().execute()),
      ...(await db.selectFrom('job').selectAll().execute()),
      ...(await db.selectFrom('idempotency').selectAll().execute()),
    ])
    const allText = JSON.stringify(rows) + server.readLog()
    for (const secretValue of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', '')), password])
      expect(allText).not.toContain(secretValue)
  })

  test('are hidden from users of another company', async () => {
    await addAuthenticatorApp(await server.signIn('user@alpha'), server.clock.now)
    const visibleRows = await runInTransaction(
      server.app,
      { role: 'portal_app', companyId: server.world.companies.beta },
      (db) => db.selectFrom('factor').selectAll().execute(),
    )
    expect(visibleRows).toEqual([])
    expect((await readOwnFactors(await server.signIn('user@beta'))).factors).toEqual([])
  })
})

describe('changing the factors', () => {
  test('requires a proof by password or factor, which is valid only for the current token', async () => {
    const person = await server.signIn('user@alpha')
    const { mfa_token, methods } = (await post(person, 'begin')).json()
    expect(methods).toEqual(['password'])
    const setup = { mfa_token, kind: 'totp' }
    expect(readOutcome(await post(person, 'setup', setup))).toEqual(expiredOutcome)
    expect(readOutcome(await post(person, 'recovery', { mfa_token }))).toEqual(expiredOutcome)
    expect(readOutcome(await post(person, 'remove', { mfa_token, id: 1 }))).toEqual(expiredOutcome)
    expect(readOutcome(await post(person, 'prove', { mfa_token, password: 'Not-the-one-44' }))).toEqual(invalidOutcome)
    expect(readOutcome(await post(person, 'setup', setup))).toEqual(expiredOutcome)
    expect(readOutcome(await post(person, 'prove', { mfa_token, password }))).toBe(204)
    expect(readOutcome(await post(person, 'setup', setup))).toBe(200)
    server.clock.now += 10 * minuteMs
    const laterPerson = await server.signIn('user@alpha')
    expect(readOutcome(await post(laterPerson, 'setup', setup))).toEqual(expiredOutcome)
  })

  test('accepts each factor as proof, and each code only once', async () => {
    const person = await server.signIn('user@alpha')
    const { secret, codes } = await addAuthenticatorApp(person, server.clock.now)
    const key = await addPasskey(person)
    server.clock.now += stepMs
    const beginChange = async () => (await post(person, 'begin')).json()
    const first = await beginChange()
    expect(first.methods).toEqual(['password', 'otp', 'assertion', 'recovery_code'])
    const otp = calculateCode(secret, server.clock.now)
    const sendProof = async (proof: object, token?: string) =>
      readOutcome(await post(person, 'prove', { mfa_token: token ?? (await beginChange()).mfa_token, ...proof }))
    expect(await sendProof({ otp })).toBe(204)
    expect(await sendProof({ otp })).toEqual(invalidOutcome)
    expect(await sendProof({ recovery_code: codes[0] })).toBe(204)
    expect(await sendProof({ recovery_code: codes[0] })).toEqual(invalidOutcome)
    const { mfa_token, passkey } = await beginChange()
    expect(await sendProof({ assertion: key.sign(passkey.challenge) }, mfa_token)).toBe(204)
    expect((await readOwnFactors(person)).recovery_codes).toBe(9)
  })

  test('is refused with a token from another session, another user or a sign-in', async () => {
    const person = await server.signIn('user@alpha')
    const token = await proveIdentity(person)
    const setup = { mfa_token: token, kind: 'totp' }
    for (const userName of ['user@alpha', 'admin@alpha', 'user@beta'])
      expect(readOutcome(await post(await server.signIn(userName), 'setup', setup))).toEqual(expiredOutcome)
    expect(readOutcome(await server.send({ method: 'POST', url: '/public/mfa/setup', payload: setup }))).toEqual(
      expiredOutcome,
    )
    expect(readOutcome(await sendSecondStep(server, token, {}))).toEqual(expiredOutcome)
    expect(readOutcome(await post(person, 'setup', setup))).toBe(200)

    await makeNonDemo(server, 'user@m18')
    const otherSession = await server.signIn('second@m18')
    const { mfa_token } = await passPasswordStep(server, 'user@m18')
    expect(readOutcome(await post(otherSession, 'setup', { mfa_token, kind: 'totp' }))).toEqual(expiredOutcome)
  })

  test('limits guesses of the password, also concurrent guesses (S-31)', async () => {
    const person = await server.signIn('user@alpha')
    const { mfa_token } = (await post(person, 'begin')).json()
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => post(person, 'prove', { mfa_token, password: `Guess-${index}-of-60` })),
    )
    expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(55)
  })

  test('adds an authenticator app only with its code, and a passkey only with the answer to its challenge', async () => {
    const person = await server.signIn('user@alpha')
    const mfa_token = await proveIdentity(person)
    const { totp } = (await post(person, 'setup', { mfa_token, kind: 'totp' })).json()
    const app = { mfa_token, kind: 'totp', name: 'Phone' }
    expect(readOutcome(await post(person, 'factor', { ...app, otp: '123456' }))).toEqual(invalidOutcome)
    expect(readOutcome(await post(person, 'factor', { ...app, name: ' ', otp: '1' }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
    expect(readOutcome(await post(person, 'factor', app))).toEqual([400, 'VALIDATION_ERROR'])
    const otp = calculateCode(totp.secret, server.clock.now)
    expect(readOutcome(await post(person, 'factor', { ...app, otp }))).toBe(200)
    // The setup is already used, so a repetition needs a new setup.
    expect(readOutcome(await post(person, 'factor', { ...app, otp }))).toEqual(invalidOutcome)

    const { passkey } = (await post(person, 'setup', { mfa_token, kind: 'passkey' })).json()
    const passkeyDevice = newPasskey(relyingParty)
    const passkeyFields = { mfa_token, kind: 'passkey', name: 'Key' }
    const foreignAttestation = passkeyDevice.register(passkey.challenge, { origin: 'https://portal.example.net' })
    expect(readOutcome(await post(person, 'factor', { ...passkeyFields, attestation: foreignAttestation }))).toEqual(
      invalidOutcome,
    )
    expect(
      readOutcome(await post(person, 'factor', { ...passkeyFields, attestation: passkeyDevice.register('AAAA') })),
    ).toEqual(invalidOutcome)
    const validAttestation = passkeyDevice.register(passkey.challenge)
    expect((await post(person, 'factor', { ...passkeyFields, attestation: validAttestation })).json()).toEqual({
      recovery_codes: null,
    })
    expect(readOutcome(await post(person, 'factor', { ...passkeyFields, attestation: validAttestation }))).toEqual(
      invalidOutcome,
    )
  })

  test('sends a mail, writes an audit entry, and deletes recovery codes with the last factor', async () => {
    const person = await server.signIn('user@alpha')
    await addAuthenticatorApp(person, server.clock.now)
    const { id } = (await readOwnFactors(person)).factors[0]
    const mfa_token = await proveIdentity(person)
    const renewal = await post(person, 'recovery', { mfa_token })
    expect(renewal.json().recovery_codes).toHaveLength(10)
    expect(readOutcome(await post(person, 'remove', { mfa_token, id: id + 1 }))).toEqual([404, 'NOT_FOUND'])
    expect(readOutcome(await post(person, 'remove', { mfa_token, id }))).toBe(204)
    expect(await readOwnFactors(person)).toMatchObject({ factors: [], recovery_codes: 0 })
    expect(readOutcome(await post(person, 'recovery', { mfa_token }))).toEqual([409, 'STATE_CONFLICT'])
    const mails = await mailBox.fetch()
    expect(mails.map(({ subject }) => subject.split(' · ')[0]).toSorted()).toEqual([
      'A passkey or authenticator app was added',
      'A passkey or authenticator app was removed',
      'You have new recovery codes',
    ])
    expect(mails[0]?.text).toContain('/saas/app/profile/security?lang=en')
    const notes = await runInTransaction(server.app, system, (db) =>
      db.selectFrom('audit_entry').select('info').where('operation', '=', 'update').orderBy('id').execute(),
    )
    expect(notes.map(({ info }) => `${String(info.Field)} ${String(info.Change)}`)).toEqual([
      'authenticator app added',
      'recovery codes renewed',
      'authenticator app removed',
    ])
    await server.signIn('user@alpha')
  })

  test('returns NOT_FOUND for a factor of another user', async () => {
    const person = await server.signIn('user@alpha')
    await addAuthenticatorApp(person, server.clock.now)
    const { id } = (await readOwnFactors(person)).factors[0]
    const otherPerson = await server.signIn('admin@alpha')
    const mfa_token = await proveIdentity(otherPerson)
    expect(readOutcome(await post(otherPerson, 'remove', { mfa_token, id }))).toEqual([404, 'NOT_FOUND'])
  })

  test('renames a factor of the caller only, without a mail', async () => {
    const person = await server.signIn('user@alpha')
    await addAuthenticatorApp(person, server.clock.now)
    await mailBox.fetch()
    const { id } = (await readOwnFactors(person)).factors[0]
    const renameFactor = async (caller: SignedIn, name: string) =>
      readOutcome(await caller.send({ method: 'PUT', url: '/api/m18s/mfa/factor', payload: { id, name } }))
    expect(await renameFactor(person, '  Work phone ')).toBe(204)
    expect((await readOwnFactors(person)).factors).toMatchObject([{ id, name: 'Work phone' }])
    expect(await renameFactor(person, '   ')).toEqual([400, 'VALIDATION_ERROR'])
    expect(await renameFactor(await server.signIn('admin@alpha'), 'Mine')).toEqual([404, 'NOT_FOUND'])
    expect((await readOwnFactors(person)).factors).toMatchObject([{ name: 'Work phone' }])
    expect(await mailBox.fetch()).toEqual([])
  })

  test('replaces the former recovery codes', async () => {
    const person = await server.signIn('user@alpha')
    const { codes } = await addAuthenticatorApp(person, server.clock.now)
    await post(person, 'recovery', { mfa_token: await proveIdentity(person) })
    const { mfa_token } = await passPasswordStep(server, 'user@alpha')
    expect(readOutcome(await sendSecondStep(server, mfa_token, { recovery_code: codes[0] ?? '' }))).toEqual(
      invalidOutcome,
    )
  })
})

describe('the factor that a company requires', () => {
  const requireFactor = async (person: SignedIn, isRequired: boolean, token?: string) =>
    readOutcome(
      await person.send({
        method: 'PUT',
        url: '/api/m18s/mfa/company',
        payload: { mfa_token: token ?? (await proveIdentity(person)), required: isRequired },
      }),
    )

  test('is set up at the next sign-in by users without a factor, while sessions continue', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    expect(await requireFactor(user, true)).toEqual([403, 'FORBIDDEN'])
    expect(await requireFactor(admin, true, 'x')).toEqual(expiredOutcome)
    expect(await requireFactor(admin, true)).toBe(204)
    expect(await readOwnFactors(user)).toMatchObject({ required: 'company', company_required: true })
    expect((await passPasswordStep(server, 'user@alpha')).enrol).toBe(true)
    await server.signIn('user@beta')
    const note = await runInTransaction(server.app, system, (db) =>
      db.selectFrom('audit_entry').select('info').where('code', '=', 'company').executeTakeFirstOrThrow(),
    )
    expect(note.info).toMatchObject({ Field: 'second factor', Change: 'required' })

    await addAuthenticatorApp(admin, server.clock.now)
    const { id } = (await readOwnFactors(admin)).factors[0]
    const mfa_token = await proveIdentity(admin)
    expect(readOutcome(await post(admin, 'remove', { mfa_token, id }))).toEqual([409, 'LAST_FACTOR'])
    expect((await readOwnFactors(admin)).factors).toHaveLength(1)
    expect(await requireFactor(admin, false)).toBe(204)
    expect(readOutcome(await post(admin, 'remove', { mfa_token, id }))).toBe(204)
    await server.signIn('user@alpha')
  })
})
