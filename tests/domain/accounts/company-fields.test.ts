import { describe, expect, it } from 'vitest'
import { checkCompany, joinTel, splitTel } from '#domain/accounts/company-fields.ts'

describe('a telephone number in two parts', () => {
  it.each([
    ['', { dialCode: '', number: '' }],
    ['+852-12345678', { dialCode: '852', number: '12345678' }],
    ['+852-', { dialCode: '852', number: '' }],
    ['+-12', { dialCode: '', number: '12' }],
    ['+1-2-3', { dialCode: '1', number: '2-3' }],
  ])('%s comes apart and together again', (value, parts) => {
    expect(splitTel(value)).toEqual(parts)
    expect(joinTel(parts)).toBe(value)
  })
})

describe('the profile', () => {
  it('is checked for the fields that are named, and a telephone may be taken away', () => {
    expect(checkCompany({ tel: '', email: '', website: '' })).toEqual([])
    expect(checkCompany({ name: ' ' })).toEqual([{ field: 'name', code: 'REQUIRED' }])
    expect(checkCompany({ tel: '12' })).toEqual([{ field: 'tel', code: 'DIAL_CODE_MISSING' }])
    expect(checkCompany({ tel: '+852-1a' })).toEqual([{ field: 'tel', code: 'INVALID_TEL' }])
  })

  it.each([
    [null, null],
    ['', null],
    ['  ', null],
    ['91350211M000100Y43', null],
    [' 12345678 ', null],
    ['GB 123-4567 89', null],
    ['x'.repeat(40), null],
    ['x'.repeat(41), 'TOO_LONG'],
    ['12/34', 'INVALID_FORMAT'],
    ['12\t34', 'INVALID_FORMAT'],
    ['税号1', 'INVALID_FORMAT'],
    ['１２３４', 'INVALID_FORMAT'],
    ['<b>', 'INVALID_FORMAT'],
  ])('may have the tax number %j or not: %s', (tax_number, code) => {
    expect(checkCompany({ tax_number }).map((problem) => [problem.field, problem.code])).toEqual(
      code === null ? [] : [['tax_number', code]],
    )
  })
})
