/**
 * Every rule of the wizard with values on both sides of its limit, asked of the form and of the server: neither may accept
 * what the other refuses (contracts 5), and both name the same field.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  checkInformation,
  checkModuleStep,
  newValues,
  type Values,
  bodyOf,
} from '#features/orders/draft/wizard-form.ts'
import type { PriceData } from '#features/orders/quote/local-quote.ts'
import { wrong } from '#tests/support/server/forms.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const today = '2026-03-02'
const long = (length: number) => 'x'.repeat(length)

/** Of each field: what is typed, and what is said of it; null: nothing. */
const cases: Partial<Record<keyof Values, [typed: string, code: string | null][]>> = {
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
    [long(100), null],
    [long(101), 'TOO_LONG'],
  ],
  desc: [
    ['', null],
    [long(500), null],
    [long(501), 'TOO_LONG'],
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

/** Where a schema looks first its words are more general: that the field is named is what counts. */
const alike: Record<string, readonly string[]> = {
  REQUIRED: ['REQUIRED', 'TOO_SHORT'],
  INVALID_FORMAT: ['INVALID_FORMAT', 'OUT_OF_RANGE', 'TOO_LONG'],
}

describe('the rules of an order (F-09, S-24)', () => {
  const the = setUpShop('embedded')
  let buyer: SignedIn
  let market: PriceData
  beforeEach(async () => {
    buyer = await the.server.signIn('order@alpha')
    const read = async (url: string) => (await buyer.send({ url })).json()
    market = {
      list: await read('/api/price'),
      modules: await read('/api/module/info'),
      uatBound: 'floor',
      zone: 'Asia/Hong_Kong',
    }
  })

  async function compare(fields: Partial<Values>, field: string, code: string | null) {
    const typed: Values = { ...newValues(market.list, today), code: 'rule', name: 'Rule', modules: ['core'], ...fields }
    const form = [...checkInformation(typed, market, today), ...checkModuleStep(typed, market)]
    expect(form.map((one) => `${one.field} ${one.code}`)).toEqual(code === null ? [] : [`${field} ${code}`])
    const by = 'sOrderCreateTime' in fields ? await the.server.signIn('order@m18') : buyer
    const answer = await by.send({ method: 'POST', url: '/api/sorder', payload: bodyOf(typed, 'saas') })
    if (code === null) return expect([answer.statusCode, answer.body]).toEqual([200, answer.body])
    expect(answer.statusCode).toBe(400)
    const [said, ...others] = wrong(answer)
    expect(others).toEqual([])
    expect((alike[code] ?? [code]).map((one) => `${field} ${one}`)).toContain(said)
  }

  for (const [field, rows] of Object.entries(cases))
    describe(field, () => {
      test.each(rows)('%j', (typed, code) => compare({ [field]: typed }, field, code))
    })
  test.each(choices)('modules %j', (modules, code) => compare({ modules }, 'modules', code))

  test('a module that is named twice, which the boxes of the form cannot do, is refused: it would be paid for twice', async () => {
    const typed = { ...newValues(market.list, today), code: 'rule', name: 'Rule', modules: ['core', 'fin', 'core'] }
    const answer = await buyer.send({ method: 'POST', url: '/api/sorder', payload: bodyOf(typed, 'saas') })
    expect([answer.statusCode, wrong(answer)]).toEqual([400, ['modules INVALID_FORMAT']])
  })
})
