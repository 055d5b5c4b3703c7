import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { newPasskey } from '#tests/support/server/authenticator.ts'
import {
  home,
  makeReal,
  passwordStep,
  post,
  proven,
  secondStep,
  withApp,
  withPasskey,
} from '#tests/support/server/factors.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'
import { codeAt } from '#tests/support/server/otp.ts'

let server: TestServer
const box = mailBox(() => server.app)
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const minute = 60_000
const step = 30_000
const own = async (person: SignedIn) => (await person.send({ url: '/api/m18s/mfa' })).json()
const said = (answer: { statusCode: number; body: string; json: () => { errorCode?: string } }) =>
  answer.statusCode < 300 ? answer.statusCode : [answer.statusCode, answer.json().errorCode]

const invalid = [401, 'MFA_INVALID']
const expired = [401, 'MFA_EXPIRED']
const system = { role: 'portal_system' } as const

describe('the own factors', () => {
  test('are listed without what they are made of', async () => {
    const person = await server.signIn('user@alpha')
    expect(await own(person)).toEqual({ factors: [], recovery_codes: 0, required: null, company_required: false })
    const { secret, codes } = await withApp(person, server.clock.now)
    await withPasskey(person)
    const listed = await own(person)
    expect(listed).toMatchObject({
      factors: [
        { kind: 'totp', name: 'My phone', create_time: '2026-03-02 10:00:00', last_time: null },
        { kind: 'passkey', name: 'Laptop' },
      ],
      recovery_codes: 10,
    })
    expect(Object.keys(listed.factors[0])).toEqual(['id', 'kind', 'name', 'create_time', 'last_time'])
    expect(JSON.stringify(listed)).not.toContain(secret)
    expect(codes.some((code) => JSON.stringify(listed).includes(code))).toBe(false)
  })

  test('stand in the database sealed and hashed, and in no log', async () => {
    const person = await server.signIn('user@alpha')
    const { secret, codes } = await withApp(person, server.clock.now)
    const rows = await inTransaction(server.app, system, async (db) => [
      ...(await db.selectFrom('factor').selectAll().execute()),
      ...(await db.selectFrom('recovery_code').selectAll().execute()),
      ...(await db.selectFrom('proof').selectAll().execute()),
      ...(await db.selectFrom('audit_entry').selectAll().execute()),
      ...(await db.selectFrom('job').selectAll().execute()),
      ...(await db.selectFrom('idempotency').selectAll().execute()),
    ])
    const everything = JSON.stringify(rows) + server.logged()
    for (const each of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', '')), password])
      expect(everything).not.toContain(each)
  })

  test('another company’s users do not see them', async () => {
    await withApp(await server.signIn('user@alpha'), server.clock.now)
    const seen = await inTransaction(server.app, { role: 'portal_app', companyId: server.world.companies.beta }, (db) =>
      db.selectFrom('factor').selectAll().execute(),
    )
    expect(seen).toEqual([])
    expect((await own(await server.signIn('user@beta'))).factors).toEqual([])
  })
})

describe('changing them', () => {
  test('needs the password or a factor, given under the token just before', async () => {
    const person = await server.signIn('user@alpha')
    const { mfa_token, methods } = (await post(person, 'begin')).json()
    expect(methods).toEqual(['password'])
    const named = { mfa_token, kind: 'totp' }
    expect(said(await post(person, 'setup', named))).toEqual(expired)
    expect(said(await post(person, 'recovery', { mfa_token }))).toEqual(expired)
    expect(said(await post(person, 'remove', { mfa_token, id: 1 }))).toEqual(expired)
    expect(said(await post(person, 'prove', { mfa_token, password: 'Not-the-one-44' }))).toEqual(invalid)
    expect(said(await post(person, 'setup', named))).toEqual(expired)
    expect(said(await post(person, 'prove', { mfa_token, password }))).toBe(204)
    expect(said(await post(person, 'setup', named))).toBe(200)
    server.clock.now += 10 * minute
    const later = await server.signIn('user@alpha')
    expect(said(await post(later, 'setup', named))).toEqual(expired)
  })

  test('goes by each of the factors too, and a code that was given here is used up', async () => {
    const person = await server.signIn('user@alpha')
    const { secret, codes } = await withApp(person, server.clock.now)
    const key = await withPasskey(person)
    server.clock.now += step
    const begin = async () => (await post(person, 'begin')).json()
    const first = await begin()
    expect(first.methods).toEqual(['password', 'otp', 'assertion', 'recovery_code'])
    const otp = codeAt(secret, server.clock.now)
    const prove = async (given: object, token?: string) =>
      said(await post(person, 'prove', { mfa_token: token ?? (await begin()).mfa_token, ...given }))
    expect(await prove({ otp })).toBe(204)
    expect(await prove({ otp })).toEqual(invalid)
    expect(await prove({ recovery_code: codes[0] })).toBe(204)
    expect(await prove({ recovery_code: codes[0] })).toEqual(invalid)
    const { mfa_token, passkey } = await begin()
    expect(await prove({ assertion: key.signed(passkey.challenge) }, mfa_token)).toBe(204)
    expect((await own(person)).recovery_codes).toBe(9)
  })

  test('is nobody else’s right: not another session’s, not another user’s, not a stranger’s, not a sign-in’s', async () => {
    const person = await server.signIn('user@alpha')
    const token = await proven(person)
    const setUp = { mfa_token: token, kind: 'totp' }
    for (const who of ['user@alpha', 'admin@alpha', 'user@beta'])
      expect(said(await post(await server.signIn(who), 'setup', setUp))).toEqual(expired)
    expect(said(await server.send({ method: 'POST', url: '/public/mfa/setup', payload: setUp }))).toEqual(expired)
    expect(said(await secondStep(server, token, {}))).toEqual(expired)
    expect(said(await post(person, 'setup', setUp))).toBe(200)

    await makeReal(server, 'user@m18')
    const before = await server.signIn('second@m18')
    const { mfa_token } = await passwordStep(server, 'user@m18')
    expect(said(await post(before, 'setup', { mfa_token, kind: 'totp' }))).toEqual(expired)
  })

  test('guesses at the password are slowed, parallel ones too (S-31)', async () => {
    const person = await server.signIn('user@alpha')
    const { mfa_token } = (await post(person, 'begin')).json()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => post(person, 'prove', { mfa_token, password: `Guess-${at}-of-60` })),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(55)
  })

  test('an app is added by its code alone, a passkey by its answer to this challenge', async () => {
    const person = await server.signIn('user@alpha')
    const mfa_token = await proven(person)
    const { totp } = (await post(person, 'setup', { mfa_token, kind: 'totp' })).json()
    const app = { mfa_token, kind: 'totp', name: 'Phone' }
    expect(said(await post(person, 'factor', { ...app, otp: '123456' }))).toEqual(invalid)
    expect(said(await post(person, 'factor', { ...app, name: ' ', otp: '1' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect(said(await post(person, 'factor', app))).toEqual([400, 'VALIDATION_ERROR'])
    const otp = codeAt(totp.secret, server.clock.now)
    expect(said(await post(person, 'factor', { ...app, otp }))).toBe(200)
    // What was set up is set up: the same again needs another beginning.
    expect(said(await post(person, 'factor', { ...app, otp }))).toEqual(invalid)

    const { passkey } = (await post(person, 'setup', { mfa_token, kind: 'passkey' })).json()
    const made = newPasskey(home)
    const key = { mfa_token, kind: 'passkey', name: 'Key' }
    const foreign = made.made(passkey.challenge, { origin: 'https://portal.example.net' })
    expect(said(await post(person, 'factor', { ...key, attestation: foreign }))).toEqual(invalid)
    expect(said(await post(person, 'factor', { ...key, attestation: made.made('AAAA') }))).toEqual(invalid)
    const right = made.made(passkey.challenge)
    expect((await post(person, 'factor', { ...key, attestation: right })).json()).toEqual({ recovery_codes: null })
    expect(said(await post(person, 'factor', { ...key, attestation: right }))).toEqual(invalid)
  })

  test('is told by mail and written down; with the last factor the recovery codes go', async () => {
    const person = await server.signIn('user@alpha')
    await withApp(person, server.clock.now)
    const { id } = (await own(person)).factors[0]
    const mfa_token = await proven(person)
    const renewed = await post(person, 'recovery', { mfa_token })
    expect(renewed.json().recovery_codes).toHaveLength(10)
    expect(said(await post(person, 'remove', { mfa_token, id: id + 1 }))).toEqual([404, 'NOT_FOUND'])
    expect(said(await post(person, 'remove', { mfa_token, id }))).toBe(204)
    expect(await own(person)).toMatchObject({ factors: [], recovery_codes: 0 })
    expect(said(await post(person, 'recovery', { mfa_token }))).toEqual([409, 'STATE_CONFLICT'])
    const mails = await box.fetch()
    expect(mails.map(({ subject }) => subject.split(' · ')[0]).toSorted()).toEqual([
      'A passkey or authenticator app was added',
      'A passkey or authenticator app was removed',
      'You have new recovery codes',
    ])
    expect(mails[0]?.text).toContain('/saas/app/profile/security?lang=en')
    const notes = await inTransaction(server.app, system, (db) =>
      db.selectFrom('audit_entry').select('info').where('operation', '=', 'update').orderBy('id').execute(),
    )
    expect(notes.map(({ info }) => `${String(info.Field)} ${String(info.Change)}`)).toEqual([
      'authenticator app added',
      'recovery codes renewed',
      'authenticator app removed',
    ])
    await server.signIn('user@alpha')
  })

  test('another’s factor is not found', async () => {
    const person = await server.signIn('user@alpha')
    await withApp(person, server.clock.now)
    const { id } = (await own(person)).factors[0]
    const other = await server.signIn('admin@alpha')
    const mfa_token = await proven(other)
    expect(said(await post(other, 'remove', { mfa_token, id }))).toEqual([404, 'NOT_FOUND'])
  })

  test('one is given another name, which is nobody else’s to give and tells nobody by mail', async () => {
    const person = await server.signIn('user@alpha')
    await withApp(person, server.clock.now)
    await box.fetch()
    const { id } = (await own(person)).factors[0]
    const rename = async (by: SignedIn, name: string) =>
      said(await by.send({ method: 'PUT', url: '/api/m18s/mfa/factor', payload: { id, name } }))
    expect(await rename(person, '  Work phone ')).toBe(204)
    expect((await own(person)).factors).toMatchObject([{ id, name: 'Work phone' }])
    expect(await rename(person, '   ')).toEqual([400, 'VALIDATION_ERROR'])
    expect(await rename(await server.signIn('admin@alpha'), 'Mine')).toEqual([404, 'NOT_FOUND'])
    expect((await own(person)).factors).toMatchObject([{ name: 'Work phone' }])
    expect(await box.fetch()).toEqual([])
  })

  test('former recovery codes end with new ones', async () => {
    const person = await server.signIn('user@alpha')
    const { codes } = await withApp(person, server.clock.now)
    await post(person, 'recovery', { mfa_token: await proven(person) })
    const { mfa_token } = await passwordStep(server, 'user@alpha')
    expect(said(await secondStep(server, mfa_token, { recovery_code: codes[0] ?? '' }))).toEqual(invalid)
  })
})

describe('what a company requires', () => {
  const require = async (person: SignedIn, required: boolean, token?: string) =>
    said(
      await person.send({
        method: 'PUT',
        url: '/api/m18s/mfa/company',
        payload: { mfa_token: token ?? (await proven(person)), required },
      }),
    )

  test('an admin asks of all its users: who has none sets one up at the next sign-in, sessions go on', async () => {
    const admin = await server.signIn('admin@alpha')
    const user = await server.signIn('user@alpha')
    expect(await require(user, true)).toEqual([403, 'FORBIDDEN'])
    expect(await require(admin, true, 'x')).toEqual(expired)
    expect(await require(admin, true)).toBe(204)
    expect(await own(user)).toMatchObject({ required: 'company', company_required: true })
    expect((await passwordStep(server, 'user@alpha')).enrol).toBe(true)
    await server.signIn('user@beta')
    const note = await inTransaction(server.app, system, (db) =>
      db.selectFrom('audit_entry').select('info').where('code', '=', 'company').executeTakeFirstOrThrow(),
    )
    expect(note.info).toMatchObject({ Field: 'second factor', Change: 'required' })

    await withApp(admin, server.clock.now)
    const { id } = (await own(admin)).factors[0]
    const mfa_token = await proven(admin)
    expect(said(await post(admin, 'remove', { mfa_token, id }))).toEqual([409, 'LAST_FACTOR'])
    expect((await own(admin)).factors).toHaveLength(1)
    expect(await require(admin, false)).toBe(204)
    expect(said(await post(admin, 'remove', { mfa_token, id }))).toBe(204)
    await server.signIn('user@alpha')
  })
})
