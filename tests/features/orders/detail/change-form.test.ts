/** Tests the form that changes or extends a contract. */
import { describe, expect, it } from 'vitest'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type PriceData, quoteLocally } from '#features/orders/quote/local-quote.ts'
import {
  toRequestedChange,
  checkChangeDraft,
  checkYears,
  parseChoice,
  toRequestedExtension,
  type ChangeDraft,
  parseStoredDraft,
  toChangeDraft,
} from '#features/orders/change/change-form.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const module = { hidden: false, dependencies: [], conditions: [], any_condition: false }
const priceData: PriceData = {
  list: { ...lists.A, id: 7, effective_date: '2026-01-01' },
  modules: ['core', 'fin', 'hr'].map((code, index) => ({ ...module, id: index, code, name: code })),
  uatBound: 'floor',
  timeZone: 'Asia/Hong_Kong',
}
const contract = {
  currency: 'HKD',
  user_mode: 'CONCURRENT',
  users: 10,
  modules: ['core', 'fin'],
  uat: 0,
  period_end: '2027-03-01',
  segments: [{ start: '2026-03-01', end: '2027-03-01', annual: '42000.00' }],
} as unknown as ContractRow
const draft = toChangeDraft(contract)
const listProblems = (fields: Partial<ChangeDraft>) =>
  checkChangeDraft({ ...draft, ...fields }, priceData).map(({ field, code }) => [field, code])

describe('the input of a change', () => {
  it('starts with the terms of the contract, without problems', () => {
    expect(parseChoice(draft)).toEqual({ user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], uat: 0 })
    expect(listProblems({})).toEqual([])
  })

  it('reports each problem once, a missing number of users before the limits of the price list', () => {
    expect(listProblems({ users: '' })).toEqual([['users', 'REQUIRED']])
    expect(listProblems({ users: '4' })).toEqual([['users', 'TOO_FEW_USERS']])
    expect(listProblems({ users: '9'.repeat(7) })).toEqual([['users', 'OUT_OF_RANGE']])
    expect(listProblems({ modules: [] })).toEqual([['modules', 'NO_MODULE']])
    expect(listProblems({ modules: ['gone'] })).toEqual([['modules', 'NOT_LISTED']])
    expect(checkYears({ ...draft, years: '100' })).toEqual([
      { field: 'period', code: 'OUT_OF_RANGE', from: 1, limit: 99 },
    ])
  })

  it('allows only as many years as the contract can still run (fault 3a)', () => {
    expect(checkYears({ ...draft, years: '2' }, 2)).toEqual([])
    expect(checkYears({ ...draft, years: '3' }, 2)).toEqual([
      { field: 'period', code: 'TOO_MANY_YEARS', limit: 2, named: '99' },
    ])
    expect(checkYears({ ...draft, years: '1' }, 0)).toEqual([
      { field: 'period', code: 'NO_YEARS_LEFT', limit: 0, named: '99' },
    ])
    expect(checkYears({ ...draft, years: '' }, 0)).toEqual([{ field: 'period', code: 'REQUIRED' }])
  })

  it('restores the valid values of a stored draft and drops the others', () => {
    const storedDraft = { users: '12', modules: ['core'], uat: 'yes', user_mode: 'ALL', years: 3 }
    expect(parseStoredDraft(storedDraft, draft)).toEqual({ ...draft, users: '12', modules: ['core'] })
    expect([parseStoredDraft(null, draft), parseStoredDraft('text', draft)]).toEqual([draft, draft])
  })
})

describe('toRequestedChange and toRequestedExtension', () => {
  const getQuotedAmount = (requestedOrder: Parameters<typeof quoteLocally>[1], today: string) => {
    const quote = quoteLocally(priceData, requestedOrder, today)
    return quote.kind === 'figure' ? quote.figure.amount : quote.code
  }

  it('price a change against the amounts paid for each segment (G16, G18)', () => {
    const terms = { user_mode: 'CONCURRENT', users: 11, modules: ['core', 'fin'], uat: 0 } as const
    expect(getQuotedAmount(toRequestedChange(contract, terms), '2026-03-01')).toBe('1000.00')
    expect(getQuotedAmount(toRequestedChange(contract, { ...terms, users: 10 }), '2026-09-14')).toBe('0.00')
  })

  it('extend a contract from its end, or from today if it has ended (G27, G28)', () => {
    const terms = { user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], uat: 0 } as const
    const extensions = ['2026-12-20', '2027-05-20'].map((today) => {
      const quote = quoteLocally(priceData, toRequestedExtension(contract, terms, 2), today)
      return quote.kind === 'figure' ? [quote.figure.period_start, quote.figure.amount] : []
    })
    expect(extensions).toEqual([
      ['2027-03-01', '84000.00'],
      ['2027-05-20', '84000.00'],
    ])
  })
})
