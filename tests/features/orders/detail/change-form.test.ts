/** What is asked for of a contract, as it stands in its form. */
import { describe, expect, it } from 'vitest'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { type PriceData, quoteLocally } from '#features/orders/quote/local-quote.ts'
import {
  changeWish,
  checkChangeDraft,
  checkYears,
  choiceOf,
  extendWish,
  type ChangeDraft,
  storedChange,
  changeDraftOf,
} from '#features/orders/change/change-form.ts'
import { lists } from '#tests/domain/fees/goldens.ts'

const module = { hidden: false, dependencies: [], conditions: [], any_condition: false }
const market: PriceData = {
  list: { ...lists.A, id: 7, effective_date: '2026-01-01' },
  modules: ['core', 'fin', 'hr'].map((code, at) => ({ ...module, id: at, code, name: code })),
  uatBound: 'floor',
  zone: 'Asia/Hong_Kong',
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
const typed = changeDraftOf(contract)
const codes = (fields: Partial<ChangeDraft>) =>
  checkChangeDraft({ ...typed, ...fields }, market).map(({ field, code }) => [field, code])

describe('what is typed', () => {
  it('begins as the contract stands, and is nothing wrong', () => {
    expect(choiceOf(typed)).toEqual({ user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], uat: 0 })
    expect(codes({})).toEqual([])
  })

  it('is told once where it is wrong, the number of users before what the list asks for', () => {
    expect(codes({ users: '' })).toEqual([['users', 'REQUIRED']])
    expect(codes({ users: '4' })).toEqual([['users', 'TOO_FEW_USERS']])
    expect(codes({ users: '9'.repeat(7) })).toEqual([['users', 'OUT_OF_RANGE']])
    expect(codes({ modules: [] })).toEqual([['modules', 'NO_MODULE']])
    expect(codes({ modules: ['gone'] })).toEqual([['modules', 'NOT_LISTED']])
    expect(checkYears({ ...typed, years: '100' })).toEqual([
      { field: 'period', code: 'OUT_OF_RANGE', from: 1, limit: 99 },
    ])
  })

  it('fault 3a has no more years than the contract can still run', () => {
    expect(checkYears({ ...typed, years: '2' }, 2)).toEqual([])
    expect(checkYears({ ...typed, years: '3' }, 2)).toEqual([
      { field: 'period', code: 'TOO_MANY_YEARS', limit: 2, named: '99' },
    ])
    expect(checkYears({ ...typed, years: '1' }, 0)).toEqual([
      { field: 'period', code: 'NO_YEARS_LEFT', limit: 0, named: '99' },
    ])
    expect(checkYears({ ...typed, years: '' }, 0)).toEqual([{ field: 'period', code: 'REQUIRED' }])
  })

  it('comes back from the device as far as it is of its kind; what an earlier build left otherwise does not', () => {
    const kept = { users: '12', modules: ['core'], uat: 'yes', user_mode: 'ALL', years: 3 }
    expect(storedChange(kept, typed)).toEqual({ ...typed, users: '12', modules: ['core'] })
    expect([storedChange(null, typed), storedChange('text', typed)]).toEqual([typed, typed])
  })
})

describe('what it asks for', () => {
  const amount = (wish: Parameters<typeof quoteLocally>[1], today: string) => {
    const found = quoteLocally(market, wish, today)
    return found.kind === 'figure' ? found.figure.amount : found.code
  }

  it('is a change against what was paid for each stretch (G16, G18)', () => {
    const more = { user_mode: 'CONCURRENT', users: 11, modules: ['core', 'fin'], uat: 0 } as const
    expect(amount(changeWish(contract, more), '2026-03-01')).toBe('1000.00')
    expect(amount(changeWish(contract, { ...more, users: 10 }), '2026-09-14')).toBe('0.00')
  })

  it('is an extension from the end, or from today where that is over (G27, G28)', () => {
    const choice = { user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], uat: 0 } as const
    const starts = ['2026-12-20', '2027-05-20'].map((today) => {
      const found = quoteLocally(market, extendWish(contract, choice, 2), today)
      return found.kind === 'figure' ? [found.figure.period_start, found.figure.amount] : []
    })
    expect(starts).toEqual([
      ['2027-03-01', '84000.00'],
      ['2027-05-20', '84000.00'],
    ])
  })
})
