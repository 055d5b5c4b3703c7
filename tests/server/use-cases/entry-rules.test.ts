/**
 * The rules of coming in and of a user's form with values on both sides of each limit, asked of the form's own check and of
 * the server: neither accepts what the other refuses (portal 5). The sign-up's are in signup-rules, the own account's and the
 * company's in rules, the service code's in entrance.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { check, type FieldProblem, required } from '#domain/checks/field-checks.ts'
import { checkForgotten } from '#domain/accounts/passwords.ts'
import { lockedFields, userStatus } from '#domain/accounts/users.ts'
import { checkPasswords } from '#features/accounts/passwords.ts'
import { checkForm, newFields } from '#features/users/form/user-form.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { grant, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

type Case = readonly [value: string, code: FieldProblem['code'] | null]
const long = (length: number) => 'x'.repeat(length)
const hour = 3_600_000

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
  [`${long(249)}@b.cc`, null],
]
const names: readonly Case[] = [
  ['', 'REQUIRED'],
  ['   ', 'REQUIRED'],
  ['李', null],
  [long(100), null],
  [long(101), 'TOO_LONG'],
]

describe('form and server agree on', () => {
  let server: TestServer
  let admin: SignedIn
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer()
    admin = await server.signIn('admin@alpha')
  })
  afterAll(() => server.close())

  const first = (found: readonly FieldProblem[], field: string) =>
    found.find((one) => one.field === field)?.code ?? null
  type Said = { statusCode: number; body: string }
  const saidOf = ({ statusCode, body }: Said, field: string) =>
    statusCode < 300 ? null : first((JSON.parse(body) as { data: FieldProblem[] | null }).data ?? [], field)

  const form = (url: string, fields: Record<string, string>) =>
    server.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })

  test.each([
    ['name', names],
    ['email', emails],
  ] as const)("a new user's %s", async (field, cases) => {
    for (const [at, [value, code]] of cases.entries()) {
      const fields = { ...newFields, name: 'New', email: `${field}-${at}@alpha.example`, [field]: value }
      const answer = await admin.send({ method: 'POST', url: '/api/m18s/user', payload: fields })
      const told = { value, form: first(checkForm(fields, new Set()), field), server: saidOf(answer, field) }
      expect(told).toEqual({ value, form: code, server: code })
      expect(answer.statusCode).toBe(code === null ? 200 : 400)
    }
  })

  test("a changed user's name, as long as it is not locked", async () => {
    const id = server.world.users['waiting@alpha']
    const locked = lockedFields({ status: userStatus.deactivated }, { self: false })
    for (const [value, code] of names) {
      const answer = await admin.send({
        method: 'PUT',
        url: `/api/m18s/company-user/${id}`,
        payload: { name: value },
      })
      const found = checkForm({ ...newFields, name: value }, locked)
      expect({ value, form: first(found, 'name'), server: saidOf(answer, 'name') }).toEqual({
        value,
        form: code,
        server: code,
      })
    }
  })

  test('a login: all three are required (M20)', async () => {
    const rules = { company: [required], username: [required], password: [required] }
    const whole = { company: 'alpha', username: 'user@alpha.example', password }
    expect(check(whole, rules)).toEqual([])
    for (const missing of Object.keys(whole)) {
      const typed = { ...whole, [missing]: '' }
      expect(check(typed, rules).map(({ field, code }) => `${field} ${code}`)).toEqual([`${missing} REQUIRED`])
      const username = `${typed.company}:${typed.username}`
      const answer = await grant(server.fastify, { grant_type: 'password', username, password: typed.password })
      // A part of the username is no field of the call: what lacks it is nobody's (S-32).
      expect([missing, answer.statusCode]).toEqual([missing, missing === 'password' ? 400 : 401])
    }
  })

  test('a forgotten password: the code is required, the e-mail required and valid', async () => {
    const codes: readonly Case[] = [
      ['', 'REQUIRED'],
      ['alpha', null],
    ]
    for (const [field, cases] of [
      ['companyCode', codes],
      ['userEmail', emails],
    ] as const)
      for (const [value, code] of cases) {
        server.clock.now += hour
        const typed = { companyCode: 'alpha', userEmail: 'user@alpha.example', [field]: value }
        const answer = await form('/public/password/resetmail', typed)
        const told = { field, value, form: first(checkForgotten(typed), field), server: saidOf(answer, field) }
        expect(told).toEqual({ field, value, form: code, server: code })
      }
    await box.fetch()
  })

  test('a new password by a link, and an activation: its length', async () => {
    const mixed = (length: number) => 'k7-Qx!mB2vTw'.repeat(11).slice(0, length)
    const cases: readonly Case[] = [
      ['', 'REQUIRED'],
      [mixed(7), 'TOO_SHORT'],
      [mixed(8), null],
      [mixed(128), null],
      [mixed(129), 'TOO_LONG'],
    ]
    for (const [value, code] of cases) {
      server.clock.now += hour
      await form('/public/password/resetmail', { companyCode: 'beta', userEmail: 'user@beta.example' })
      const otk = (await box.fetch()).map(keyIn).find(Boolean) ?? ''
      const found = checkPasswords({ password: value, confirm: value })
      const answer = await form('/public/password/reset', { otk, pwd: value })
      const told = { value, form: first(found, 'password'), server: saidOf(answer, 'pwd') }
      expect(told).toEqual({ value, form: code, server: code })
    }
  })
})
