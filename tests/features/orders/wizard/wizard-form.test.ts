/** Tests the wizard form: defaults, checks and the request (contracts 5 and 9). */
import { describe, expect, it, test } from 'vitest'
import type { OrderRow } from '#contract/orders.ts'
import { buildSelectableModules, filterModules, toggleModule } from '#features/orders/wizard/fields/module-selection.ts'
import { parseDraft, isWorthSaving, createDraft } from '#features/orders/draft/wizard-draft.ts'
import {
  toOrderBody,
  checkInformation,
  checkModuleStep,
  createWizardValues,
  getStepOfField,
  normaliseCode,
  type WizardValues,
  copyToWizardValues,
  toRequestedOrder,
} from '#features/orders/draft/wizard-form.ts'
import { isConnectionLost, parseQuestion } from '#features/orders/draft/submit-order.ts'
import type { PriceData, ModuleChoice } from '#features/orders/quote/local-quote.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const createModule = (code: string, dependencies: string[] = []): ModuleChoice => ({
  id: code.length,
  code,
  name: code.toUpperCase(),
  hidden: false,
  dependencies,
  conditions: [],
  any_condition: false,
})
const list = { ...lists.A, id: 1, effective_date: '2026-01-01' }
const modules = [
  createModule('core'),
  createModule('fin', ['core']),
  createModule('scm', ['fin']),
  createModule('hr', ['core']),
]
const priceData: PriceData = { list, modules, uatBound: 'floor', timeZone: 'Asia/Hong_Kong' }
const today = '2026-03-02'
const newFormValues = createWizardValues(list, today)
const validValues: WizardValues = { ...newFormValues, code: 'shop', name: 'Shop', modules: ['core'] }

it('The form starts with the defaults of the specification (contracts 9, D26)', () => {
  expect(newFormValues).toMatchObject({
    users: '5',
    period: '1',
    user_mode: 'CONCURRENT',
    period_start: today,
    modules: [],
  })
  expect(createWizardValues({ ...list, min_concurrent_user: 0 }, today).users).toBe('1')
  expect(checkInformation(validValues, priceData, today)).toEqual([])
  expect(checkModuleStep(validValues, priceData)).toEqual([])
})

it('The problem of a text names the smallest number of users of the price list, as the help of the field does', () => {
  const findRange = (fields: Partial<WizardValues>) => checkInformation({ ...validValues, ...fields }, priceData, today)
  expect(findRange({ users: 'many' })).toMatchObject([{ field: 'users', from: 5, limit: 999_999 }])
  expect(findRange({ users: 'many', user_mode: 'NAMED' })).toMatchObject([{ field: 'users', from: 10 }])
})

const wrongCases: [string, Partial<WizardValues>, string[]][] = [
  ['no code', { code: '' }, ['code REQUIRED']],
  ['a code that is too short', { code: 'ab' }, ['code INVALID_FORMAT']],
  ['a code of 17 characters', { code: 'a'.repeat(17) }, ['code INVALID_FORMAT']],
  ['a code that begins with a digit', { code: '1shop' }, ['code INVALID_FORMAT']],
  ['a reserved code', { code: 'select' }, ['code RESERVED']],
  ['no name', { name: '  ' }, ['name REQUIRED']],
  ['a long description', { desc: 'x'.repeat(501) }, ['desc TOO_LONG']],
  ['a missing number of users', { users: '' }, ['users REQUIRED']],
  ['a fraction of a user', { users: '5.5' }, ['users INVALID_FORMAT']],
  ['a million users', { users: '1000000' }, ['users OUT_OF_RANGE']],
  ['fewer users than the minimum of the list', { users: '4' }, ['users TOO_FEW_USERS']],
  ['fewer users than the minimum of the mode', { user_mode: 'NAMED', users: '9' }, ['users TOO_FEW_USERS']],
  ['a period of 0 years', { period: '0' }, ['period OUT_OF_RANGE']],
  ['a period of 100 years', { period: '100' }, ['period OUT_OF_RANGE']],
  ['a start before today', { period_start: '2026-03-01' }, ['period_start START_WINDOW']],
  ['a start after the last allowed day', { period_start: '2026-04-02' }, ['period_start START_WINDOW']],
  ['a missing start', { period_start: '' }, ['period_start INVALID_FORMAT']],
  ['an order date in the future', { sOrderCreateTime: '2026-03-03' }, ['sOrderCreateTime OUT_OF_RANGE']],
  ['a missing company', { company_id: '0' }, ['company_id OUT_OF_RANGE']],
]
test.each(wrongCases)('The problem of %s is reported at its field', (_, fields, expectedProblems) => {
  const problems = checkInformation({ ...validValues, ...fields }, priceData, today)
  expect(problems.map(({ field, code }) => `${field} ${code}`)).toEqual(expectedProblems)
  expect(problems.map(({ field }) => getStepOfField(field))).toEqual([0])
})

it('A start before today is valid if staff dated the order back (D39)', () => {
  expect(
    checkInformation({ ...validValues, sOrderCreateTime: '2026-02-20', period_start: '2026-02-20' }, priceData, today),
  ).toEqual([])
})

test.each([
  ['no module', [], ['NO_MODULE']],
  ['a module that is not in the list', ['core', 'gone'], ['NOT_LISTED']],
  ['a module without its dependencies', ['fin'], ['NEEDS_MODULES']],
] as const)('The choice of modules is checked: %s', (_, moduleCodes, codes) => {
  const problems = checkModuleStep({ ...validValues, modules: [...moduleCodes] }, priceData)
  expect(problems.map(({ code }) => code)).toEqual(codes)
  expect(problems.map(({ field }) => getStepOfField(field))).toEqual([1])
})

describe('the request of an order', () => {
  it('contains the form in the format of the call, without empty fields', () => {
    expect(toOrderBody({ ...validValues, users: '25', uat: true, desc: ' ' }, 'saas')).toEqual({
      code: 'shop',
      name: 'Shop',
      currency: 'HKD',
      user_mode: 'CONCURRENT',
      users: 25,
      modules: ['core'],
      uat: 1,
      client_type: 'saas',
      period: 1,
      period_start: today,
    })
    expect(toOrderBody({ ...validValues, company_id: '3', sOrderCreateTime: today }, 'mma')).toMatchObject({
      company_id: 3,
      sOrderCreateTime: today,
      client_type: 'mma',
    })
  })
  it('cannot be quoted while a value is missing or invalid', () => {
    expect(toRequestedOrder({ ...validValues, users: '' })).toBeNull()
    expect(toRequestedOrder({ ...validValues, period_start: '2026-02-30' })).toBeNull()
    expect(toRequestedOrder(validValues)).toMatchObject({ type: 'create', users: 5, years: 1, start: today })
  })
  it('has the service code in lower case', () => expect(normaliseCode('ShOp1')).toBe('shop1'))
})

it('"Order again" copies all but code and start, with at least the current minimum of users', () => {
  const row = {
    name: 'Old',
    desc: null,
    currency: 'RMB',
    user_mode: 'NAMED',
    users: 3,
    uat: 1,
    period: 2,
    modules: ['hr'],
  }
  expect(copyToWizardValues(row as unknown as OrderRow, newFormValues, list)).toEqual({
    ...newFormValues,
    name: 'Old',
    currency: 'RMB',
    user_mode: 'NAMED',
    users: '10',
    uat: true,
    period: '2',
    modules: ['hr'],
  })
})

describe('the draft of an order', () => {
  it('is restored as it was stored', () => {
    const draft = { ...createDraft(validValues), step: 1 as const, ordered: 7, intent: 'x' }
    expect(parseDraft(structuredClone(draft), newFormValues)).toEqual(draft)
  })
  it('keeps the valid values of a draft from an earlier build', () => {
    expect(
      parseDraft({ step: 9, values: { code: 'old', users: 5, color: 'red', modules: ['core'] } }, newFormValues),
    ).toEqual({
      ...createDraft({ ...newFormValues, code: 'old', modules: ['core'] }),
    })
    expect(parseDraft('?', newFormValues)).toBeNull()
    expect(parseDraft({ values: null }, newFormValues)).toBeNull()
  })
  it('is stored once something was typed', () => {
    expect(isWorthSaving(createDraft(newFormValues), newFormValues)).toBe(false)
    expect(isWorthSaving(createDraft({ ...newFormValues, period_start: '2026-03-01' }), newFormValues)).toBe(false)
    expect(isWorthSaving(createDraft({ ...newFormValues, company_id: '7' }), newFormValues)).toBe(false)
    expect(isWorthSaving(createDraft({ ...newFormValues, name: 'S' }), newFormValues)).toBe(true)
    expect(isWorthSaving({ ...createDraft(newFormValues), ordered: 3 }, newFormValues)).toBe(true)
    expect(isWorthSaving({ ...createDraft(validValues), step: 3 }, newFormValues)).toBe(false)
  })
})

describe('the choice of modules (M75)', () => {
  it('adds required modules and removes dependent ones', () => {
    expect(toggleModule(modules, [], 'scm')).toEqual({
      kind: 'adding',
      code: 'scm',
      dependentCodes: ['fin', 'core'],
      selectedCodes: ['core', 'fin', 'scm'],
    })
    expect(toggleModule(modules, ['core', 'fin', 'hr'], 'core')).toEqual({
      kind: 'removing',
      code: 'core',
      dependentCodes: ['fin', 'hr'],
      selectedCodes: [],
    })
  })
  it('shows modules with a price, and selected modules that no longer have a price', () => {
    const rows = buildSelectableModules(list, modules, ['gone', 'core'], 'USD')
    expect(rows.map(({ code, price }) => `${code} ${price}`)).toEqual([
      'gone null',
      'core 1540.00',
      'fin 2310.00',
      'scm 1990.05',
      'hr 1155.00',
    ])
    expect(rows.find(({ code }) => code === 'scm')?.neededNames).toBe('FIN')
    expect(filterModules(rows, ' FI').map(({ code }) => code)).toEqual(['fin'])
  })
})

describe('the question that a refusal asks', () => {
  const createProblem = (code: string, data: unknown = null, status = 409) => ({
    status,
    code,
    data,
    message: '',
    requestId: null,
  })
  const unpaid = { id: 3, type: 'create', amount: '1.00', due: '2026-03-09 23:59:59' }
  it.each([
    ['QUOTE_CHANGED', { now: { amount: '1.00' } }, 'changed'],
    ['DUP_CODE', { unpaid }, 'unpaid'],
    ['APP_CONFIRM', { confirm_info: [], confirm_key: 'k' }, 'apps'],
  ])('is read from the problem %s', (code, data, kind) =>
    expect(parseQuestion(createProblem(code, data))?.kind).toBe(kind),
  )
  it.each([
    ['DUP_CODE', {}],
    ['DUP_CODE', { unpaid: { ...unpaid, type: 'change' } }],
    ['STATE_CONFLICT', null],
  ])('is missing for %s if the refusal names no unpaid order to replace', (code, data) =>
    expect(parseQuestion(createProblem(code, data))).toBeNull(),
  )
  it('does not appear for a lost connection (isConnectionLost)', () => {
    expect(isConnectionLost(createProblem('NEEDS_CONNECTION', null, 0))).toBe(true)
    expect(isConnectionLost(createProblem('UNAVAILABLE', null, 503))).toBe(true)
    expect(isConnectionLost(createProblem('SESSION_LAPSED', null, 0))).toBe(false)
    expect(isConnectionLost(createProblem('SERVER_ERROR', null, 500))).toBe(false)
  })
})
