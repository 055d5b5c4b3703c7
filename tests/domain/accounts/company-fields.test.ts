import { describe, expect, it } from 'vitest'
import { checkCompany, joinTel, splitTel } from '#domain/accounts/company-fields.ts'

describe('splitTel and joinTel', () => {
  it.each([
    ['', { dialCode: '', number: '' }],
    ['+852-12345678', { dialCode: '852', number: '12345678' }],
    ['+852-', { dialCode: '852', number: '' }],
    ['+-12', { dialCode: '', number: '12' }],
    ['+1-2-3', { dialCode: '1', number: '2-3' }],
  ])('split %s into two parts and join them again', (value, parts) => {
    expect(splitTel(value)).toEqual(parts)
    expect(joinTel(parts)).toBe(value)
  })
})

describe('checkCompany', () => {
  it('checks only the given fields, and accepts an empty telephone number', () => {
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
  ])('checks the tax number %j with the result %s', (tax_number, code) => {
    expect(checkCompany({ tax_number }).map((problem) => [problem.field, problem.code])).toEqual(
      code === null ? [] : [['tax_number', code]],
    )
  })
})
