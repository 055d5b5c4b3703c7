import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { checkSignup, type SignupValues } from '#domain/accounts/signup.ts'
import { postForm } from '#tests/support/server/forms.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

/** Values on both sides of each limit for every rule of portal 5. Form and server must return the same result. */
type Field = keyof SignupValues
const rules: Record<Field, [value: string, problem: string | null][]> = {
  code: [
    ['', 'REQUIRED'],
    ['   ', 'REQUIRED'],
    ['a', null],
    ['x'.repeat(20), null],
    ['x'.repeat(21), 'TOO_LONG'],
    ['A_1', null],
    ['a-b', 'INVALID_CODE'],
    ['a b', 'INVALID_CODE'],
    ['a.b', 'INVALID_CODE'],
    ['é', 'INVALID_CODE'],
    ['公司', 'INVALID_CODE'],
    ['m18', 'RESERVED'],
    ['Admin', 'RESERVED'],
    ['ADMINISTRATOR', 'RESERVED'],
    ['system', 'RESERVED'],
    ['mySQL', 'RESERVED'],
    ['select', 'RESERVED'],
    ['ilike', 'RESERVED'],
    ['selects', null],
    ['admin1', null],
  ],
  name: [
    ['', 'REQUIRED'],
    ['  ', 'REQUIRED'],
    ['N', null],
    ['公司有限公司', null],
    ['n'.repeat(100), null],
    ['n'.repeat(101), 'TOO_LONG'],
  ],
  country: [
    ['', null],
    ['CN', null],
    ['HK', null],
  ],
  province: [
    ['', null],
    ['p'.repeat(100), null],
    ['p'.repeat(101), 'TOO_LONG'],
  ],
  city: [
    ['c'.repeat(100), null],
    ['c'.repeat(101), 'TOO_LONG'],
  ],
  addr1: [
    ['a'.repeat(200), null],
    ['a'.repeat(201), 'TOO_LONG'],
  ],
  addr2: [
    ['a'.repeat(200), null],
    ['a'.repeat(201), 'TOO_LONG'],
  ],
  addr3: [
    ['a'.repeat(200), null],
    ['a'.repeat(201), 'TOO_LONG'],
  ],
  tel: [
    ['', 'REQUIRED'],
    ['+852-', 'REQUIRED'],
    ['+8-1', null],
    ['+852', 'REQUIRED'],
    [`+1-${'1'.repeat(37)}`, null],
    [`+1-${'1'.repeat(38)}`, 'TOO_LONG'],
    ['+12345-12345678', null],
    ['852-12345678', 'INVALID_TEL'],
    ['+852 12345678', 'INVALID_TEL'],
    ['+852-1234x678', 'INVALID_TEL'],
    ['+85a-12345678', 'INVALID_TEL'],
    ['+-12345678', 'DIAL_CODE_MISSING'],
    ['+852-1234-5678', 'INVALID_TEL'],
  ],
  email: [
    ['', null],
    ['info@nova.example', null],
    ['info@nova', 'INVALID_EMAIL'],
    ['info', 'INVALID_EMAIL'],
    ['a@b@nova.example', 'INVALID_EMAIL'],
    [`${'e'.repeat(241)}@nova.example`, null],
  ],
  website: [
    ['', null],
    ['www.nova.example', null],
    ['https://nova.example/about?x=1', null],
    ['http://localhost:8080', 'INVALID_URL'],
    ['javascript:alert(1)', 'INVALID_URL'],
    ['//nova.example', 'INVALID_URL'],
    ['https://u:p@nova.example', 'INVALID_URL'],
    ['nova', 'INVALID_URL'],
    [`nova.example/${'w'.repeat(187)}`, null],
    [`nova.example/${'w'.repeat(188)}`, 'TOO_LONG'],
  ],
  user_title: [
    ['0', null],
    ['2', null],
    ['3', 'INVALID_FORMAT'],
  ],
  user_name: [
    ['', 'REQUIRED'],
    [' ', 'REQUIRED'],
    ['u'.repeat(100), null],
    ['u'.repeat(101), 'TOO_LONG'],
  ],
  user_email: [
    ['', 'REQUIRED'],
    ['ana', 'INVALID_EMAIL'],
    ['ana@nova.example', null],
    ['ana@nova..example', 'INVALID_EMAIL'],
  ],
  user_password: [
    ['', 'REQUIRED'],
    ['Sl0wriv', 'TOO_SHORT'],
    ['Sl0wrivr', null],
    [`Slow-river-${'under-9-'.repeat(20)}`.slice(0, 128), null],
    [`Slow-river-${'under-9-'.repeat(20)}`.slice(0, 129), 'TOO_LONG'],
  ],
  confirmPwd: [
    ['', 'REQUIRED'],
    ['Slow-river-under-9-bridges ', 'MISMATCH'],
    ['Slow-river-under-9-bridges', null],
  ],
}

const rows = Object.entries(rules).flatMap(([field, values]) =>
  values.map(([value, problem], index) => ({ field: field as Field, value, problem, at: index })),
)

function buildForm(field: Field, value: string, index: number): SignupValues {
  const form = {
    code: `c_${field}_${index}`.slice(0, 20),
    name: 'Nova Ltd',
    country: '',
    province: '',
    city: '',
    addr1: '',
    addr2: '',
    addr3: '',
    tel: '+852-12345678',
    email: '',
    website: '',
    user_title: '0',
    user_name: 'Ana Chan',
    user_email: `${field}${index}@nova.example`,
    user_password: 'Slow-river-under-9-bridges',
    confirmPwd: 'Slow-river-under-9-bridges',
    [field]: value,
  }
  return field === 'user_password' ? { ...form, confirmPwd: value } : form
}

const findCode = (problems: readonly FieldProblem[], field: Field) =>
  problems.find((fieldProblem) => fieldProblem.field === field)?.code ?? null

describe('the rules of the sign-up (M27, M29)', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test.each(rows)(
    '$field "$value" has the same problem in the form and on the server: $problem',
    async ({ field, value, problem, at: index }) => {
      // The clock moves by an hour, because the number of mails per hour is limited.
      server.clock.now += 3_600_000
      const form = buildForm(field, value, index)
      const problems = checkSignup(form)
      expect(findCode(problems, field)).toBe(problem)
      // There may be further problems: if both passwords are equal but invalid, two fields are wrong.
      if (problem === null) expect(problems).toEqual([])
      const filledFields = Object.entries(form).filter(([name, text]) => text !== '' || name === field)
      const isOptional = value === '' && problem === null
      const sentFields = Object.fromEntries(filledFields.filter(([name]) => !(isOptional && name === field)))
      const response = await postForm(server.send, '/public/company', sentFields)
      const body = response.json()
      if (problem === null) expect([response.statusCode, body]).toEqual([200, { email: form.user_email }])
      else if (problem === 'RESERVED') expect([response.statusCode, body.errorCode]).toEqual([409, 'RESERVED_CODE'])
      else expect([response.statusCode, findCode(body.data, field)]).toEqual([400, problem])
    },
  )

  test('The country must be one of the two offered countries, or empty', async () => {
    const payload = { ...buildForm('country', 'US', 99), user_title: 0 }
    const response = await server.send({ method: 'POST', url: '/public/company', payload })
    expect([response.statusCode, findCode(response.json().data, 'country')]).toEqual([400, 'OUT_OF_RANGE'])
  })
})
