/**
 * Tests the rules of the login and of the user form, with values on both sides of each limit. Form and server must accept the same values
 * (portal 5). The rules of the sign-up are in signup-rules, those of the caller's account and company in profile-and-company-rules, and
 * those of the service code in find-service.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkFields, type FieldProblem, checkRequired } from '#domain/checks/field-checks.ts'
import { checkForgottenPassword } from '#domain/accounts/passwords.ts'
import { checkUser } from '#domain/accounts/users.ts'
import { checkPasswords } from '#features/accounts/passwords.ts'
import { emptyUserFields } from '#features/users/form/user-form.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { requestToken, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

type Case = readonly [value: string, code: FieldProblem['code'] | null]
const buildText = (length: number) => 'x'.repeat(length)
const hourMs = 3_600_000

const emails: readonly Case[] = [
  ['', 'REQUIRED'],
  ['  ', 'REQUIRED'],
  ['a@b.cc', null],
  [' padded@b.cc ', null],
  ['a', 'INVALID_EMAIL'],
  ['a@b', 'INVALID_EMAIL'],
  ['@b.cc', 'INVALID_EMAIL'],
  ['a b@c.dd', 'INVALID_EMAIL'],
  ['a@b@c.dd', 'INVALID_EMAIL'],
  ['a@b..cc', 'INVALID_EMAIL'],
  ['李@b.cc', null],
  [`${buildText(249)}@b.cc`, null],
]
const names: readonly Case[] = [
  ['', 'REQUIRED'],
  ['   ', 'REQUIRED'],
  ['李', null],
  [buildText(100), null],
  [buildText(101), 'TOO_LONG'],
]

describe('form and server', () => {
  let server: TestServer
  let admin: SignedIn
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer()
    admin = await server.signIn('admin@alpha')
  })
  afterAll(() => server.close())

  const findFirstCode = (problems: readonly FieldProblem[], field: string) =>
    problems.find((problem) => problem.field === field)?.code ?? null
  type ServerResponse = { statusCode: number; body: string }
  const readServerCode = ({ statusCode, body }: ServerResponse, field: string) =>
    statusCode < 300 ? null : findFirstCode((JSON.parse(body) as { data: FieldProblem[] | null }).data ?? [], field)

  const postFields = (url: string, fields: Record<string, string>) =>
    server.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })

  test.each([
    ['name', names],
    ['email', emails],
  ] as const)('agree on the %s of a new user', async (field, cases) => {
    for (const [index, [value, code]] of cases.entries()) {
      const fields = { ...emptyUserFields, name: 'New', email: `${field}-${index}@alpha.example`, [field]: value }
      const response = await admin.send({ method: 'POST', url: '/api/m18s/user', payload: fields })
      const results = {
        value,
        form: findFirstCode(checkUser(fields), field),
        server: readServerCode(response, field),
      }
      expect(results).toEqual({ value, form: code, server: code })
      expect(response.statusCode).toBe(code === null ? 200 : 400)
    }
  })

  test('agree on the name of a changed user if it is not locked', async () => {
    const id = server.world.users['waiting@alpha']
    for (const [value, code] of names) {
      const response = await admin.send({
        method: 'PUT',
        url: `/api/m18s/company-user/${id}`,
        payload: { name: value },
      })
      const problems = checkUser({ name: value })
      expect({ value, form: findFirstCode(problems, 'name'), server: readServerCode(response, 'name') }).toEqual({
        value,
        form: code,
        server: code,
      })
    }
  })

  test('agree that a login requires all three fields (M20)', async () => {
    const rules = { company: [checkRequired], username: [checkRequired], password: [checkRequired] }
    const completeForm = { company: 'alpha', username: 'user@alpha.example', password }
    expect(checkFields(completeForm, rules)).toEqual([])
    for (const missingField of Object.keys(completeForm)) {
      const typedForm = { ...completeForm, [missingField]: '' }
      expect(checkFields(typedForm, rules).map(({ field, code }) => `${field} ${code}`)).toEqual([
        `${missingField} REQUIRED`,
      ])
      const username = `${typedForm.company}:${typedForm.username}`
      const response = await requestToken(server.fastify, {
        grant_type: 'password',
        username,
        password: typedForm.password,
      })
      // The parts of the username are not fields of the call, so a missing part is an unknown account (S-32).
      expect([missingField, response.statusCode]).toEqual([missingField, missingField === 'password' ? 400 : 401])
    }
  })

  test('agree on code and e-mail of a forgotten password', async () => {
    const codes: readonly Case[] = [
      ['', 'REQUIRED'],
      ['alpha', null],
    ]
    for (const [field, cases] of [
      ['companyCode', codes],
      ['userEmail', emails],
    ] as const)
      for (const [value, code] of cases) {
        server.clock.now += hourMs
        const typedForm = { companyCode: 'alpha', userEmail: 'user@alpha.example', [field]: value }
        const response = await postFields('/public/password/resetmail', typedForm)
        const results = {
          field,
          value,
          form: findFirstCode(checkForgottenPassword(typedForm), field),
          server: readServerCode(response, field),
        }
        expect(results).toEqual({ field, value, form: code, server: code })
      }
    await mailBox.fetch()
  })

  test('agree on the length of a new password by link or activation', async () => {
    const buildPassword = (length: number) => 'k7-Qx!mB2vTw'.repeat(11).slice(0, length)
    const cases: readonly Case[] = [
      ['', 'REQUIRED'],
      [buildPassword(7), 'TOO_SHORT'],
      [buildPassword(8), null],
      [buildPassword(128), null],
      [buildPassword(129), 'TOO_LONG'],
    ]
    for (const [value, code] of cases) {
      server.clock.now += hourMs
      await postFields('/public/password/resetmail', { companyCode: 'beta', userEmail: 'user@beta.example' })
      const otk = (await mailBox.fetch()).map(readKey).find(Boolean) ?? ''
      const problems = checkPasswords({ password: value, confirm: value })
      const response = await postFields('/public/password/reset', { otk, pwd: value })
      const results = { value, form: findFirstCode(problems, 'password'), server: readServerCode(response, 'pwd') }
      expect(results).toEqual({ value, form: code, server: code })
    }
  })
})
