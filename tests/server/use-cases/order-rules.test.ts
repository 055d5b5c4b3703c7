/**
 * Tests every rule of the order wizard with values on both sides of its limit, by the form and by the server. Both must accept the same
 * values and name the same field (contracts 5).
 */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  checkInformation,
  checkModuleStep,
  createWizardValues,
  type WizardValues,
  toOrderBody,
} from '#features/orders/draft/wizard-form.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import { readFieldErrors } from '#tests/support/server/forms.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const today = '2026-03-02'
const buildText = (length: number) => 'x'.repeat(length)

/** For each field the entered text and the expected error code, or null if it is valid. */
const cases: Partial<Record<keyof WizardValues, [typed: string, code: string | null][]>> = {
  code: [
    ['', 'REQUIRED'],
    ['ab', 'INVALID_FORMAT'],
    ['abc', null],
    ['a'.repeat(16), null],
    ['a'.repeat(17), 'INVALID_FORMAT'],
    ['1abc', 'INVALID_FORMAT'],
    ['a-bc', 'INVALID_FORMAT'],
    ['a bc', 'INVALID_FORMAT'],
    ['admin', 'RESERVED'],
    ['select', 'RESERVED'],
    ['www', 'RESERVED'],
    ['selector', null],
  ],
  name: [
    ['', 'REQUIRED'],
    ['  ', 'REQUIRED'],
    ['S', null],
    [buildText(100), null],
    [buildText(101), 'TOO_LONG'],
  ],
  desc: [
    ['', null],
    [buildText(500), null],
    [buildText(501), 'TOO_LONG'],
  ],
  users: [
    ['4', 'TOO_FEW_USERS'],
    ['5', null],
    ['999999', null],
    ['1000000', 'OUT_OF_RANGE'],
    ['5.5', 'INVALID_FORMAT'],
    ['-5', 'INVALID_FORMAT'],
  ],
  period: [
    ['0', 'OUT_OF_RANGE'],
    ['1', null],
    ['99', null],
    ['100', 'OUT_OF_RANGE'],
    ['1.5', 'INVALID_FORMAT'],
  ],
  period_start: [
    ['2026-03-01', 'START_WINDOW'],
    ['2026-03-02', null],
    ['2026-04-01', null],
    ['2026-04-02', 'START_WINDOW'],
    ['2026-02-30', 'INVALID_FORMAT'],
    ['', 'INVALID_FORMAT'],
  ],
  sOrderCreateTime: [
    ['2026-03-02', null],
    ['2026-03-03', 'OUT_OF_RANGE'],
    ['2026-02-01', null],
  ],
}
const choices: [modules: string[], code: string | null][] = [
  [[], 'NO_MODULE'],
  [['core'], null],
  [['fin'], 'NEEDS_MODULES'],
  [['core', 'payroll'], 'NOT_LISTED'],
  [['base'], 'NOT_LISTED'],
]

/**
 * Codes that the server may return instead of the expected code: if a schema rejects the value first, its code is more general. Only the
 * field name must match exactly.
 */
const equivalentCodes: Record<string, readonly string[]> = {
  REQUIRED: ['REQUIRED', 'TOO_SHORT'],
  INVALID_FORMAT: ['INVALID_FORMAT', 'OUT_OF_RANGE', 'TOO_LONG'],
}

describe('the order form and the server (F-09, S-24)', () => {
  const fixture = setUpShop('embedded')
  let buyer: SignedIn
  let priceData: PriceData
  beforeEach(async () => {
    buyer = await fixture.server.signIn('order@alpha')
    const readJson = async (url: string) => (await buyer.send({ url })).json()
    priceData = {
      list: await readJson('/api/price'),
      modules: await readJson('/api/module/info'),
      uatBound: 'floor',
      timeZone: 'Asia/Hong_Kong',
    }
  })

  async function compare(fields: Partial<WizardValues>, field: string, code: string | null) {
    const typedForm: WizardValues = {
      ...createWizardValues(priceData.list, today),
      code: 'rule',
      name: 'Rule',
      modules: ['core'],
      ...fields,
    }
    const formProblems = [...checkInformation(typedForm, priceData, today), ...checkModuleStep(typedForm, priceData)]
    expect(formProblems.map((problem) => `${problem.field} ${problem.code}`)).toEqual(
      code === null ? [] : [`${field} ${code}`],
    )
    const caller = 'sOrderCreateTime' in fields ? await fixture.server.signIn('order@m18') : buyer
    const response = await caller.send({ method: 'POST', url: '/api/sorder', payload: toOrderBody(typedForm, 'saas') })
    if (code === null) return expect([response.statusCode, response.body]).toEqual([200, response.body])
    expect(response.statusCode).toBe(400)
    const [firstProblem, ...otherProblems] = readFieldErrors(response)
    expect(otherProblems).toEqual([])
    expect((equivalentCodes[code] ?? [code]).map((equivalentCode) => `${field} ${equivalentCode}`)).toContain(
      firstProblem,
    )
  }

  for (const [field, rows] of Object.entries(cases))
    describe(field, () => {
      test.each(rows)('give the same result for %j', (enteredText, code) =>
        compare({ [field]: enteredText }, field, code),
      )
    })
  test.each(choices)('give the same result for the modules %j', (modules, code) =>
    compare({ modules }, 'modules', code),
  )

  test('reject a duplicate module, which only a direct request can contain', async () => {
    const typedForm = {
      ...createWizardValues(priceData.list, today),
      code: 'rule',
      name: 'Rule',
      modules: ['core', 'fin', 'core'],
    }
    const response = await buyer.send({ method: 'POST', url: '/api/sorder', payload: toOrderBody(typedForm, 'saas') })
    expect([response.statusCode, readFieldErrors(response)]).toEqual([400, ['modules INVALID_FORMAT']])
  })
})
