/**
 * Tests every rule of the caller's account and company with values on both sides of its limit, by the form and by the server. Both must
 * accept the same values (portal 5).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { CompanyProfile } from '#domain/accounts/company-fields.ts'
import { checkUser } from '#domain/accounts/users.ts'
import { getChanges } from '#patterns/edit-form/form-values.ts'
import { checkChanges } from '#features/company/form.ts'
import { checkPasswords, fromProfileValues, type ProfileValues } from '#features/profile/form.ts'
import { postForm } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

type Case = [value: string | null, code: FieldProblem['code'] | null]
const buildText = (length: number) => 'x'.repeat(length)

const companyCases: Partial<Record<keyof CompanyProfile, Case[]>> = {
  name: [
    ['', 'REQUIRED'],
    ['   ', 'REQUIRED'],
    ['A', null],
    [buildText(100), null],
    [buildText(101), 'TOO_LONG'],
  ],
  country: [
    ['CN', null],
    [null, null],
    ['HK', null],
  ],
  province: [
    [buildText(100), null],
    [buildText(101), 'TOO_LONG'],
    [null, null],
  ],
  city: [
    [buildText(100), null],
    [buildText(101), 'TOO_LONG'],
    [null, null],
  ],
  addr1: [
    [buildText(200), null],
    [buildText(201), 'TOO_LONG'],
    [null, null],
  ],
  addr2: [
    [buildText(200), null],
    [buildText(201), 'TOO_LONG'],
    [null, null],
  ],
  addr3: [
    [buildText(200), null],
    [buildText(201), 'TOO_LONG'],
    [null, null],
  ],
  tel: [
    ['+86-13800138000', null],
    ['+8-1', null],
    ['+8', 'INVALID_TEL'],
    ['+86-', 'INVALID_TEL'],
    ['86-13800138000', 'INVALID_TEL'],
    ['+86 13800138000', 'INVALID_TEL'],
    ['+86-138 0013 8000', 'INVALID_TEL'],
    ['+86-1380013800a', 'INVALID_TEL'],
    ['+-13800138000', 'DIAL_CODE_MISSING'],
    ['13800138000', 'DIAL_CODE_MISSING'],
    ['+86a-13800138', 'INVALID_TEL'],
    ['+12345-13800138', null],
    [`+86-${'1'.repeat(36)}`, null],
    [`+86-${'1'.repeat(37)}`, 'TOO_LONG'],
    ['+８６-13800138000', 'INVALID_TEL'],
    [null, null],
  ],
  email: [
    ['a@b.cc', null],
    ['a', 'INVALID_EMAIL'],
    ['a@b', 'INVALID_EMAIL'],
    ['a b@c.dd', 'INVALID_EMAIL'],
    ['@b.cc', 'INVALID_EMAIL'],
    [null, null],
  ],
  website: [
    ['www.example.com', null],
    ['https://example.com/a?b#c', null],
    ['HTTP://Example.COM:8080', null],
    ['http://例子.中国/页', null],
    ['example', 'INVALID_URL'],
    ['ftp://example.com', 'INVALID_URL'],
    ['javascript:alert(1)', 'INVALID_URL'],
    ['javascript://example.com/%0aalert(1)', 'INVALID_URL'],
    ['https://user:word@example.com', 'INVALID_URL'],
    ['//example.com', 'INVALID_URL'],
    ['https://', 'INVALID_URL'],
    ['exa mple.com', 'INVALID_URL'],
    ['a..b.com', 'INVALID_URL'],
    [`${buildText(192)}.example`, null],
    [`${buildText(193)}.example`, 'TOO_LONG'],
    [null, null],
  ],
  tax_number: [
    ['91350211M000100Y43', null],
    ['GB 123-4567 89', null],
    [buildText(40), null],
    [buildText(41), 'TOO_LONG'],
    ['12/34', 'INVALID_FORMAT'],
    ['税号1', 'INVALID_FORMAT'],
    [null, null],
  ],
}

describe('form and server', () => {
  let server: TestServer
  let admin: SignedIn
  let url: string
  beforeAll(async () => {
    server = await startServer()
    admin = await server.signIn('admin@alpha')
    url = `/api/m18s/company/${server.world.companies.alpha}`
  }, 90_000)
  afterAll(() => server.close())

  const readCode = (response: { statusCode: number; json: () => { data?: FieldProblem[] } }) =>
    response.statusCode === 200 ? null : (response.json().data?.[0]?.code ?? response.statusCode)

  test.each(Object.entries(companyCases))('agree on the %s of the company', async (name, cases) => {
    for (const [value, code] of cases) {
      const row = (await admin.send({ url })).json()
      const changes = getChanges({ [name]: value }, { [name]: row[name] })
      const formProblems = checkChanges({ ...row, [name]: value }, changes)
      const response = await admin.send({ method: 'PUT', url, payload: { [name]: value } })
      expect({ value, form: formProblems[0]?.code ?? null, server: readCode(response) }).toEqual({
        value,
        form: code,
        server: code,
      })
    }
  })

  test('differ only for an unknown country, which no form can send and the server rejects', async () => {
    expect(readCode(await admin.send({ method: 'PUT', url, payload: { country: 'US' } }))).toBe('OUT_OF_RANGE')
  })

  test('agree that the company code cannot be changed (M35)', async () => {
    await admin.send({ method: 'PUT', url, payload: { code: 'omega' } })
    expect((await admin.send({ url })).json().code).toBe('alpha')
  })

  test('agree on the name of a profile', async () => {
    const cases: Case[] = [
      ['', 'REQUIRED'],
      ['  ', 'REQUIRED'],
      ['李', null],
      [buildText(100), null],
      [buildText(101), 'TOO_LONG'],
    ]
    for (const [value, code] of cases) {
      const nameChange = { method: 'PUT' as const, url: `/api/m18s/user/${admin.userId}`, payload: { name: value } }
      expect({
        value,
        form: checkUser(fromProfileValues({ name: value ?? '', avatar: null }))[0]?.code ?? null,
        server: readCode(await admin.send(nameChange)),
      }).toEqual({
        value,
        form: code,
        server: code,
      })
    }
  })

  describe('with a password', () => {
    beforeEach(async () => {
      const world = await server.reset()
      admin = await server.signIn('admin@alpha')
      url = `/api/m18s/company/${world.companies.alpha}`
    })
    const changePassword = (caller: SignedIn, orgPwd: string, newPwd: string) =>
      postForm(caller.send, '/api/m18s/password', { orgPwd, newPwd })
    const buildPassword = (length: number) => 'k7-Qx!mB2vTw'.repeat(11).slice(0, length)

    test('agree on its length', async () => {
      for (const [value, code] of [
        ['', 'REQUIRED'],
        [buildPassword(7), 'TOO_SHORT'],
        [buildPassword(8), null],
        [buildPassword(128), null],
        [buildPassword(129), 'TOO_LONG'],
      ] as Case[]) {
        await server.reset()
        const user = await server.signIn('user@alpha')
        const typedForm = { original: password, newPassword: value ?? '', confirm: value ?? '' }
        const formCode = checkPasswords(typedForm).find(({ field }) => field === 'newPassword')?.code ?? null
        const response = await changePassword(user, password, value ?? '')
        const serverCode =
          response.statusCode === 204 ? null : (response.json().data?.[0]?.code ?? response.json().errorCode)
        expect({ value, form: formCode, serverCode }).toEqual({ value, form: code, serverCode: code })
      }
    }, 60_000)

    test('agree that both entries must be equal and must differ from the current password', async () => {
      const listCodes = (original: string, newPassword: string, confirm: string) =>
        checkPasswords({ original, newPassword, confirm }).map(({ field, code }) => `${field} ${code}`)
      expect(listCodes('', '', '')).toEqual(['original REQUIRED', 'newPassword REQUIRED', 'confirm REQUIRED'])
      expect(listCodes('old', buildPassword(12), buildPassword(13))).toEqual(['confirm MISMATCH'])
      expect(listCodes('old', buildPassword(12), buildPassword(12))).toEqual([])
      const readChangeResponse = async (...passwords: [string, string]) =>
        (await changePassword(admin, ...passwords)).json()
      expect(await readChangeResponse(password, password)).toMatchObject({
        errorCode: 'PASSWORD_UNCHANGE',
        errorMessage: 'New password is same as the original password.',
      })
      expect(await readChangeResponse('Not-the-one-44', buildPassword(12))).toMatchObject({
        errorCode: 'INVALID_ORG_PASSWORD',
        errorMessage: 'The original password is wrong',
      })
    })
  })
})

test('a profile sends only changed fields', () => {
  const picture = new File([], 'a.png')
  const getSentChanges = (values: ProfileValues, avatar: string | null = null) =>
    getChanges(fromProfileValues(values), fromProfileValues({ name: 'Ada', avatar }))
  expect(getSentChanges({ name: ' Ada ', avatar: 'x' }, 'x')).toEqual({})
  expect(getSentChanges({ name: 'Ada', avatar: null })).toEqual({})
  expect(getSentChanges({ name: 'Ada B', avatar: picture })).toEqual({ name: 'Ada B', avatar: picture })
  expect(getSentChanges({ name: 'Ada', avatar: null }, 'x')).toEqual({ avatar: null })
})
