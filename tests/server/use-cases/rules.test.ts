/**
 * Every rule of the own account and the company with values on both sides of its limit, asked of the form and of the
 * server: neither may accept what the other refuses (portal 5).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { CompanyProfile } from '#domain/accounts/companies.ts'
import { checkForm, profileOf } from '#features/company/form.ts'
import { changesOf, checkName, checkPasswords } from '#features/profile/form.ts'
import { postForm } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

type Case = [value: string | null, code: FieldProblem['code'] | null]
const long = (length: number) => 'x'.repeat(length)

const company: Partial<Record<keyof CompanyProfile, Case[]>> = {
  name: [
    ['', 'REQUIRED'],
    ['   ', 'REQUIRED'],
    ['A', null],
    [long(100), null],
    [long(101), 'TOO_LONG'],
  ],
  country: [
    ['CN', null],
    [null, null],
    ['HK', null],
  ],
  province: [
    [long(100), null],
    [long(101), 'TOO_LONG'],
    [null, null],
  ],
  city: [
    [long(100), null],
    [long(101), 'TOO_LONG'],
    [null, null],
  ],
  addr1: [
    [long(200), null],
    [long(201), 'TOO_LONG'],
    [null, null],
  ],
  addr2: [
    [long(200), null],
    [long(201), 'TOO_LONG'],
    [null, null],
  ],
  addr3: [
    [long(200), null],
    [long(201), 'TOO_LONG'],
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
    [`${long(192)}.example`, null],
    [`${long(193)}.example`, 'TOO_LONG'],
    [null, null],
  ],
  tax_number: [
    ['91350211M000100Y43', null],
    ['GB 123-4567 89', null],
    [long(40), null],
    [long(41), 'TOO_LONG'],
    ['12/34', 'INVALID_FORMAT'],
    ['税号1', 'INVALID_FORMAT'],
    [null, null],
  ],
}

describe('form and server agree on', () => {
  let server: TestServer
  let admin: SignedIn
  let url: string
  beforeAll(async () => {
    server = await startServer()
    admin = await server.signIn('admin@alpha')
    url = `/api/m18s/company/${server.world.companies.alpha}`
  }, 90_000)
  afterAll(() => server.close())

  const codeOf = (answer: { statusCode: number; json: () => { data?: FieldProblem[] } }) =>
    answer.statusCode === 200 ? null : (answer.json().data?.[0]?.code ?? answer.statusCode)

  test.each(Object.entries(company))("the company's %s", async (name, cases) => {
    for (const [value, code] of cases) {
      const row = (await admin.send({ url })).json()
      const before = profileOf(row)
      const form = checkForm({ ...before, [name]: value }, before)
      const answer = await admin.send({ method: 'PUT', url, payload: { [name]: value } })
      expect({ value, form: form[0]?.code ?? null, server: codeOf(answer) }).toEqual({
        value,
        form: code,
        server: code,
      })
    }
  })

  test('a country that is none of the two, which no form can say', async () => {
    expect(codeOf(await admin.send({ method: 'PUT', url, payload: { country: 'US' } }))).toBe('OUT_OF_RANGE')
  })

  test('the code, which nobody changes (M35)', async () => {
    await admin.send({ method: 'PUT', url, payload: { code: 'omega' } })
    expect((await admin.send({ url })).json().code).toBe('alpha')
  })

  test('the name of a profile', async () => {
    const cases: Case[] = [
      ['', 'REQUIRED'],
      ['  ', 'REQUIRED'],
      ['李', null],
      [long(100), null],
      [long(101), 'TOO_LONG'],
    ]
    for (const [value, code] of cases) {
      const put = { method: 'PUT' as const, url: `/api/m18s/user/${admin.userId}`, payload: { name: value } }
      expect({ value, form: checkName(value ?? '')?.code ?? null, server: codeOf(await admin.send(put)) }).toEqual({
        value,
        form: code,
        server: code,
      })
    }
  })

  describe('a password', () => {
    beforeEach(async () => {
      const world = await server.reset()
      admin = await server.signIn('admin@alpha')
      url = `/api/m18s/company/${world.companies.alpha}`
    })
    const change = (by: SignedIn, orgPwd: string, newPwd: string) =>
      postForm(by.send, '/api/m18s/password', { orgPwd, newPwd })
    const mixed = (length: number) => 'k7-Qx!mB2vTw'.repeat(11).slice(0, length)

    test('by its length', async () => {
      for (const [value, code] of [
        ['', 'REQUIRED'],
        [mixed(7), 'TOO_SHORT'],
        [mixed(8), null],
        [mixed(128), null],
        [mixed(129), 'TOO_LONG'],
      ] as Case[]) {
        await server.reset()
        const user = await server.signIn('user@alpha')
        const typed = { original: password, chosen: value ?? '', confirm: value ?? '' }
        const form = checkPasswords(typed).find(({ field }) => field === 'chosen')?.code ?? null
        const answer = await change(user, password, value ?? '')
        const said = answer.statusCode === 204 ? null : (answer.json().data?.[0]?.code ?? answer.json().errorCode)
        expect({ value, form, said }).toEqual({ value, form: code, said: code })
      }
    }, 60_000)

    test('that must be typed twice alike, and be another one', async () => {
      const codes = (original: string, chosen: string, confirm: string) =>
        checkPasswords({ original, chosen, confirm }).map(({ field, code }) => `${field} ${code}`)
      expect(codes('', '', '')).toEqual(['original REQUIRED', 'chosen REQUIRED', 'confirm REQUIRED'])
      expect(codes('old', mixed(12), mixed(13))).toEqual(['confirm MISMATCH'])
      expect(codes('old', mixed(12), mixed(12))).toEqual([])
      const told = async (...typed: [string, string]) => (await change(admin, ...typed)).json()
      expect(await told(password, password)).toMatchObject({
        errorCode: 'PASSWORD_UNCHANGE',
        errorMessage: 'New password is same as the original password.',
      })
      expect(await told('Not-the-one-44', mixed(12))).toMatchObject({
        errorCode: 'INVALID_ORG_PASSWORD',
        errorMessage: 'The original password is wrong',
      })
    })
  })
})

test('a profile sends what differs and nothing else', () => {
  const base = { name: 'Ada', avatar: null }
  const picture = new File([], 'a.png')
  expect(changesOf({ name: ' Ada ', picture: undefined }, base)).toEqual({})
  expect(changesOf({ name: 'Ada', picture: null }, base)).toEqual({})
  expect(changesOf({ name: 'Ada B', picture }, base)).toEqual({ name: 'Ada B', picture })
  expect(changesOf({ name: 'Ada', picture: null }, { ...base, avatar: 'x' })).toEqual({ picture: null })
})
